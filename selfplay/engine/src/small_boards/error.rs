//! Errors of small boards.

use darkqi_env::{FenError, SetupError};
use thiserror::Error;

use super::board::{MAX_POSITIONS, MAX_SQUARES};
use crate::agents::AgentError;

/// A small board that cannot be solved.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages name the fields")]
pub enum SmallBoardError {
    /// A game that is not solved on small boards.
    #[error("small boards are solved for banqi and gaiqi, not for {game}")]
    Game { game: &'static str },
    /// A board of a size that is not solved.
    #[error("size: expected 2 to {MAX_SQUARES} squares, got {files}x{ranks}")]
    Size { files: usize, ranks: usize },
    /// A rule option that is not solved.
    #[error("{option}: expected {expected} on a small board")]
    Rules { option: &'static str, expected: &'static str },
    /// Rules that are not played on such a board.
    #[error(transparent)]
    Options(#[from] SetupError),
    /// An army that does not fit the board.
    #[error("army: {fault}")]
    Army { fault: String },
    /// A position that cannot be read.
    #[error(transparent)]
    Position(#[from] FenError),
    /// An agent that does not play there.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// An agent that could not decide.
    #[error("{agent}: {fault}")]
    Failure { agent: String, fault: String },
    /// A game that has too many positions.
    #[error("more than {MAX_POSITIONS} positions: expected fewer pieces, or a smaller board")]
    TooLarge,
    /// Stopped before everything was solved.
    #[error("stopped")]
    Stopped,
}
