//! Decodes Arrow batches to records. Opening a file checks its schema; decoding checks the values.

use arrow_array::types::{Int8Type, UInt16Type, UInt64Type};
use arrow_array::{Array, ListArray, PrimitiveArray, StringArray};

use super::table_file::Batch;
use crate::error::Result;
use crate::format::{
    Cell, Floats, GameRecord, PlyRow, Policy, PolicyEntry, games_of_batch, or_null, plies_of_batch,
};

/// The columns that are needed to replay a ply and to verify it against the log.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct LoggedPly {
    pub(crate) action: u16,
    pub(crate) legal_count: u16,
    pub(crate) player: i8,
    /// `None` if there are none, or their columns are not read.
    pub(crate) targets: Option<Box<LoggedTargets>>,
}

/// The columns `value` and `policy`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct LoggedTargets {
    pub(crate) value: Option<Box<[f32]>>,
    pub(crate) policy: Option<Box<[PolicyEntry]>>,
}

impl LoggedPly {
    /// The names of these columns, with those of values and policies if `targets` are wanted.
    pub(crate) fn columns(targets: bool) -> Vec<&'static str> {
        let mut columns = vec!["game_id", "ply", "player", "action", "legal_count"];
        if targets {
            columns.extend(["value", "policy"]);
        }
        columns
    }
}

/// The games of a batch that holds all columns of the `games` table; their `moves` are empty.
pub(crate) fn games(batch: &Batch) -> Result<Vec<GameRecord>> {
    games_of_batch(&batch.rows).map_err(|fault| batch.fault(fault))
}

/// The plies of a batch that holds all columns of the `plies` table.
pub(crate) fn plies(batch: &Batch) -> Result<Vec<PlyRow>> {
    plies_of_batch(&batch.rows).map_err(|fault| batch.fault(fault))
}

/// The ids and numbers of plies of a batch that holds these two columns of the `games` table.
pub(crate) fn plies_per_game(batch: &Batch) -> impl Iterator<Item = (u64, u16)> {
    let game_id = array::<PrimitiveArray<UInt64Type>>(batch, "game_id").values().iter();
    let plies = array::<PrimitiveArray<UInt16Type>>(batch, "plies").values();
    game_id.zip(plies).map(|(&game_id, &plies)| (game_id, plies))
}

/// Checks columns of strings that have the same value in each row.
pub(crate) fn check_repeated(batch: &Batch, columns: &[(&'static str, String)]) -> Result<()> {
    for (name, expected) in columns {
        for (row, found) in array::<StringArray>(batch, name).iter().enumerate() {
            if found != Some(expected.as_str()) {
                return Err(batch.unexpected(name, row, expected.as_str(), or_null(found)));
            }
        }
    }
    Ok(())
}

/// The plies of a batch that holds [`LoggedPly::columns`]. Whoever replays them checks them.
pub(crate) fn logged_plies(batch: &Batch) -> Result<Vec<PlyRow<LoggedPly>>> {
    let game_id = array::<PrimitiveArray<UInt64Type>>(batch, "game_id").values();
    let ply = array::<PrimitiveArray<UInt16Type>>(batch, "ply").values();
    let player = array::<PrimitiveArray<Int8Type>>(batch, "player").values();
    let action = array::<PrimitiveArray<UInt16Type>>(batch, "action").values();
    let legal_count = array::<PrimitiveArray<UInt16Type>>(batch, "legal_count").values();
    let has_targets = batch.rows.column_by_name("value").is_some();
    let lists =
        has_targets.then(|| ["value", "policy"].map(|name| array::<ListArray>(batch, name)));
    let targets = |row: usize| {
        let [values, policies] = lists?;
        let (value, policy) = (cell::<Floats>(values, row), cell::<Policy>(policies, row));
        let is_given = value.is_some() || policy.is_some();
        is_given.then(|| Box::new(LoggedTargets { value, policy }))
    };
    let row = |row: usize| PlyRow {
        game_id: game_id[row],
        ply: ply[row],
        record: LoggedPly {
            action: action[row],
            legal_count: legal_count[row],
            player: player[row],
            targets: targets(row),
        },
    };
    Ok((0..batch.rows.num_rows()).map(row).collect())
}

/// The value in a row of a nullable column of lists, which may hold anything.
fn cell<K: Cell<Array = ListArray>>(lists: &ListArray, row: usize) -> Option<K::Own> {
    lists.is_valid(row).then(|| K::read(lists, row).ok()).flatten()
}

/// A column that is read.
fn array<'a, A: Array + 'static>(batch: &'a Batch, name: &str) -> &'a A {
    let column = batch.rows.column_by_name(name).and_then(|column| column.as_any().downcast_ref());
    column.expect("opening a file has checked its columns")
}
