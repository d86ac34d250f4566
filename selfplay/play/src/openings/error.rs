//! Errors of openings.

use std::io;
use std::path::PathBuf;

/// An opening that cannot be used.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages name the fields")]
pub enum OpeningError {
    /// A file that cannot be read.
    #[error("openings {}: cannot be read: {cause}", path.display())]
    Io { path: PathBuf, cause: io::Error },
    /// A file with too few or too many lines.
    #[error("openings {}: expected {expected}, found {found}", path.display())]
    Lines { path: PathBuf, expected: String, found: usize },
    /// No openings, or too many.
    #[error("openings: expected {expected}, found {found}")]
    Number { expected: String, found: usize },
    /// A line that is no opening of the game.
    #[error("opening `{line}`: {cause}")]
    Line { line: String, cause: String },
    /// A name that no piece of the game has.
    #[error("remove: `{name}` is no piece of {game}; expected one of {}", names.join(" "))]
    Piece { name: String, game: &'static str, names: Vec<String> },
    /// A piece that cannot be taken off.
    #[error("remove: cannot take {name} off `{fen}`: {cause}")]
    Removal { name: String, fen: String, cause: String },
    /// A start at which the game is over.
    #[error("the game is over at its start `{fen}` ({reason})")]
    Over { fen: String, reason: &'static str },
    /// Random plies that always end the game.
    #[error(
        "random_plies: expected fewer, got {plies}: {tries} openings in a row ended the game with \
         seed {seed}"
    )]
    RandomPlies { plies: u32, tries: u32, seed: u64 },
}
