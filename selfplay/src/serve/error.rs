//! Why a page cannot be served.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use thiserror::Error;

/// Why a page cannot be served.
#[derive(Debug, Error)]
pub(crate) enum ServeError {
    /// The port is taken, or the address is not of this machine.
    #[error("{address}: {cause}; another `--port` may be free, 0 takes any")]
    Bind { address: SocketAddr, cause: io::Error },
    /// The system does not let a server run.
    #[error("{host}: {cause}")]
    Run { host: IpAddr, cause: io::Error },
    /// A folder that is not there.
    #[error("{}: expected a folder", dir.display())]
    NoFolder { dir: PathBuf },
}
