//! Decodes Arrow batches to records. Opening a file checks its schema; decoding checks the values.

use std::fmt::Display;
use std::ops::Range;

use arrow_array::types::{Float32Type, Int8Type, UInt16Type, UInt64Type};
use arrow_array::{
    Array, ArrowPrimitiveType, BooleanArray, ListArray, PrimitiveArray, StringArray, StructArray,
};
use darkqi_env::{is_probability, is_result};

use super::table_file::Batch;
use crate::error::{Error, Result};
use crate::format::{
    FirstReveal, GameRecord, MOVE_NAME_BYTES, MoveName, PIECE_NAME_BYTES, PieceName, PlyRecord,
    PolicyEntry,
};

/// A row of the `plies` table: the ply's id and the decoded columns.
pub(crate) struct PlyRow<T = PlyRecord> {
    pub(crate) game_id: u64,
    pub(crate) ply: u16,
    pub(crate) record: T,
}

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
    let game_id = numbers::<UInt64Type>(batch, "game_id")?;
    let seed = numbers::<UInt64Type>(batch, "seed")?;
    let deal = texts(batch, "deal")?;
    let agents = column::<ListArray>(batch, "agents", "a list of strings")?;
    let plies = numbers::<UInt16Type>(batch, "plies")?;
    let winner = numbers::<Int8Type>(batch, "winner")?;
    let rewards = column::<ListArray>(batch, "rewards", "a list of 32-bit floats")?;
    let terminated = booleans(batch, "terminated")?;
    let reason = texts(batch, "reason")?;
    let first_player = numbers::<Int8Type>(batch, "first_player")?;
    let pair_id = numbers::<UInt64Type>(batch, "pair_id")?;
    let reveals = FirstReveals::new(batch)?;

    (0..batch.rows.num_rows())
        .map(|row| {
            let agents = agents.value(row);
            let agents = agents
                .as_any()
                .downcast_ref::<StringArray>()
                .ok_or_else(|| batch.unexpected_column("agents", "a list of strings"))?;
            let rewards = rewards.value(row);
            let rewards = rewards
                .as_any()
                .downcast_ref::<PrimitiveArray<Float32Type>>()
                .ok_or_else(|| batch.unexpected_column("rewards", "a list of 32-bit floats"))?;
            Ok(GameRecord {
                game_id: game_id.value(row),
                seed: seed.value(row),
                deal: deal.value(row).into(),
                agents: agents.iter().flatten().map(String::from).collect(),
                plies: plies.value(row),
                winner: winner.value(row),
                rewards: rewards.values().to_vec(),
                terminated: terminated.value(row),
                reason: reason.value(row).to_owned().into(),
                first_player: first_player.value(row),
                first_reveal: reveals.get(row)?,
                pair_id: pair_id.value(row),
                moves: Vec::new(),
            })
        })
        .collect()
}

/// The ids and numbers of plies of a batch that holds these two columns of the `games` table.
pub(crate) fn plies_per_game(batch: &Batch) -> Result<impl Iterator<Item = (u64, u16)>> {
    let game_id = numbers::<UInt64Type>(batch, "game_id")?;
    let plies = numbers::<UInt16Type>(batch, "plies")?;
    let pairs = game_id.values().iter().zip(plies.values());
    Ok(pairs.map(|(&game_id, &plies)| (game_id, plies)))
}

