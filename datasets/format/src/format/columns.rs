//! The columns of the two tables. An entry is all that a column is: its name, how it is stored, what
//! of a row it holds, and where a value that was read belongs.

use std::fmt::Display;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, UInt16Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, SchemaRef};
use darkqi_env::{is_probability, is_result};

use super::cells::{Bool, Cell, Floats, Letter, MoveText, PieceText, Policy, Text, Texts};
use super::metadata::Metadata;
use super::record::{FirstReveal, GameRecord, PlyRecord};
use super::schema::{Column, Storage};

/// A column of rows `S`, which are read as rows `R`.
pub(crate) struct TypedColumn<'c, S, R> {
    pub(crate) column: Column,
    write: Write<'c, S>,
    read: Read<'c, R>,
    check: fn(&R) -> Result<(), [String; 2]>,
}

/// Makes the array of rows.
type Write<'c, S> = Box<dyn Fn(&[S]) -> ArrayRef + 'c>;

/// Puts the values of an array into rows.
type Read<'c, R> = Box<dyn Fn(&ArrayRef, &mut [R]) -> Result<(), CellFault> + 'c>;

/// A value that a column cannot have.
#[derive(Debug)]
pub(crate) struct CellFault {
    pub(crate) column: &'static str,
    /// The row in the batch.
    pub(crate) row: usize,
    pub(crate) expected: String,
    pub(crate) found: String,
}

impl<'c, S: 'c, R: 'c> TypedColumn<'c, S, R> {
    fn new<K: Cell>(
        name: &'static str,
        storage: Storage,
        get: impl for<'r> Fn(&'r S) -> K::Ref<'r> + 'c,
        set: impl Fn(&mut R, K::Own) + 'c,
    ) -> Self {
        let column = Column::new(name, K::data_type(), storage);
        let set = move |row: &mut R, found: Option<K::Own>| set(row, found.expect("never null"));
        Self::of::<K>(column, move |row| Some(get(row)), set)
    }

    fn nullable<K: Cell>(
        name: &'static str,
        storage: Storage,
        get: impl for<'r> Fn(&'r S) -> Option<K::Ref<'r>> + 'c,
        set: impl Fn(&mut R, Option<K::Own>) + 'c,
    ) -> Self {
        Self::of::<K>(Column::new(name, K::data_type(), storage).nullable(), get, set)
    }

    fn of<K: Cell>(
        column: Column,
        get: impl for<'r> Fn(&'r S) -> Option<K::Ref<'r>> + 'c,
        set: impl Fn(&mut R, Option<K::Own>) + 'c,
    ) -> Self {
        let name = column.name;
        let write = Box::new(move |rows: &[S]| K::write(rows.iter().map(&get)));
        let read = Box::new(move |array: &ArrayRef, rows: &mut [R]| {
            let cells = array.as_any().downcast_ref::<K::Array>();
            let cells = cells.expect("opening a file has checked the types of its columns");
            for (row, to) in rows.iter_mut().enumerate() {
                let found = cells.is_valid(row).then(|| K::read(cells, row)).transpose();
                let found = found.map_err(|expected| {
                    let found = text_in(array, row);
                    CellFault { column: name, row, expected, found }
                })?;
                set(to, found);
            }
            Ok(())
        });
        Self { column, write, read, check: |_| Ok(()) }
    }

    /// The same, where values that were read are checked: what was expected, and what was found.
    fn checked(self, check: fn(&R) -> Result<(), [String; 2]>) -> Self {
        Self { check, ..self }
    }

    /// The same, for a column that repeats what the metadata says.
    fn repeated(mut self) -> Self {
        self.column.is_repeated = true;
        self
    }
}

/// The text in a row.
fn text_in(array: &ArrayRef, row: usize) -> String {
    array.as_string_opt::<i32>().map_or_else(String::new, |texts| format!("{:?}", texts.value(row)))
}

/// The batch of some rows, which is of this schema.
fn write<S, R>(
    schema: &SchemaRef,
    columns: &[TypedColumn<'_, S, R>],
    rows: &[S],
) -> Result<RecordBatch, ArrowError> {
    let arrays = columns.iter().map(|column| (column.write)(rows)).collect();
    RecordBatch::try_new(schema.clone(), arrays)
}

/// Reads all columns that make a record into new rows.
fn read<S, R: Default>(
    columns: &[TypedColumn<'_, S, R>],
    batch: &RecordBatch,
) -> Result<Vec<R>, CellFault> {
    let mut rows: Vec<R> = (0..batch.num_rows()).map(|_| R::default()).collect();
    for column in columns.iter().filter(|column| !column.column.is_repeated) {
        let name = column.column.name;
        let array = batch.column_by_name(name).expect("opening a file has checked its columns");
        (column.read)(array, &mut rows)?;
        for (row, read) in rows.iter().enumerate() {
            (column.check)(read).map_err(|[expected, found]| CellFault {
                column: name,
                row,
                expected,
                found,
            })?;
        }
    }
    Ok(rows)
}

/// A row of the `games` table.
pub(crate) struct GameRow<'a> {
    metadata: &'a Metadata,
    options: &'a str,
    game: &'a GameRecord,
}

/// A game that was read, before its first reveal is put together.
#[derive(Default)]
pub(crate) struct ReadGame {
    game: GameRecord,
    square: Option<String>,
    kind: Option<char>,
    color: Option<char>,
    player: Option<i8>,
}

impl GameRow<'_> {
    fn reveal(&self) -> Option<&FirstReveal> {
        self.game.first_reveal.as_ref()
    }
}

