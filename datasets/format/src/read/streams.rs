//! Streams over all games, with their plies or without.

use std::iter::FusedIterator;
use std::ops::Range;

use super::dataset::Dataset;
use super::record_reader::{RecordReader, check_exhausted, read_plies};
use crate::error::Result;
use crate::format::{GameRecord, PlyRow, Table, read_games, read_plies as read_ply_rows};

/// Games of a dataset, with their plies or without; see [`Dataset::games`] and [`Dataset::replays`].
pub struct Games {
    dataset: Dataset,
    /// The shards not started yet.
    shards: Range<usize>,
    has_plies: bool,
    /// The games left in the shard that is read, and their plies.
    rows: Option<(RecordReader<GameRecord>, Option<RecordReader<PlyRow>>)>,
}

impl Games {
    pub(super) fn new(dataset: Dataset, shards: Range<usize>, has_plies: bool) -> Self {
        Self { dataset, shards, has_plies, rows: None }
    }

    fn advance(&mut self) -> Result<Option<GameRecord>> {
        loop {
            if let Some((games, plies)) = &mut self.rows {
                if let Some(game) = games.next() {
                    let mut game = game?;
                    if let Some(plies) = plies {
                        game.moves = read_plies(plies, &game)?;
                    }
                    return Ok(Some(game));
                }
                plies.as_mut().map_or(Ok(()), check_exhausted)?;
            }
            self.rows = None;
            let Some(shard) = self.shards.next() else { return Ok(None) };
            let open = |table| self.dataset.open_table(table, shard);
            let games = open(Table::Games)?;
            let plies = self.has_plies.then(|| open(Table::Plies)).transpose()?;
            let plies =
                plies.map(|plies| RecordReader::new(&plies, 0..plies.rows(), read_ply_rows));
            self.rows = Some((RecordReader::new(&games, 0..games.rows(), read_games), plies));
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
