//! Errors of openings.

use std::io;
use std::path::PathBuf;

/// An opening that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpeningError {
    /// A file that cannot be read.
    #[error("openings {}: cannot be read: {cause}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why not.
        cause: io::Error,
    },
    /// A file with too few or too many lines.
    #[error("openings {}: expected {expected}, found {found}", path.display())]
    Lines {
        /// The file.
        path: PathBuf,
        /// The values allowed.
        expected: String,
        /// The value found.
        found: usize,
    },
    /// No openings, or too many.
    #[error("openings: expected {expected}, found {found}")]
    Number {
        /// The values allowed.
        expected: String,
        /// The value found.
        found: usize,
    },
    /// A line that is no opening of the game.
    #[error("opening `{line}`: {cause}")]
    Line {
        /// The line.
        line: String,
        /// The fault.
        cause: String,
    },
    /// A name that no piece of the game has.
    #[error("remove: `{name}` is no piece of {game}; expected one of {}", names.join(" "))]
    Piece {
        /// The name.
        name: String,
        /// The game.
        game: &'static str,
        /// The names of its pieces.
        names: Vec<String>,
    },
    /// A piece that cannot be taken off.
    #[error("remove: cannot take {name} off `{fen}`: {cause}")]
    Removal {
        /// The name of the piece.
        name: String,
        /// The position.
        fen: String,
        /// Why not.
        cause: String,
    },
    /// A start at which the game is over.
    #[error("the game is over at its start `{fen}` ({reason})")]
    Over {
        /// The position.
        fen: String,
        /// Why it ended.
        reason: &'static str,
    },
    /// Random plies that always end the game.
    #[error(
        "random_plies: expected fewer, got {plies}: {tries} openings in a row ended the game with \
         seed {seed}"
    )]
    RandomPlies {
        /// Number of random plies.
        plies: u32,
        /// How many openings were sampled.
        tries: u32,
        /// The game's seed.
        seed: u64,
    },
}
