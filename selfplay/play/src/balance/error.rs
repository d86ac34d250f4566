//! Errors of a balancing run.

use std::path::PathBuf;

use darkqi_analysis as analysis;
use darkqi_engine::agents::AgentError;
use darkqi_engine::evaluation::EvaluationFileError;
use thiserror::Error;

use crate::arena;

impl Error {
    /// Whether it came while games were played, so that those before it are in the folder.
    pub fn came_in_play(&self) -> bool {
        match self {
            Self::Play(error) => error.came_in_play(),
            Self::Test(_) => true,
            _ => false,
        }
    }
}

/// An error of a balancing run.
#[derive(Debug, Error)]
pub enum Error {
    /// Playing failed.
    #[error(transparent)]
    Play(#[from] crate::Error),
    /// Fitting failed.
    #[error("round {round}: {cause}")]
    Fit {
        /// The round, from 1.
        round: u32,
        /// Why.
        cause: analysis::Error,
    },
    /// The first round's games do not determine the values, so there are none at all.
    #[error(
        "round 1: these games do not determine the piece values ({why}); expected more games per round, \
         wrote no values.toml"
    )]
    Undetermined {
        /// Why not.
        why: String,
    },
    /// Games that do not determine the values. Nothing was written.
    #[error(
        "these games do not determine the piece values ({why}); expected more games, wrote nothing"
    )]
    NoValues {
        /// Why not.
        why: String,
    },
    /// The test failed.
    #[error(transparent)]
    Test(#[from] arena::Failed),
    /// The agent cannot be made, or reads no values.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// The agent's values cannot be read.
    #[error(transparent)]
    Values(#[from] EvaluationFileError),
    /// A setting that cannot be used.
    #[error("{field}: expected {expected}, found {found}")]
    Config {
        /// The field of [`Balance`](super::Balance).
        field: &'static str,
        /// What can be used.
        expected: &'static str,
        /// What was given.
        found: String,
    },
    /// A file that cannot be written.
    #[error(transparent)]
    Output(#[from] darkqi_format::Error),
    /// A file or folder that cannot be written.
    #[error("cannot write {}: {cause}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        cause: std::io::Error,
    },
    /// Stopped before the end. The finished rounds are in the folder.
    #[error("stopped after round {rounds}")]
    Stopped {
        /// Number of finished rounds.
        rounds: usize,
    },
}
