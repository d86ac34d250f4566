//! `--random-plies`, `--openings`, `--fen` and `--remove`, shared by the commands that play.

use std::path::PathBuf;

use clap::Args;
use darkqi_play::openings::{OpeningError, read_openings};

/// How games begin, besides the deal.
#[derive(Debug, Args)]
pub(super) struct OpeningOptions {
    /// Number of random plies before the agents take over, drawn per deal [default: 0; in matches
    /// where neither deals nor openings differ, 2 per seat]
    #[arg(long, value_name = "N")]
    pub(super) random_plies: Option<u32>,
    /// Begin with a line of this file, drawn per deal: a full FEN or, where all deals are equal, moves
    /// from the start. Lines that begin with # are left out. What lies covered is dealt
    #[arg(long, value_name = "FILE", conflicts_with = "fen")]
    openings: Option<PathBuf>,
    /// Begin with this position, a full FEN. What lies covered is dealt
    #[arg(long)]
    fen: Option<String>,
    /// Take pieces off: for each of these names of a FEN, separated by commas, one of the pieces that
    /// have it, drawn per deal
    #[arg(long, value_name = "PIECES", value_delimiter = ',')]
    pub(super) remove: Vec<String>,
}

impl OpeningOptions {
    /// The lines to begin with; none if neither a file nor a position is given.
    ///
    /// # Errors
    /// If the file cannot be used.
    pub(super) fn lines(&self) -> Result<Vec<String>, OpeningError> {
        match (&self.openings, &self.fen) {
            (Some(path), _) => read_openings(path),
            (None, fen) => Ok(fen.iter().cloned().collect()),
        }
    }
}