/// Checks columns of strings that have the same value in each row.
pub(crate) fn check_repeated(batch: &Batch, columns: &[(&'static str, String)]) -> Result<()> {
    for (name, expected) in columns {
        for (row, found) in texts(batch, name)?.iter().enumerate() {
            if found != Some(expected.as_str()) {
                return Err(batch.unexpected(name, row, expected.as_str(), or_null(found)));
            }
        }
    }
    Ok(())
}

/// The plies of a batch that holds all columns of the `plies` table.
pub(crate) fn plies(batch: &Batch) -> Result<Vec<PlyRow>> {
    let game_id = numbers::<UInt64Type>(batch, "game_id")?;
    let ply = numbers::<UInt16Type>(batch, "ply")?;
    let player = numbers::<Int8Type>(batch, "player")?;
    let action = numbers::<UInt16Type>(batch, "action")?;
    let mv = texts(batch, "move")?;
    let legal_count = numbers::<UInt16Type>(batch, "legal_count")?;
    let revealed = PieceNames::new(batch, "revealed")?;
    let captured = PieceNames::new(batch, "captured")?;
    let captured_covered = booleans(batch, "captured_covered")?;
    let values = Values::new(batch)?;
    let policies = Policies::new(batch)?;
    let of_ply = |expected: &str, row: usize| {
        format!("{expected} (game {}, ply {})", game_id.value(row), ply.value(row))
    };

    (0..batch.rows.num_rows())
        .map(|row| {
            let name = mv.value(row);
            let record = PlyRecord {
                player: player.value(row),
                action: action.value(row),
                mv: MoveName::from(name).map_err(|_| {
                    let expected = format!("a move name of at most {MOVE_NAME_BYTES} bytes");
                    batch.unexpected("move", row, expected, format!("{name:?}"))
                })?,
                legal_count: legal_count.value(row),
                revealed: revealed.get(row)?,
                captured: captured.get(row)?,
                captured_covered: captured_covered.value(row),
                value: decided(values.as_ref().and_then(|values| values.get(row)), |value| {
                    let wrong = value.iter().any(|&number| !is_result(number));
                    let of_ply = of_ply("finite numbers from -1 to 1", row);
                    wrong.then(|| batch.unexpected("value", row, of_ply, format!("{value:?}")))
                })?,
                policy: decided(
                    policies.as_ref().and_then(|policies| policies.get(row)),
                    |policy| {
                        let wrong =
                            policy.iter().find(|entry| !is_probability(entry.probability))?;
                        let found = format!("{} for action {}", wrong.probability, wrong.action);
                        let of_ply = of_ply("probabilities from 0 to 1", row);
                        Some(batch.unexpected("policy", row, of_ply, found))
                    },
                )?,
            };
            Ok(PlyRow { game_id: game_id.value(row), ply: ply.value(row), record })
        })
        .collect()
}

/// A player's value and policy of a decision, if nothing is wrong with them.
fn decided<T: ?Sized>(
    found: Option<Box<T>>,
    fault: impl FnOnce(&T) -> Option<Error>,
) -> Result<Option<Box<T>>> {
    match found.as_deref().and_then(fault) {
        Some(error) => Err(error),
        None => Ok(found),
    }
}

/// The plies of a batch that holds [`LoggedPly::columns`]. Whoever replays them checks them.
pub(crate) fn logged_plies(batch: &Batch) -> Result<Vec<PlyRow<LoggedPly>>> {
    let game_id = numbers::<UInt64Type>(batch, "game_id")?.values();
    let ply = numbers::<UInt16Type>(batch, "ply")?.values();
    let player = numbers::<Int8Type>(batch, "player")?.values();
    let action = numbers::<UInt16Type>(batch, "action")?.values();
    let legal_count = numbers::<UInt16Type>(batch, "legal_count")?.values();
    let values = Values::new(batch)?;
    let policies = Policies::new(batch)?;
    let targets = |row: usize| {
        let value = values.as_ref().and_then(|values| values.get(row));
        let policy = policies.as_ref().and_then(|policies| policies.get(row));
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

/// The four columns that are null together in games without a reveal.
struct FirstReveals<'a> {
    batch: &'a Batch,
    square: &'a StringArray,
    kind: PieceNames<'a>,
    color: PieceNames<'a>,
    player: &'a PrimitiveArray<Int8Type>,
}

impl<'a> FirstReveals<'a> {
    fn new(batch: &'a Batch) -> Result<Self> {
        Ok(Self {
            batch,
            square: texts(batch, "first_reveal_square")?,
            kind: PieceNames::new(batch, "first_reveal_kind")?,
            color: PieceNames::new(batch, "first_reveal_color")?,
            player: numbers(batch, "first_reveal_player")?,
        })
    }

    fn get(&self, row: usize) -> Result<Option<FirstReveal>> {
        let square = value(self.square, row, |column| column.value(row));
        let player = value(self.player, row, |column| column.value(row));
        let kind = self.kind.letter(row)?;
        let color = self.color.letter(row)?;
        match (square, kind, color, player) {
            (None, None, None, None) => Ok(None),
            (Some(square), Some(kind), Some(color), Some(player)) => {
                Ok(Some(FirstReveal { square: square.into(), kind, color, player }))
            }
            _ => Err(self.batch.unexpected(
                "first_reveal_square",
                row,
                "values in all of the columns first_reveal_* or in none",
                format!(
                    "square {}, kind {}, color {}, player {}",
                    or_null(square),
                    or_null(kind),
                    or_null(color),
                    or_null(player)
                ),
            )),
        }
    }
}

/// The column `value`, if it is read.
struct Values<'a> {
    lists: &'a ListArray,
    seats: &'a PrimitiveArray<Float32Type>,
}

impl<'a> Values<'a> {
    fn new(batch: &'a Batch) -> Result<Option<Self>> {
        if batch.rows.column_by_name("value").is_none() {
            return Ok(None);
        }
        let wrong = || batch.unexpected_column("value", "a list of 32-bit floats");
        let lists = column::<ListArray>(batch, "value", "a list of 32-bit floats")?;
        let seats = lists.values().as_any().downcast_ref().ok_or_else(wrong)?;
        Ok(Some(Self { lists, seats }))
    }

    fn get(&self, row: usize) -> Option<Box<[f32]>> {
        value(self.lists, row, |lists| self.seats.values()[range(lists, row)].into())
    }
}

/// The column `policy`, if it is read.
struct Policies<'a> {
    lists: &'a ListArray,
    actions: &'a PrimitiveArray<UInt16Type>,
    probabilities: &'a PrimitiveArray<Float32Type>,
}

impl<'a> Policies<'a> {
    fn new(batch: &'a Batch) -> Result<Option<Self>> {
        const EXPECTED: &str = "a list of actions with probabilities";
        if batch.rows.column_by_name("policy").is_none() {
            return Ok(None);
        }
        let wrong = || batch.unexpected_column("policy", EXPECTED);
        let lists = column::<ListArray>(batch, "policy", EXPECTED)?;
        let entries: &StructArray = lists.values().as_any().downcast_ref().ok_or_else(wrong)?;
        let field = |name| entries.column_by_name(name).ok_or_else(wrong);
        let actions = field("action")?.as_any().downcast_ref().ok_or_else(wrong)?;
        let probabilities = field("probability")?.as_any().downcast_ref().ok_or_else(wrong)?;
        Ok(Some(Self { lists, actions, probabilities }))
    }

    fn get(&self, row: usize) -> Option<Box<[PolicyEntry]>> {
        value(self.lists, row, |lists| {
            let range = range(lists, row);
            let actions = self.actions.values()[range.clone()].iter();
            let pairs = actions.zip(&self.probabilities.values()[range]);
            pairs.map(|(&action, &probability)| PolicyEntry { action, probability }).collect()
        })
    }
}

/// Where the values of a list are among those of all lists.
fn range(lists: &ListArray, row: usize) -> Range<usize> {
    let offsets = lists.value_offsets();
    offsets[row] as usize..offsets[row + 1] as usize
}

/// A nullable column of piece names or of letters.
struct PieceNames<'a> {
    batch: &'a Batch,
    name: &'static str,
    column: &'a StringArray,
}

