//! Why a page cannot be served.

use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use darkqi_format::NoThreads;
use darkqi_play::Error;
use thiserror::Error as ThisError;

/// Why a page cannot be served.
#[derive(Debug, ThisError)]
#[allow(missing_docs, reason = "the messages name the fields")]
pub enum ServeError {
    /// The port is taken, or the address is not of this machine.
    #[error("{address}: {cause}{}", advice(cause))]
    Bind { address: SocketAddr, cause: io::Error },
    /// The system does not let a server run.
    #[error("{host}: {cause}")]
    Run { host: IpAddr, cause: io::Error },
    /// The system starts too few threads.
    #[error(transparent)]
    Threads(#[from] NoThreads),
    /// An agent that cannot be made for any game.
    #[error("{agent}: {cause}")]
    Agent { agent: String, cause: Box<Error> },
    /// A folder that cannot keep games.
    #[error("--games {}: {cause}", dir.display())]
    Games { dir: PathBuf, cause: io::Error },
    /// A folder that is not there.
    #[error("{}: expected a folder", dir.display())]
    NoFolder { dir: PathBuf },
}

/// Advice where an address cannot be used.
fn advice(cause: &io::Error) -> &'static str {
    match cause.kind() {
        ErrorKind::AddrInUse => "; another `--port` may be free, 0 takes any",
        _ => "",
    }
}
