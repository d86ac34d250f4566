//! Errors of tables.

use std::io;
use std::path::PathBuf;

use darkqi_env::game::ENDGAME_PIECES;
use thiserror::Error;

use super::table::FEWEST;

/// Tables that cannot be made or used.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages name the fields")]
pub enum TablesError {
    /// A game that has no tables.
    #[error("endgame tables are of banqi; {game} has none")]
    Game { game: &'static str },
    /// Rules of a variant.
    #[error("{option}: expected its default, as endgame tables are of banqi alone")]
    Designed { option: &'static str },
    /// A number of pieces for which there are no tables.
    #[error("pieces: expected {FEWEST} to {ENDGAME_PIECES}, got {found}")]
    Pieces { found: usize },
    /// A folder without tables.
    #[error("tables {}: expected a folder with {file}, as `darkqi tables` writes it", dir.display())]
    Missing { dir: PathBuf, file: String },
    /// A file that cannot be used.
    #[error("tables {}: {fault}", path.display())]
    File { path: PathBuf, fault: String },
    /// A file or folder that the system does not let be read or made.
    #[error("tables {}: {cause}", path.display())]
    Io { path: PathBuf, cause: io::Error },
    /// A file that cannot be written.
    #[error(transparent)]
    Write(darkqi_format::Error),
    /// Stopped before all tables were written.
    #[error("stopped")]
    Stopped,
}

impl From<darkqi_format::Error> for TablesError {
    fn from(error: darkqi_format::Error) -> Self {
        match error {
            darkqi_format::Error::Stopped => Self::Stopped,
            error => Self::Write(error),
        }
    }
}
