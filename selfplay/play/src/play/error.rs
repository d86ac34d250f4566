//! Why a game cannot be played.

use thiserror::Error;

use crate::error::Error;

/// Why a game cannot begin or go on.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages name the fields")]
pub enum PlayError {
    /// Settings, an agent or a dataset that cannot be used.
    #[error(transparent)]
    Game(#[from] Error),
    /// A position without a next ply.
    #[error("fen: expected a game that is not over, but it is ({reason})")]
    Over { reason: &'static str },
    /// An agent that could not decide. Why is not for those who play against it: an engine's text has the
    /// position as the engine knows it.
    #[error("{agent} has failed; `--verbose` says why, which may tell what it knows")]
    Failed { agent: String },
}
