//! Faults of a dataset, and their places.

use std::fmt;
use std::path::Path;

use darkqi_format::{self as datasets, MANIFEST_FILE, Table};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::replay::Difference;

/// How many faults of one place are named.
pub(crate) const MAX_NAMED: usize = 20;

/// A fault of a dataset.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fault {
    /// The file, relative to the dataset's folder.
    pub file: String,
    /// The row in the file, from 0; `None` for a fault of the file.
    pub row: Option<u64>,
    /// The game.
    pub game_id: Option<u64>,
    /// The ply, from 0.
    pub ply: Option<usize>,
    /// The value expected and the value found.
    pub fault: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(row) = self.row {
            write!(f, ", row {row}")?;
        }
        match (self.game_id, self.ply) {
            (Some(game), Some(ply)) => write!(f, " (game {game}, ply {ply})")?,
            (Some(game), None) => write!(f, " (game {game})")?,
            _ => {}
        }
        write!(f, ": {}", self.fault)
    }
}

impl Fault {
    /// A fault of `dataset.json`.
    pub(crate) fn of_manifest(fault: impl Into<String>) -> Self {
        Self::of_file(MANIFEST_FILE, fault)
    }

    /// A fault of a file as a whole.
    pub(crate) fn of_file(file: &str, fault: impl Into<String>) -> Self {
        Self { file: file.to_owned(), row: None, game_id: None, ply: None, fault: fault.into() }
    }

    /// The fault of a file that an error in reading a shard tells of.
    ///
    /// # Errors
    /// If it tells of none: the system did not let the file be read.
    pub(crate) fn of_error(error: datasets::Error, file: &str) -> Result<Self, Error> {
        if error.is_of_the_system() {
            return Err(error.into());
        }
        let text = error.to_string();
        let name = error.file().and_then(name_in_dataset);
        // The message begins with the file's path, which is not repeated.
        let fault = error
            .file()
            .and_then(|path| text.strip_prefix(&path.display().to_string()))
            .map_or(text.as_str(), |rest| rest.trim_start_matches([':', ',', ' ']));
        let row = match error {
            datasets::Error::Value { row, .. } => Some(row),
            _ => None,
        };
        Ok(Self { row, ..Self::of_file(name.as_deref().unwrap_or(file), fault) })
    }

    /// A difference between a game, which lies in these rows of the two files, and its replay.
    pub(crate) fn of_difference(
        difference: Difference,
        game_id: u64,
        [games_file, plies_file]: [&str; 2],
        [game_row, first_ply_row]: [u64; 2],
    ) -> Self {
        let (file, row) = match difference.ply {
            None => (games_file, game_row),
            Some(ply) => (plies_file, first_ply_row + ply as u64),
        };
        let Difference { ply, column, logged, replayed } = difference;
        let fault = format!("{column}: logged {logged}, replayed {replayed}");
        Self { row: Some(row), game_id: Some(game_id), ply, ..Self::of_file(file, fault) }
    }
}

/// The path of a file of a dataset from the dataset's folder.
fn name_in_dataset(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let folder = path.parent().and_then(|folder| folder.file_name()?.to_str());
    let is_table = |folder: &&str| [Table::Games, Table::Plies].iter().any(|t| t.name() == *folder);
    Some(folder.filter(is_table).map_or(name.into(), |folder| format!("{folder}/{name}")))
}

/// The faults of one place. The first [`MAX_NAMED`] are named, all are counted.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Faults {
    pub(crate) count: u64,
    pub(crate) named: Vec<Fault>,
}

impl Faults {
    pub(crate) fn add(&mut self, fault: Fault) {
        self.count += 1;
        if self.named.len() < MAX_NAMED {
            self.named.push(fault);
        }
    }
}
