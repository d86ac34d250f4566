//! What pieces are worth, by game and kind letter, read from TOML.

use std::fs;
use std::path::{Path, PathBuf};

use darkqi_env::Game;
use thiserror::Error;

use super::tables::{self, Tables};

/// The built-in values, as TOML.
pub(crate) const TEXT: &str = include_str!("../../data/values.toml");

/// What a piece is worth in a game that has no table.
const UNKNOWN: f64 = 1.0;

/// Piece values of every game.
#[derive(Clone, PartialEq, Debug)]
pub struct PieceValues {
    tables: Tables,
}

/// A file of piece values or weights that cannot be used.
#[derive(Debug, Error)]
#[error("{what} {}: {fault}", path.display())]
pub struct ValuesError {
    /// What it should hold.
    pub what: &'static str,
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub fault: String,
}

impl PieceValues {
    /// The values that come with the program.
    ///
    /// # Panics
    /// Never: the file is part of the program and tested.
    pub fn built_in() -> Self {
        Self { tables: parse(TEXT).expect("the built-in values are well formed") }
    }

    /// The values of a file; what it leaves out keeps its built-in value.
    ///
    /// # Errors
    /// If the file cannot be read, is not TOML, or names a game or a kind that does not exist.
    pub fn read(path: &Path) -> Result<Self, ValuesError> {
        let fault =
            |fault: String| ValuesError { what: "piece values", path: path.to_owned(), fault };
        let text = fs::read_to_string(path).map_err(|error| fault(error.to_string()))?;
        let mut values = Self::built_in();
        for (game, table) in parse(&text).map_err(fault)? {
            values.tables.entry(game).or_default().extend(table);
        }
        Ok(values)
    }

    /// The values of a game's pieces by index of kind.
    pub fn of<G: Game>(&self) -> Vec<f64> {
        let table = self.tables.get(G::NAME);
        let value = |kind: &char| table.and_then(|table| table.get(kind.encode_utf8(&mut [0; 4])));
        G::KINDS.iter().map(|kind| value(kind).copied().unwrap_or(UNKNOWN)).collect()
    }
}

fn parse(text: &str) -> Result<Tables, String> {
    tables::parse(text, |game, kind, spec| {
        if spec.kinds.iter().any(|letter| kind.chars().eq([*letter])) {
            return Ok(());
        }
        let kinds: Vec<String> = spec.kinds.iter().map(char::to_string).collect();
        Err(format!("{game} has no kind `{kind}`; its kinds are: {}", kinds.join(", ")))
    })
}
