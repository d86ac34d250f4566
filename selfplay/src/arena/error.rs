//! What can go wrong with a match.

use darkqi_env::SetupError;

use super::journal::JournalError;
use crate::agents::AgentError;

/// What can go wrong with a match.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No such game or option, or a value out of range.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// An agent that cannot be had.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// A field of [`Match`](super::Match) or [`Sprt`](super::Sprt) that cannot be used.
    #[error("{field}: expected {expected}, got {found}")]
    Config {
        /// The field.
        field: &'static str,
        /// What was given.
        found: String,
        /// What can be used.
        expected: String,
    },
    /// Random plies end the game however they are drawn.
    #[error(
        "random_plies: expected fewer, got {plies}: {tries} openings in a row ended the game of \
         block {block}"
    )]
    Opening {
        /// Number of random plies.
        plies: u32,
        /// The block.
        block: u64,
        /// How many openings were drawn.
        tries: u32,
    },
    /// The threads could not be started.
    #[error("threads: cannot start {threads}: {cause}")]
    Threads {
        /// How many.
        threads: usize,
        /// Why not.
        cause: std::io::Error,
    },
    /// An agent chose an action that is not legal.
    #[error(
        "{pair}, block {block}, game {game}, ply {ply}: agent {agent} chose action {action}, \
         which is not legal"
    )]
    IllegalAction {
        /// Those who played.
        pair: String,
        /// The block.
        block: u64,
        /// The game within the block, from 0.
        game: usize,
        /// The ply, from 0.
        ply: u16,
        /// The agent.
        agent: String,
        /// The action's index.
        action: u16,
    },
    /// A journal that cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
}