impl<'a> PieceNames<'a> {
    fn new(batch: &'a Batch, name: &'static str) -> Result<Self> {
        let column = texts(batch, name)?;
        Ok(Self { batch, name, column })
    }

    fn get(&self, row: usize) -> Result<Option<PieceName>> {
        let name = |text: &str| PieceName::from(text).ok().filter(|name| !name.is_empty());
        self.read(row, name, || format!("a name of 1 to {PIECE_NAME_BYTES} bytes or null"))
    }

    fn letter(&self, row: usize) -> Result<Option<char>> {
        let letter = |text: &str| text.chars().next().filter(|one| one.len_utf8() == text.len());
        self.read(row, letter, || "one letter or null".to_owned())
    }

    fn read<T>(
        &self,
        row: usize,
        parse: impl Fn(&str) -> Option<T>,
        expected: impl Fn() -> String,
    ) -> Result<Option<T>> {
        let Some(text) = value(self.column, row, |column| column.value(row)) else {
            return Ok(None);
        };
        let wrong = || self.batch.unexpected(self.name, row, expected(), format!("{text:?}"));
        parse(text).map(Some).ok_or_else(wrong)
    }
}

fn value<'a, A: Array, T>(column: &'a A, row: usize, get: impl Fn(&'a A) -> T) -> Option<T> {
    column.is_valid(row).then(|| get(column))
}

fn or_null(value: Option<impl Display>) -> String {
    value.map_or_else(|| "null".into(), |value| value.to_string())
}

fn numbers<'a, T: ArrowPrimitiveType>(
    batch: &'a Batch,
    name: &'static str,
) -> Result<&'a PrimitiveArray<T>> {
    column(batch, name, &T::DATA_TYPE.to_string())
}

fn texts<'a>(batch: &'a Batch, name: &'static str) -> Result<&'a StringArray> {
    column(batch, name, "Utf8")
}

fn booleans<'a>(batch: &'a Batch, name: &'static str) -> Result<&'a BooleanArray> {
    column(batch, name, "Boolean")
}

fn column<'a, A: Array + 'static>(
    batch: &'a Batch,
    name: &'static str,
    expected: &str,
) -> Result<&'a A> {
    let found = batch.rows.column_by_name(name);
    found
        .and_then(|found| found.as_any().downcast_ref())
        .ok_or_else(|| batch.unexpected_column(name, expected))
}
