//! Streams over all games, and over all games with their plies.

use std::iter::FusedIterator;
use std::ops::Range;
use std::sync::Arc;

use super::record_reader::{RecordReader, check_exhausted, read_plies};
use super::shard_files::ShardFiles;
use crate::error::Result;
use crate::format::{GameRecord, PlyRow, Table, read_games, read_plies as read_ply_rows};

/// All games of a dataset without their plies; see [`Dataset::games`](super::Dataset::games).
pub struct Games {
    files: Arc<ShardFiles>,
    /// The shards not started yet.
    shards: Range<usize>,
    rows: Option<RecordReader<GameRecord>>,
}

impl Games {
    pub(super) fn new(files: Arc<ShardFiles>, shards: Range<usize>) -> Self {
        Self { files, shards, rows: None }
    }

    fn advance(&mut self) -> Result<Option<GameRecord>> {
        loop {
            if let Some(game) = self.rows.as_mut().and_then(Iterator::next) {
                return game.map(Some);
            }
            let Some(shard) = self.shards.next() else {
                return Ok(None);
            };
            let file = self.files.open_table(Table::Games, shard)?;
            self.rows = Some(RecordReader::new(&file, 0..file.rows(), read_games));
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

/// All games of a dataset with their plies; see [`Dataset::replays`](super::Dataset::replays).
pub struct Replays {
    files: Arc<ShardFiles>,
    /// The shards not started yet.
    shards: Range<usize>,
    rows: Option<(RecordReader<GameRecord>, RecordReader<PlyRow>)>,
}

impl Replays {
    pub(super) fn new(files: Arc<ShardFiles>, shards: Range<usize>) -> Self {
        Self { files, shards, rows: None }
    }

    fn advance(&mut self) -> Result<Option<GameRecord>> {
        loop {
            if let Some((games, plies)) = &mut self.rows {
                if let Some(game) = games.next() {
                    let mut game = game?;
                    game.moves = read_plies(plies, &game)?;
                    return Ok(Some(game));
                }
                check_exhausted(plies)?;
            }
            let Some(shard) = self.shards.next() else {
                self.rows = None;
                return Ok(None);
            };
            let games = self.files.open_table(Table::Games, shard)?;
            let plies = self.files.open_table(Table::Plies, shard)?;
            self.rows = Some((
                RecordReader::new(&games, 0..games.rows(), read_games),
                RecordReader::new(&plies, 0..plies.rows(), read_ply_rows),
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
