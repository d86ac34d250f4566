//! The columns of the two tables. An entry is all that a column is: its name, how it is stored, what
//! of a row it holds, and where a value that was read belongs.

use std::fmt::Display;
use std::io::Write as Sink;
use std::sync::Arc;

use darkqi_env::batch::{is_probability, is_result};
use parquet::basic::Repetition;
use parquet::errors::Result as ParquetResult;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};

use super::cells::{Cell, Floats, Letter, MoveText, PieceText, Policy, Text, Texts};
use super::metadata::Metadata;
use super::open_column::{OpenColumn, RowFault};
use super::record::{FirstReveal, GameRecord, PlyRecord};
use super::schema::{Column, Storage};

/// Values made for Parquet at a time, which limits the memory of the copy. Where a page ends depends on
/// it.
const BATCH_ROWS: usize = 8192;

/// A column of rows `S`, which are read as rows `R`.
pub(crate) struct TypedColumn<'c, S, R> {
    pub(crate) column: Column,
    leaves: usize,
    write: Write<'c, S>,
    read: Read<'c, R>,
    check: fn(&R) -> Result<(), [String; 2]>,
}

/// Writes what rows have in a leaf of the column.
type Write<'c, S> =
    Box<dyn Fn(&[S], usize, &mut SerializedColumnWriter<'_>) -> ParquetResult<()> + 'c>;

/// Puts the next values of a column into rows.
type Read<'c, R> = Box<dyn Fn(&mut OpenColumn, &mut [R]) -> Result<(), RowFault> + 'c>;

impl<'c, S: 'c, R: 'c> TypedColumn<'c, S, R> {
    fn new<K: Cell>(
        name: &'static str,
        storage: Storage,
        get: impl for<'r> Fn(&'r S) -> K::Ref<'r> + 'c,
        set: impl Fn(&mut R, K::Own) + 'c,
    ) -> Self {
        let set = move |row: &mut R, found: Option<K::Own>| set(row, found.expect("never null"));
        Self::of::<K>(name, Repetition::REQUIRED, storage, move |row| Some(get(row)), set)
    }

    fn nullable<K: Cell>(
        name: &'static str,
        storage: Storage,
        get: impl for<'r> Fn(&'r S) -> Option<K::Ref<'r>> + 'c,
        set: impl Fn(&mut R, Option<K::Own>) + 'c,
    ) -> Self {
        Self::of::<K>(name, Repetition::OPTIONAL, storage, get, set)
    }

    fn of<K: Cell>(
        name: &'static str,
        repetition: Repetition,
        storage: Storage,
        get: impl for<'r> Fn(&'r S) -> Option<K::Ref<'r>> + 'c,
        set: impl Fn(&mut R, Option<K::Own>) + 'c,
    ) -> Self {
        let field = Arc::new(K::field(name, repetition));
        let column = Column { name, field, storage, is_repeated: false };
        let nullable = column.is_nullable();
        let write = Box::new(move |rows: &[S], leaf, to: &mut SerializedColumnWriter<'_>| {
            K::write(rows.iter().map(&get), nullable, leaf, to)
        });
        let read = Box::new(move |from: &mut OpenColumn, rows: &mut [R]| K::read(from, rows, &set));
        Self { column, leaves: K::LEAVES, write, read, check: |_| Ok(()) }
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

