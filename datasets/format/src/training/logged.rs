//! A shard's games, with the columns needed to replay them.

use crate::error::{Error, Result};
use crate::format::{Table, read_games};
use crate::read::{
    Dataset, LoggedPly, RecordReader, check_exhausted, read_logged_plies, read_plies,
};

/// A logged game.
#[derive(Debug)]
pub(super) struct LoggedGame {
    pub(super) game_id: u64,
    pub(super) deal: String,
    pub(super) rewards: Vec<f32>,
    pub(super) plies: Vec<LoggedPly>,
    /// The index of its shard in the dataset's list.
    shard: usize,
    /// Its row of the `games` table.
    row: u64,
    /// The first of its rows of the `plies` table.
    first_ply: u64,
}

impl LoggedGame {
    /// The error for a value of the game's row, or of a ply's, that differs from the replay.
    pub(super) fn unexpected(
        &self,
        dataset: &Dataset,
        ply: Option<usize>,
        column: &'static str,
        expected: String,
        found: String,
    ) -> Error {
        let game = self.game_id;
        let (table, row, place) = match ply {
            None => (Table::Games, self.row, format!("game {game}")),
            Some(ply) => {
                (Table::Plies, self.first_ply + ply as u64, format!("game {game}, ply {ply}"))
            }
        };
        let path = dataset.dir().join(dataset.shards()[self.shard].file(table));
        Error::Value { path, column, row, expected: format!("{expected} ({place})"), found }
    }
}

/// Reads some games of a shard: `share` selects rows, given their number, and their order. Values and
/// policies are read with `targets`.
pub(super) fn read(
    dataset: &Dataset,
    shard: usize,
    targets: bool,
    share: impl FnOnce(u64) -> Vec<u64>,
) -> Result<Vec<LoggedGame>> {
    let games = dataset.open_table(Table::Games, shard)?;
    let plies = dataset.open_table(Table::Plies, shard)?;
    // A forged number of rows need not fit into memory.
    let found = games.rows();
    let mut places = Vec::new();
    let reserved = usize::try_from(found).is_ok_and(|rows| places.try_reserve_exact(rows).is_ok());
    if !reserved {
        let path = dataset.dir().join(dataset.shards()[shard].file(Table::Games));
        return Err(Error::RowCount { path, expected: dataset.num_games(), found });
    }
    let rows = share(found);
    places.resize(found as usize, None);
    for (place, &row) in rows.iter().enumerate() {
        places[row as usize] = Some(place);
    }
    let mut found: Vec<Option<LoggedGame>> = rows.iter().map(|_| None).collect();
    let columns = LoggedPly::columns(targets);
    let mut moves = RecordReader::of_columns(&plies, 0..plies.rows(), &columns, read_logged_plies);
    let mut first_ply = 0;
    for (row, game) in RecordReader::new(&games, 0..games.rows(), read_games).enumerate() {
        let game = game?;
        let plies = read_plies(&mut moves, &game)?;
        let count = plies.len() as u64;
        if let Some(place) = places[row] {
            found[place] = Some(LoggedGame {
                game_id: game.game_id,
                deal: game.deal,
                rewards: game.rewards,
                plies,
                shard,
                row: row as u64,
                first_ply,
            });
        }
        first_ply += count;
    }
    check_exhausted(&mut moves)?;
    Ok(found.into_iter().flatten().collect())
}
