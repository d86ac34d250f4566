//! Errors of self-play, replay and verification.

use std::ops::Range;
use std::path::PathBuf;

use darkqi_engine::agents::AgentError;
use darkqi_env::SetupError;
use darkqi_format::NoThreads;
use thiserror::Error;

use crate::arena::Failed;
use crate::openings::OpeningError;
use crate::reporting::Mismatch;
use crate::variants::VariantError;

/// An error of self-play, replay or verification.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages name the fields")]
pub enum Error {
    /// No such game or option, or a value out of range.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// Rules from a file that cannot be used.
    #[error(transparent)]
    Rules(#[from] VariantError),
    /// An agent that cannot be made.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// An opening that cannot be used.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// A dataset that cannot be written or read.
    #[error(transparent)]
    Dataset(darkqi_format::Error),
    /// A match that was not played to its end.
    #[error(transparent)]
    Match(Failed),
    /// A dataset without the settings of its run.
    #[error(
        "{}: cannot be resumed, as its dataset.json has no `run`; expected a dataset of self-play (what \
         an env has logged is gone on with by the next one that logs there)",
        dir.display()
    )]
    NoRun { dir: PathBuf },
    /// A dataset of a run with other settings.
    #[error(
        "{} holds a run with other settings: {}",
        dir.display(),
        Mismatch::list(mismatches)
    )]
    OtherRun { dir: PathBuf, mismatches: Vec<Mismatch> },
    /// A dataset of a match, where self-play is to be resumed.
    #[error("{}: holds a match; expected a run of self-play", dir.display())]
    IsMatch { dir: PathBuf },
    /// A dataset that self-play has written.
    #[error("{}: holds a run of self-play; expected a recorded dataset, or none", dir.display())]
    NotRecorded { dir: PathBuf },
    /// A dataset with more games than the run would have.
    #[error(
        "{what} with game {last}, but {} holds later ones; expected {expected}",
        dir.display()
    )]
    Beyond {
        dir: PathBuf,
        /// The decision, such as "until: 0.01 is reached".
        what: String,
        expected: &'static str,
        /// The last game of a run that stops so.
        last: u64,
    },
    /// A dataset that lists other shards than its run has.
    #[error("{}, shard {shard}: expected {expected}, found {found}", dir.display())]
    Listing { dir: PathBuf, shard: u32, expected: String, found: String },
    /// A `dataset.json` that a file contradicts which is as it was listed.
    #[error(
        "{}: dataset.json contradicts a file whose checksum is the one that it lists, so it may have \
         been changed itself; expected the dataset.json that was written with the file, and left \
         everything as it is: {cause}",
        dir.display()
    )]
    Contradiction { dir: PathBuf, cause: Box<darkqi_format::Error> },
    /// Shards that the run does not have.
    #[error(
        "shards: expected a range within 0..{shards}, which are the shards of the run, and at least one \
         of them; got {}..{}",
        found.start,
        found.end
    )]
    ShardRange { found: Range<u64>, shards: u64 },
    /// A run whose shards cannot be played one by one.
    #[error("shards: {what}; expected a run whose shards follow from its settings alone")]
    Unshareable { what: String },
    /// Stopped before there was a result.
    #[error("stopped")]
    Stopped,
    /// The wrong number of agents.
    #[error(
        "agents: {game} has {seats} seats; expected {seats} agents or one for all, got {agents}"
    )]
    Seats { game: &'static str, seats: usize, agents: usize },
    /// A share of positions that is no probability.
    #[error("share: expected a number from 0 to 1, found {found}")]
    Share { found: f64 },
    /// A logged game that differs from the rules.
    #[error("{0}")]
    Replay(String),
    /// A seat that the game does not have.
    #[error("seat {seat}: expected a seat from 0 to {last}", last = seats - 1)]
    Seat { seat: usize, seats: usize },
    /// A field of a configuration that cannot be used.
    #[error("{field}: expected {expected}, got {found}")]
    Config { field: &'static str, found: String, expected: String },
    /// A name that cannot be kept.
    #[error("{what}: {fault}")]
    Name { what: &'static str, fault: String },
    /// Different agents where one agent must play itself.
    #[error("until: expected an agent against itself, found {}", agents.join(" against "))]
    Until { agents: Vec<String> },
    /// The luck-adjusted score is to decide when to stop, but at no half-width.
    #[error("luck_adjusted: expected the half-width `until` beside it, found none")]
    NoHalfWidth,
    /// A half-width that cannot be used.
    #[error(transparent)]
    Analysis(darkqi_analysis::Error),
    /// A dataset that cannot be measured.
    #[error("{}: {cause}", dir.display())]
    Measure { dir: PathBuf, cause: darkqi_analysis::Error },
    /// Datasets that do not make one report.
    #[error(transparent)]
    Report(#[from] darkqi_report::Error),
    /// The threads could not be started.
    #[error(transparent)]
    Threads(#[from] NoThreads),
    /// A decision in a game that is over.
    #[error("agent {agent}: expected a game that is not over, but it is ({reason})")]
    Over { agent: String, reason: &'static str },
    /// An agent chose an action that is not legal.
    #[error("game {game_id}, ply {ply}: agent {agent} chose action {action}, which is not legal")]
    IllegalAction { game_id: u64, ply: u16, agent: String, action: u16 },
    /// An agent could not decide.
    #[error("game {game_id}, ply {ply}: agent {agent}: {cause}")]
    AgentFailed {
        game_id: u64,
        ply: u16,
        agent: String,
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
    /// An agent could not decide in a single position.
    #[error("agent {agent}: {cause}")]
    Undecided { agent: String, cause: Box<dyn std::error::Error + Send + Sync> },
}

impl Error {
    /// A field of a configuration that cannot be used.
    pub(crate) fn config(
        field: &'static str,
        expected: impl Into<String>,
        found: impl ToString,
    ) -> Self {
        Self::Config { field, expected: expected.into(), found: found.to_string() }
    }

    /// Whether it came while games were played, so that those that had ended before it are kept.
    pub fn came_in_play(&self) -> bool {
        use darkqi_format::Error::{Io, Write};

        matches!(
            self,
            Self::AgentFailed { .. }
                | Self::IllegalAction { .. }
                | Self::Dataset(Io { .. } | Write { .. })
                | Self::Match(Failed { so_far: Some(_), .. })
        )
    }
}

impl From<darkqi_format::Error> for Error {
    fn from(error: darkqi_format::Error) -> Self {
        match error {
            darkqi_format::Error::Stopped => Self::Stopped,
            darkqi_format::Error::Threads(error) => Self::Threads(error),
            error => Self::Dataset(error),
        }
    }
}

impl From<darkqi_analysis::Error> for Error {
    fn from(error: darkqi_analysis::Error) -> Self {
        match error {
            darkqi_analysis::Error::Stopped => Self::Stopped,
            darkqi_analysis::Error::Dataset(error) => error.into(),
            error => Self::Analysis(error),
        }
    }
}
