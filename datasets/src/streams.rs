//! Streams over the rows of one file, over all games, and over all games with their plies.

use std::iter::FusedIterator;
use std::ops::Range;
use std::path::Path;
use std::vec;

use crate::decode::{self, PlyRow};
use crate::error::{Error, Result};
use crate::reader::Dataset;
use crate::record::GameRecord;
use crate::schema::Table;
use crate::table_file::{Batch, Batches, TableFile};

/// Consecutive rows of one file as records.
pub(crate) struct Rows<T> {
    batches: Batches,
    decode: fn(&Batch) -> Result<Vec<T>>,
    decoded: vec::IntoIter<T>,
    /// The row that comes next.
    row: u64,
}

impl<T> Rows<T> {
    pub(crate) fn new(
        file: &TableFile,
        rows: Range<u64>,
        decode: fn(&Batch) -> Result<Vec<T>>,
    ) -> Result<Self> {
        Self::of_columns(file, rows, &file.table().record_columns(), decode)
    }

    /// The same where `decode` takes these columns alone.
    pub(crate) fn of_columns(
        file: &TableFile,
        rows: Range<u64>,
        columns: &[&str],
        decode: fn(&Batch) -> Result<Vec<T>>,
    ) -> Result<Self> {
        let row = rows.start;
        let batches = file.batches(rows, columns)?;
        Ok(Self { batches, decode, decoded: Vec::new().into_iter(), row })
    }

    fn path(&self) -> &Path {
        self.batches.path()
    }
}

impl<T> Iterator for Rows<T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(record) = self.decoded.next() {
                self.row += 1;
                return Some(Ok(record));
            }
            match self.batches.next()?.and_then(|batch| (self.decode)(&batch)) {
                Ok(decoded) => self.decoded = decoded.into_iter(),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// Takes the plies of a game, whose rows come next.
pub(crate) fn take_plies<T>(plies: &mut Rows<PlyRow<T>>, game: &GameRecord) -> Result<Vec<T>> {
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
            let expected = format!("{}, whose ply {expected} this is", game.game_id);
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

/// All games of a dataset without their plies; see [`Dataset::games`].
pub struct Games {
    dataset: Dataset,
    /// The shards not begun yet.
    shards: Range<usize>,
    rows: Option<Rows<GameRecord>>,
}

impl Games {
    pub(crate) fn new(dataset: Dataset, shards: Range<usize>) -> Self {
        Self { shards, dataset, rows: None }
    }

    fn advance(&mut self) -> Result<Option<GameRecord>> {
        loop {
            if let Some(game) = self.rows.as_mut().and_then(Iterator::next) {
                return game.map(Some);
            }
            let Some(shard) = self.shards.next() else {
                return Ok(None);
            };
            let file = self.dataset.open_table(Table::Games, shard)?;
            self.rows = Some(Rows::new(&file, 0..file.rows(), decode::games)?);
        }
    }
}

impl Iterator for Games {
    type Item = Result<GameRecord>;

    fn next(&mut self) -> Option<Self::Item> {
        let game = self.advance();
        if game.is_err() {
            self.shards = 0..0;
            self.rows = None;
        }
        game.transpose()
    }
}

impl FusedIterator for Games {}

/// All games of a dataset with their plies; see [`Dataset::replays`].
pub struct Replays {
    dataset: Dataset,
    /// The shards not begun yet.
    shards: Range<usize>,
    rows: Option<(Rows<GameRecord>, Rows<PlyRow>)>,
}

impl Replays {
    pub(crate) fn new(dataset: Dataset, shards: Range<usize>) -> Self {
        Self { shards, dataset, rows: None }
    }

    fn advance(&mut self) -> Result<Option<GameRecord>> {
        loop {
            if let Some((games, plies)) = &mut self.rows {
                if let Some(game) = games.next() {
                    let mut game = game?;
                    game.moves = take_plies(plies, &game)?;
                    return Ok(Some(game));
                }
                check_all_taken(plies)?;
            }
            let Some(shard) = self.shards.next() else {
                self.rows = None;
                return Ok(None);
            };
            let games = self.dataset.open_table(Table::Games, shard)?;
            let plies = self.dataset.open_table(Table::Plies, shard)?;
            self.rows = Some((
                Rows::new(&games, 0..games.rows(), decode::games)?,
                Rows::new(&plies, 0..plies.rows(), decode::plies)?,
            ));
        }
    }
}

impl Iterator for Replays {
    type Item = Result<GameRecord>;

    fn next(&mut self) -> Option<Self::Item> {
        let game = self.advance();
        if game.is_err() {
            self.shards = 0..0;
            self.rows = None;
        }
        game.transpose()
    }
}

impl FusedIterator for Replays {}

/// Checks that no plies are left once all games of a shard have taken theirs.
pub(crate) fn check_all_taken<T>(plies: &mut Rows<PlyRow<T>>) -> Result<()> {
    let expected = plies.row;
    match plies.by_ref().try_fold(0, |left, ply| ply.map(|_| left + 1))? {
        0 => Ok(()),
        left => {
            Err(Error::RowCount { path: plies.path().into(), expected, found: expected + left })
        }
    }
}