/// The columns of the `games` table.
#[rustfmt::skip]
pub(super) fn games<'a>() -> Vec<TypedColumn<'a, GameRow<'a>, ReadGame>> {
    use Storage::{Delta, Dictionary, Plain};
    type C<'a> = TypedColumn<'a, GameRow<'a>, ReadGame>;
    vec![
        C::new::<UInt64Type>("game_id", Delta, |row| row.game.game_id, |row, id| row.game.game_id = id),
        C::new::<UInt64Type>("seed", Delta, |row| row.game.seed, |row, seed| row.game.seed = seed),
        C::new::<Text>("game", Dictionary, |row| &row.metadata.game, |_, _| ()).repeated(),
        C::new::<Text>("options", Dictionary, |row| row.options, |_, _| ()).repeated(),
        C::new::<Text>("deal", Plain, |row| &row.game.deal, |row, deal| row.game.deal = deal),
        C::new::<Texts>("agents", Dictionary, |row| &row.game.agents, |row, agents| row.game.agents = agents),
        C::new::<UInt16Type>("plies", Dictionary, |row| row.game.plies, |row, plies| row.game.plies = plies),
        C::new::<Int8Type>("winner", Dictionary, |row| row.game.winner, |row, seat| row.game.winner = seat),
        C::new::<Floats>("rewards", Dictionary, |row| &row.game.rewards, |row, all| row.game.rewards = all.into()),
        C::new::<Bool>("terminated", Plain, |row| row.game.terminated, |row, yes| row.game.terminated = yes),
        C::new::<Text>("reason", Dictionary, |row| &row.game.reason, |row, name| row.game.reason = name.into()),
        C::new::<Int8Type>("first_player", Dictionary, |row| row.game.first_player,
            |row, seat| row.game.first_player = seat),
        C::nullable::<Text>("first_reveal_square", Dictionary, |row| Some(&row.reveal()?.square),
            |row, square| row.square = square),
        C::nullable::<Letter>("first_reveal_kind", Dictionary, |row| Some(row.reveal()?.kind),
            |row, kind| row.kind = kind),
        C::nullable::<Letter>("first_reveal_color", Dictionary, |row| Some(row.reveal()?.color),
            |row, color| row.color = color),
        C::nullable::<Int8Type>("first_reveal_player", Dictionary, |row| Some(row.reveal()?.player),
            |row, player| row.player = player),
        C::new::<UInt64Type>("pair_id", Delta, |row| row.game.pair_id, |row, id| row.game.pair_id = id),
    ]
}

/// A row of the `plies` table: the ply's game, its number and the other columns.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct PlyRow<T = PlyRecord> {
    pub(crate) game_id: u64,
    pub(crate) ply: u16,
    pub(crate) record: T,
}

/// The columns of the `plies` table.
#[rustfmt::skip]
pub(super) fn plies<'a>() -> Vec<TypedColumn<'a, PlyRow<&'a PlyRecord>, PlyRow>> {
    use Storage::{Delta, Dictionary, Plain};
    type C<'a> = TypedColumn<'a, PlyRow<&'a PlyRecord>, PlyRow>;
    vec![
        C::new::<UInt64Type>("game_id", Delta, |row| row.game_id, |row, id| row.game_id = id),
        C::new::<UInt16Type>("ply", Delta, |row| row.ply, |row, number| row.ply = number),
        C::new::<Int8Type>("player", Dictionary, |row| row.record.player, |row, seat| row.record.player = seat),
        C::new::<UInt16Type>("action", Dictionary, |row| row.record.action, |row, action| row.record.action = action),
        C::new::<MoveText>("move", Dictionary, |row| &row.record.mv, |row, name| row.record.mv = name),
        C::new::<UInt16Type>("legal_count", Dictionary, |row| row.record.legal_count,
            |row, count| row.record.legal_count = count),
        C::nullable::<PieceText>("revealed", Dictionary, |row| row.record.revealed.as_deref(),
            |row, piece| row.record.revealed = piece),
        C::nullable::<PieceText>("captured", Dictionary, |row| row.record.captured.as_deref(),
            |row, piece| row.record.captured = piece),
        C::new::<Bool>("captured_covered", Plain, |row| row.record.captured_covered,
            |row, yes| row.record.captured_covered = yes),
        C::nullable::<Floats>("value", Plain, |row| row.record.value.as_deref(),
            |row, value| row.record.value = value).checked(check_value),
        C::nullable::<Policy>("policy", Plain, |row| row.record.policy.as_deref(),
            |row, policy| row.record.policy = policy).checked(check_policy),
    ]
}

