//! Consecutive rows of one file as records.

use std::ops::Range;
use std::path::Path;
use std::vec;

use super::table_file::{Batches, TableFile};
use crate::error::{Error, Result};
use crate::format::{GameRecord, OpenColumn, PlyRow, RowFault};

/// Reads the next rows of open columns as records.
type Read<T> = fn(&mut [OpenColumn], usize) -> std::result::Result<Vec<T>, RowFault>;

/// Consecutive rows of one file as records.
pub(crate) struct RecordReader<T> {
    batches: Batches,
    read: Read<T>,
    decoded: vec::IntoIter<T>,
    /// The next row.
    row: u64,
}

impl<T> RecordReader<T> {
    pub(crate) fn new(file: &TableFile, rows: Range<u64>, read: Read<T>) -> Self {
        Self::of_columns(file, rows, &file.record_columns(), read)
    }

    /// [`RecordReader::new`] where `read` needs these columns only.
    pub(crate) fn of_columns(
        file: &TableFile,
        rows: Range<u64>,
        columns: &[&str],
        read: Read<T>,
    ) -> Self {
        let row = rows.start;
        let batches = file.batches(rows, columns);
        Self { batches, read, decoded: Vec::new().into_iter(), row }
    }

    fn path(&self) -> &Path {
        self.batches.path()
    }
}

impl<T> Iterator for RecordReader<T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(record) = self.decoded.next() {
                self.row += 1;
                return Some(Ok(record));
            }
            match self.batches.next(self.read).transpose()? {
                Ok(decoded) => self.decoded = decoded.into_iter(),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// Reads the plies of a game, which are the next rows.
pub(crate) fn read_plies<T>(
    plies: &mut RecordReader<PlyRow<T>>,
    game: &GameRecord,
) -> Result<Vec<T>> {
    let mut moves = Vec::with_capacity(game.plies.into());
    for expected in 0..game.plies {
        let row = plies.row;
        let found = plies.next().unwrap_or_else(|| {
            Err(Error::RowCount {
                path: plies.path().into(),
                expected: row + u64::from(game.plies - expected),
                found: row,
            })
        })?;
        let unexpected = |column, expected: String, found: String| Error::Value {
            path: plies.path().into(),
            column,
            row,
            expected,
            found,
        };
        if found.game_id != game.game_id {
            let expected = format!("{}, of which this is ply {expected}", game.game_id);
            return Err(unexpected("game_id", expected, found.game_id.to_string()));
        }
        if found.ply != expected {
            let expected = expected.to_string();
            return Err(unexpected("ply", expected, found.ply.to_string()));
        }
        moves.push(found.record);
    }
    Ok(moves)
}

/// Checks that no rows of plies remain after all games of a shard.
pub(crate) fn check_exhausted<T>(plies: &mut RecordReader<PlyRow<T>>) -> Result<()> {
    let expected = plies.row;
    match plies.by_ref().try_fold(0, |left, ply| ply.map(|_| left + 1))? {
        0 => Ok(()),
        left => {
            Err(Error::RowCount { path: plies.path().into(), expected, found: expected + left })
        }
    }
}