/// Writes rows as a row group of a file with these columns.
fn write<S, R>(
    columns: &[TypedColumn<'_, S, R>],
    rows: &[S],
    file: &mut SerializedFileWriter<impl Sink + Send>,
) -> ParquetResult<()> {
    let mut group = file.next_row_group()?;
    for column in columns {
        for leaf in 0..column.leaves {
            let mut to = group.next_column()?.expect("a file has all columns of its table");
            rows.chunks(BATCH_ROWS).try_for_each(|rows| (column.write)(rows, leaf, &mut to))?;
            to.close()?;
        }
    }
    group.close().map(drop)
}

/// Reads the next rows of open columns. What their columns may hold is not checked.
fn read<S, R: Default>(
    columns: &[TypedColumn<'_, S, R>],
    open: &mut [OpenColumn],
    rows: usize,
) -> Result<Vec<R>, RowFault> {
    let mut read: Vec<R> = (0..rows).map(|_| R::default()).collect();
    for from in open {
        let column = columns.iter().find(|typed| typed.column.name == from.name);
        (column.expect("a column of the table").read)(from, &mut read)?;
    }
    Ok(read)
}

/// [`read`] with the checks of the columns.
fn read_checked<S, R: Default>(
    columns: &[TypedColumn<'_, S, R>],
    open: &mut [OpenColumn],
    rows: usize,
) -> Result<Vec<R>, RowFault> {
    let read = read(columns, open, rows)?;
    for TypedColumn { column, check, .. } in columns {
        for (row, read) in read.iter().enumerate() {
            check(read).map_err(|[expected, found]| RowFault::Value {
                column: column.name,
                row,
                expected,
                found,
            })?;
        }
    }
    Ok(read)
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
        C::new::<u64>("game_id", Delta, |row| row.game.game_id, |row, id| row.game.game_id = id),
        C::new::<u64>("seed", Delta, |row| row.game.seed, |row, seed| row.game.seed = seed),
        C::new::<Text>("game", Dictionary, |row| &row.metadata.game, |_, _| ()).repeated(),
        C::new::<Text>("options", Dictionary, |row| row.options, |_, _| ()).repeated(),
        C::new::<Text>("deal", Plain, |row| &row.game.deal, |row, deal| row.game.deal = deal),
        C::new::<Texts>("agents", Dictionary, |row| &row.game.agents, |row, agents| row.game.agents = agents),
        C::new::<u16>("plies", Dictionary, |row| row.game.plies, |row, plies| row.game.plies = plies),
        C::new::<i8>("winner", Dictionary, |row| row.game.winner, |row, seat| row.game.winner = seat),
        C::new::<Floats>("rewards", Dictionary, |row| &row.game.rewards, |row, all| row.game.rewards = all.into()),
        C::new::<bool>("terminated", Plain, |row| row.game.terminated, |row, yes| row.game.terminated = yes),
        C::new::<Text>("reason", Dictionary, |row| &row.game.reason, |row, name| row.game.reason = name.into()),
        C::new::<i8>("first_player", Dictionary, |row| row.game.first_player,
            |row, seat| row.game.first_player = seat),
        C::nullable::<Text>("first_reveal_square", Dictionary, |row| Some(&row.reveal()?.square),
            |row, square| row.square = square),
        C::nullable::<Letter>("first_reveal_kind", Dictionary, |row| Some(row.reveal()?.kind),
            |row, kind| row.kind = kind),
        C::nullable::<Letter>("first_reveal_color", Dictionary, |row| Some(row.reveal()?.color),
            |row, color| row.color = color),
        C::nullable::<i8>("first_reveal_player", Dictionary, |row| Some(row.reveal()?.player),
            |row, player| row.player = player),
        C::new::<u64>("deal_id", Delta, |row| row.game.deal_id, |row, id| row.game.deal_id = id),
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
        C::new::<u64>("game_id", Delta, |row| row.game_id, |row, id| row.game_id = id),
        C::new::<u16>("ply", Delta, |row| row.ply, |row, number| row.ply = number),
        C::new::<i8>("player", Dictionary, |row| row.record.player, |row, seat| row.record.player = seat),
        C::new::<u16>("action", Dictionary, |row| row.record.action, |row, action| row.record.action = action),
        C::new::<MoveText>("move", Dictionary, |row| &row.record.mv, |row, name| row.record.mv = name),
        C::new::<u16>("legal_count", Dictionary, |row| row.record.legal_count,
            |row, count| row.record.legal_count = count),
        C::nullable::<PieceText>("revealed", Dictionary, |row| row.record.revealed.as_deref(),
            |row, piece| row.record.revealed = piece),
        C::nullable::<PieceText>("captured", Dictionary, |row| row.record.captured.as_deref(),
            |row, piece| row.record.captured = piece),
        C::new::<bool>("captured_covered", Plain, |row| row.record.captured_covered,
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

/// Writes games as a row group of a file of the `games` table.
///
/// # Errors
/// If the file cannot be written.
pub(crate) fn write_games(
    metadata: &Metadata,
    games: &[GameRecord],
    file: &mut SerializedFileWriter<impl Sink + Send>,
) -> ParquetResult<()> {
    let options = &metadata.options_json();
    let rows: Vec<_> = games.iter().map(|game| GameRow { metadata, options, game }).collect();
    write(&self::games(), &rows, file)
}

/// Writes plies as a row group of a file of the `plies` table.
///
/// # Errors
/// If the file cannot be written.
pub(crate) fn write_plies(
    rows: &[PlyRow<&PlyRecord>],
    file: &mut SerializedFileWriter<impl Sink + Send>,
) -> ParquetResult<()> {
    write(&plies(), rows, file)
}

/// Reads games, as far as the open columns have them; their `moves` are empty.
///
/// # Errors
/// If the file is damaged, or a value is not one that its column can have.
pub(crate) fn read_games(
    open: &mut [OpenColumn],
    rows: usize,
) -> Result<Vec<GameRecord>, RowFault> {
    let rows = read_checked(&games(), open, rows)?;
    rows.into_iter().enumerate().map(|(row, read)| read.finish(row)).collect()
}

/// Reads plies, as far as the open columns have them.
///
/// # Errors
/// If the file is damaged, or a value is not one that its column can have.
pub(crate) fn read_plies(open: &mut [OpenColumn], rows: usize) -> Result<Vec<PlyRow>, RowFault> {
    read_checked(&plies(), open, rows)
}

/// [`read_plies`] where values and policies may hold anything.
///
/// # Errors
/// As [`read_plies`].
pub(crate) fn read_plies_unchecked(
    open: &mut [OpenColumn],
    rows: usize,
) -> Result<Vec<PlyRow>, RowFault> {
    read(&plies(), open, rows)
}

/// Checks open columns of texts, each of which has the same value in each row.
///
/// # Errors
/// If the file is damaged, or for the first row that differs.
pub(crate) fn check_repeated(
    open: &mut [OpenColumn],
    rows: usize,
    expected: &[(&'static str, String)],
) -> Result<(), RowFault> {
    for (column, (_, expected)) in open.iter_mut().zip(expected) {
        let mut texts = vec![String::new(); rows];
        Text::read(column, &mut texts, |text, found| *text = found.expect("never null"))?;
        if let Some(row) = texts.iter().position(|found| found != expected) {
            return Err(column.fault(row, [expected.clone(), texts.swap_remove(row)]));
        }
    }
    Ok(())
}

impl ReadGame {
    /// The game, which was read from this row.
    ///
    /// # Errors
    /// If only some of the columns of the first reveal have a value.
    fn finish(self, row: usize) -> Result<GameRecord, RowFault> {
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
                let column = "first_reveal_square";
                return Err(RowFault::Value { column, row, expected, found });
            }
        };
        Ok(GameRecord { first_reveal, ..game })
    }
}

/// A value of a nullable column as text.
fn or_null(value: Option<impl Display>) -> String {
    value.map_or_else(|| "null".into(), |value| value.to_string())
}
