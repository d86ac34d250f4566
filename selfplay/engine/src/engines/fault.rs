//! Faults of an engine.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use darkqi_format::NoThreads;
use thiserror::Error;

/// An engine that did not answer as it should.
#[derive(Debug, Error)]
#[error(
    "engine `{command}`: {fault}; position `{position}`, last sent `{sent}`, last received \
     `{received}`{}",
    .remark.as_ref().map_or_else(String::new, |remark| format!(", last info string `{remark}`"))
)]
pub(crate) struct EngineError {
    /// The command that starts it.
    pub(crate) command: String,
    /// The fault.
    #[source]
    pub(crate) fault: EngineFault,
    /// The FEN that it was asked about, as it was sent.
    pub(crate) position: String,
    /// The last line that it was sent.
    pub(crate) sent: String,
    /// The last line that came from it.
    pub(crate) received: String,
    /// Its last words.
    pub(crate) remark: Option<String>,
}

/// The fault.
#[derive(Debug, Error)]
pub(crate) enum EngineFault {
    /// There is no such program, or it cannot be run.
    #[error("cannot be started: {0}")]
    Start(#[source] io::Error),
    /// There is no thread to read what it says.
    #[error(transparent)]
    Threads(#[from] NoThreads),
    /// It takes no more lines.
    #[error("cannot be written to: {0}")]
    Write(#[source] io::Error),
    /// Its output cannot be read.
    #[error("cannot be read from: {0}")]
    Read(#[source] io::Error),
    /// It ended by itself.
    #[error("ended{}, expected `{expected}`", .status.map_or_else(String::new, |status| format!(" ({status})")))]
    Ended {
        status: Option<ExitStatus>,
        /// The word that the answer should have begun with.
        expected: &'static str,
    },
    /// It did not answer in time.
    #[error("no answer within {} ms, expected `{expected}`", .patience.as_millis())]
    Late {
        patience: Duration,
        /// The word that the answer should have begun with.
        expected: &'static str,
    },
    /// Its answer is not waited for any more.
    #[error("stopped")]
    Stopped,
    /// Its move is none in this position.
    #[error("plays `{played}`, expected one of {count} legal moves: {legal}")]
    Illegal { played: String, count: usize, legal: String },
}
