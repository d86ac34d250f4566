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
#[allow(missing_docs, reason = "the messages name the fields")]
pub enum Error {
    /// Playing failed.
    #[error(transparent)]
    Play(#[from] crate::Error),
    /// Fitting failed.
    #[error("round {round}: {cause}")]
    Fit { round: u32, cause: analysis::Error },
    /// The first round's games do not determine the values, so there are none at all.
    #[error(
        "round 1: these games do not determine the piece values ({why}); expected more games per round, \
         wrote no values.toml"
    )]
    Undetermined { why: String },
    /// Games that do not determine the values. Nothing was written.
    #[error(
        "these games do not determine the piece values ({why}); expected more games, wrote nothing"
    )]
    NoValues { why: String },
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
    Config { field: &'static str, expected: &'static str, found: String },
    /// A file that cannot be written.
    #[error(transparent)]
    Output(#[from] darkqi_format::Error),
    /// A file or folder that cannot be written.
    #[error("cannot write {}: {cause}", path.display())]
    Write { path: PathBuf, cause: std::io::Error },
    /// Stopped before the end. The finished rounds are in the folder.
    #[error("stopped after round {rounds}")]
    Stopped { rounds: usize },
}
