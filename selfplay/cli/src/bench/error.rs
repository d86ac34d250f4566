//! Errors of a measurement.

use darkqi_datasets::NoThreads;
use darkqi_env::{BatchError, SetupError};
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

/// How a batch differs from the same games played one at a time.
#[derive(Clone, PartialEq, Debug, Error)]
pub(crate) enum BatchFault {
    #[error("lane {lane} has ended no game within {steps} steps")]
    Endless { lane: usize, steps: u64 },
    #[error(
        "game {game} of lane {lane} ended after {found} plies, the same game played alone after \
         {expected}"
    )]
    Length { lane: usize, game: usize, found: u32, expected: u32 },
    #[error(
        "games last {found:.2} plies on average, those played alone {expected:.2}: {sigmas:.1} \
         standard errors apart"
    )]
    MeanLength { found: f64, expected: f64, sigmas: f64 },
    #[error("a step changed the observations of {changed} lanes only")]
    Unchanged { changed: usize },
    #[error("lane {lane} has seed {found}, but its game number {game} has {expected}")]
    Seed { lane: usize, game: u32, found: u64, expected: u64 },
    #[error("lane {lane} stands at `{found}`, its game played alone at `{expected}`")]
    Position { lane: usize, found: String, expected: String },
    #[error("lane {lane}: the {row} is not that of the same position alone")]
    Row { lane: usize, row: &'static str },
}
