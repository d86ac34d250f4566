//! How fast a batch steps under random play, checked while it is measured.
//!
//! - `measure`: warm-up, timed repeats, checks;
//! - `run`: a batch with its rows, stepped and watched;
//! - `games`: which game each lane plays, and how long finished ones were;
//! - `proof`: the same games played one at a time, and the comparison;
//! - `fill`: how fast the machine writes memory;
//! - `machine`: what the figures were measured on.

mod fill;
mod games;
pub(crate) mod machine;
mod measure;
mod proof;
mod run;

use std::time::Duration;

use darkqi_env::{BatchError, Format, MaskFormat, Options, SetupError};
use thiserror::Error;

pub(crate) use measure::{Measurement, Repeat, measure};

/// What to measure.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// The game's name in the registry.
    pub(crate) game: String,
    /// Its options, the rest at their defaults.
    pub(crate) options: Options,
    pub(crate) lanes: usize,
    pub(crate) threads: usize,
    pub(crate) format: Format,
    pub(crate) mask: MaskFormat,
    pub(crate) seed: u64,
    /// How long each repeat takes at least.
    pub(crate) duration: Duration,
}

/// What can go wrong with a measurement.
#[derive(Debug, Error)]
pub(crate) enum Error {
    /// No such game or option, or a number out of range.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// More rows than fit.
    #[error(
        "{game} with {lanes} lanes: the rows and a copy of them take {needed:.1} GiB, {free:.1} \
         GiB of memory are free"
    )]
    Memory { game: String, lanes: usize, needed: f64, free: f64 },
    /// The threads that fill memory could not be started.
    #[error("threads: cannot start {threads}: {cause}")]
    Threads { threads: usize, cause: String },
    /// The batch does not do what it is timed for.
    #[error("{game} with {lanes} lanes and {threads} threads is wrong: {fault}")]
    Wrong { game: String, lanes: usize, threads: usize, fault: Fault },
}

impl From<BatchError> for Error {
    fn from(error: BatchError) -> Self {
        Self::Setup(error.into())
    }
}

/// What a batch did wrong.
#[derive(Clone, PartialEq, Debug, Error)]
pub(crate) enum Fault {
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