fn check_value(row: &PlyRow) -> Result<(), [String; 2]> {
    match &row.record.value {
        Some(value) if value.iter().any(|&number| !is_result(number)) => {
            Err([of_ply("finite numbers from -1 to 1", row), format!("{value:?}")])
        }
        _ => Ok(()),
    }
}

fn check_policy(row: &PlyRow) -> Result<(), [String; 2]> {
    let mut entries = row.record.policy.iter().flatten();
    entries.find(|entry| !is_probability(entry.probability)).map_or(Ok(()), |entry| {
        let found = format!("{} for action {}", entry.probability, entry.action);
        Err([of_ply("probabilities from 0 to 1", row), found])
    })
}

fn of_ply(expected: &str, row: &PlyRow) -> String {
    format!("{expected} (game {}, ply {})", row.game_id, row.ply)
}

/// The batch of some games.
///
/// # Errors
/// If Arrow refuses it.
pub(crate) fn batch_of_games(
    schema: &SchemaRef,
    metadata: &Metadata,
    games: &[GameRecord],
) -> Result<RecordBatch, ArrowError> {
    let options = &metadata.options_json();
    let rows: Vec<_> = games.iter().map(|game| GameRow { metadata, options, game }).collect();
    write(schema, &self::games(), &rows)
}

/// The batch of some plies.
///
/// # Errors
/// If Arrow refuses it.
pub(crate) fn batch_of_plies(
    schema: &SchemaRef,
    rows: &[PlyRow<&PlyRecord>],
) -> Result<RecordBatch, ArrowError> {
    write(schema, &plies(), rows)
}

/// The games of a batch that holds all columns of the `games` table that make a record; their `moves`
/// are empty.
///
/// # Errors
/// If a value is not one that its column can have.
pub(crate) fn games_of_batch(batch: &RecordBatch) -> Result<Vec<GameRecord>, CellFault> {
    let rows = read(&games(), batch)?;
    rows.into_iter().enumerate().map(|(row, read)| read.finish(row)).collect()
}

/// The plies of a batch that holds all columns of the `plies` table.
///
/// # Errors
/// If a value is not one that its column can have.
pub(crate) fn plies_of_batch(batch: &RecordBatch) -> Result<Vec<PlyRow>, CellFault> {
    read(&plies(), batch)
}

impl ReadGame {
    /// The game, which was read from this row.
    ///
    /// # Errors
    /// If only some of the columns of the first reveal have a value.
    fn finish(self, row: usize) -> Result<GameRecord, CellFault> {
        let Self { game, square, kind, color, player } = self;
        let first_reveal = match (square, kind, color, player) {
            (None, None, None, None) => None,
            (Some(square), Some(kind), Some(color), Some(player)) => {
                Some(FirstReveal { square, kind, color, player })
            }
            (square, kind, color, player) => {
                let found = format!(
                    "square {}, kind {}, color {}, player {}",
                    or_null(square),
                    or_null(kind),
                    or_null(color),
                    or_null(player)
                );
                let expected = "values in all of the columns first_reveal_* or in none".to_owned();
                return Err(CellFault { column: "first_reveal_square", row, expected, found });
            }
        };
        Ok(GameRecord { first_reveal, ..game })
    }
}

/// A value of a nullable column as text.
pub(crate) fn or_null(value: Option<impl Display>) -> String {
    value.map_or_else(|| "null".into(), |value| value.to_string())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::types::UInt16Type;
    use arrow_schema::{Field, Schema};

    use super::{Storage, TypedColumn, read, write};
    use crate::format::cells::Letter;

    #[test]
    fn a_column_is_one_entry() {
        type Row = (u16, Option<char>);
        let columns = [
            TypedColumn::<Row, Row>::new::<UInt16Type>(
                "count",
                Storage::Delta,
                |row| row.0,
                |row, count| row.0 = count,
            ),
            TypedColumn::<Row, Row>::nullable::<Letter>(
                "letter",
                Storage::Plain,
                |row| row.1,
                |row, letter| row.1 = letter,
            ),
        ];
        let field = |typed: &TypedColumn<'_, Row, Row>| {
            let column = &typed.column;
            Field::new(column.name, column.data_type.clone(), column.nullable)
        };
        let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
        let rows = [(1, Some('a')), (700, None)];
        let batch = write(&schema, &columns, &rows).expect("the columns are those of the schema");
        assert_eq!(batch.num_columns(), columns.len());
        assert_eq!(read(&columns, &batch).expect("all values are read"), rows);
    }
}
