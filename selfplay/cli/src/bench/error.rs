//! Errors of a measurement.

use darkqi_env::{BatchError, SetupError};
use darkqi_format::NoThreads;
use thiserror::Error;

/// An error of a measurement.
#[derive(Debug, Error)]
pub(crate) enum Error {
    /// No such game or option, or a number out of range.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// Rows that do not fit into memory.
    #[error(
        "{game} with {lanes} lanes: the rows and a copy of them take {needed:.1} GiB, {free:.1} \
         GiB of memory are free"
    )]
    Memory { game: String, lanes: usize, needed: f64, free: f64 },
    /// The threads that fill memory could not be started.
    #[error(transparent)]
    Threads(#[from] NoThreads),
    /// The batch does not play as it should.
    #[error("{game} with {lanes} lanes and {threads} threads is wrong: {fault}")]
    Wrong { game: String, lanes: usize, threads: usize, fault: BatchFault },
}

impl From<BatchError> for Error {
    fn from(error: BatchError) -> Self {
        Self::Setup(error.into())
    }
}

/// How a batch does not play as it should.
#[derive(Clone, PartialEq, Debug, Error)]
pub(crate) enum BatchFault {
    #[error("lane {lane} has ended no game within {steps} steps")]
    Endless { lane: usize, steps: u64 },
    #[error("a step changed the observations of {changed} lanes only")]
    Unchanged { changed: usize },
}
