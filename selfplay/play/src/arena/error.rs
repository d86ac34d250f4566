//! Errors of a match.

use std::io;
use std::path::PathBuf;

use darkqi_datasets::NoThreads;
use darkqi_engine::agents::AgentError;
use darkqi_env::SetupError;

use crate::openings::OpeningError;
use crate::reporting::Mismatch;

/// An error of a match.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No such game or option, or a value out of range.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// An agent that cannot be made.
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
    /// An opening that cannot be used.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// The threads could not be started.
    #[error(transparent)]
    Threads(#[from] NoThreads),
    /// An agent chose an action that is not legal.
    #[error(
        "{pair}, block {block}, game {game}, ply {ply}: agent {agent} chose action {action}, \
         which is not legal"
    )]
    IllegalAction {
        /// The pair of agents.
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
    /// An agent could not decide.
    #[error("{pair}, block {block}, game {game}, ply {ply}: agent {agent}: {cause}")]
    AgentFailed {
        /// The pair of agents.
        pair: String,
        /// The block.
        block: u64,
        /// The game within the block, from 0.
        game: usize,
        /// The ply, from 0.
        ply: u16,
        /// The agent.
        agent: String,
        /// The reason.
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A journal that cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl Error {
    /// A field that cannot be used.
    pub(super) fn config(
        field: &'static str,
        expected: impl Into<String>,
        found: impl ToString,
    ) -> Self {
        Self::Config { field, expected: expected.into(), found: found.to_string() }
    }
}

/// A journal that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file cannot be opened, read or written.
    #[error("journal {}: cannot {action}: {cause}", path.display())]
    Io {
        /// The operation that failed.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it failed.
        cause: io::Error,
    },
    /// Another process has it open.
    #[error("journal {}: another process is writing to it", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// The file is no journal.
    #[error(
        "journal {}: not a journal: expected a first line of JSON with `darkqi_arena_journal`; \
         nothing was written",
        path.display()
    )]
    NotAJournal {
        /// The file.
        path: PathBuf,
    },
    /// A device, a pipe or a folder.
    #[error("journal {}: expected a regular file, found something else", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// A file of a dataset.
    #[error("journal: {0}")]
    OfDataset(#[from] darkqi_datasets::Error),
    /// A journal of a match with other settings.
    #[error("journal {}: of another match: {}", path.display(), Mismatch::list(mismatches))]
    Mismatch {
        /// The file.
        path: PathBuf,
        /// The settings that differ, at least one.
        mismatches: Vec<Mismatch>,
    },
    /// A line that is no block of the match.
    #[error("journal {}, line {line}: {fault}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        fault: String,
    },
}
