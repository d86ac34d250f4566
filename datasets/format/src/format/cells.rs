//! Values of columns: what they are in Parquet, and how they are written and read.

use std::iter;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{LogicalType, Repetition};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, FloatType, Int32Type, Int64Type,
};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::writer::SerializedColumnWriter;
use parquet::schema::types::{Type, TypePtr};

use super::open_column::{OpenColumn, Physical, RowFault, Values};
use super::record::{MOVE_NAME_BYTES, MoveName, PIECE_NAME_BYTES, PieceName, PolicyEntry};

/// The type of a column's values.
pub(crate) trait Cell {
    /// A value to be written.
    type Ref<'a>;
    /// A value that was read.
    type Own;

    /// How many leaves of the schema a column has: sequences of values that Parquet stores.
    const LEAVES: usize = 1;

    /// A field of such values in a schema of Parquet.
    fn field(name: &str, repetition: Repetition) -> Type;

    /// Writes what these values have in a leaf, `None` for null.
    fn write<'a>(
        cells: impl Iterator<Item = Option<Self::Ref<'a>>>,
        nullable: bool,
        leaf: usize,
        to: &mut SerializedColumnWriter<'_>,
    ) -> ParquetResult<()>;

    /// Puts the next values of a column into rows, `None` for null.
    fn read<R>(
        column: &mut OpenColumn,
        rows: &mut [R],
        set: impl Fn(&mut R, Option<Self::Own>),
    ) -> Result<(), RowFault>;
}

/// The type of a leaf's values.
pub(crate) trait Leaf {
    type Parquet: Physical;
    type Ref<'a>;
    type Own;

    fn logical_type() -> Option<LogicalType>;

    fn store<'a>(values: impl Iterator<Item = Self::Ref<'a>>) -> Vec<Stored<Self>>;

    /// # Errors
    /// The value expected, and what was found.
    fn load(value: &Stored<Self>) -> Result<Self::Own, [String; 2]>;
}

/// A value as Parquet stores it.
type Stored<L> = <<L as Leaf>::Parquet as DataType>::T;

/// A column of the values of a leaf.
impl<L: Leaf> Cell for L {
    type Ref<'a> = L::Ref<'a>;
    type Own = L::Own;

    fn field(name: &str, repetition: Repetition) -> Type {
        Type::primitive_type_builder(name, L::Parquet::get_physical_type())
            .with_repetition(repetition)
            .with_logical_type(L::logical_type())
            .build()
            .expect("the physical type has this logical type")
    }

    fn write<'a>(
        cells: impl Iterator<Item = Option<Self::Ref<'a>>>,
        nullable: bool,
        _leaf: usize,
        to: &mut SerializedColumnWriter<'_>,
    ) -> ParquetResult<()> {
        let mut definition = Vec::new();
        let cells = cells.inspect(|cell| definition.push(i16::from(cell.is_some())));
        let values = L::store(cells.flatten());
        let definition = nullable.then_some(definition.as_slice());
        to.typed::<L::Parquet>().write_batch(&values, definition, None).map(drop)
    }

    fn read<R>(
        column: &mut OpenColumn,
        rows: &mut [R],
        set: impl Fn(&mut R, Option<L::Own>),
    ) -> Result<(), RowFault> {
        let Values { values, definition, .. } = column.read::<L::Parquet>(0, rows.len())?;
        let mut values = values.iter();
        for (row, to) in rows.iter_mut().enumerate() {
            let is_null = column.nullable && definition[row] == 0;
            let value = if is_null { None } else { values.next() };
            set(to, value.map(L::load).transpose().map_err(|fault| column.fault(row, fault))?);
        }
        Ok(())
    }
}

macro_rules! number_leaf {
    ($($number:ty as $stored:ty: $parquet:ty, $logical_type:expr, $load:expr);*) => {
        $(impl Leaf for $number {
            type Parquet = $parquet;
            type Ref<'a> = Self;
            type Own = Self;

            fn logical_type() -> Option<LogicalType> {
                $logical_type
            }

            fn store<'a>(values: impl Iterator<Item = Self::Ref<'a>>) -> Vec<$stored> {
                values.map(|value| value as $stored).collect()
            }

            fn load(&value: &$stored) -> Result<Self, [String; 2]> {
                $load(value)
            }
        })*
    };
}

number_leaf! {
    u64 as i64: Int64Type, Some(LogicalType::integer(64, false)), |value| Ok(value as Self);
    u16 as i32: Int32Type, Some(LogicalType::integer(16, false)), narrowed;
    i8 as i32: Int32Type, Some(LogicalType::integer(8, true)), narrowed;
    f32 as f32: FloatType, None, Ok;
    bool as bool: BoolType, None, Ok
}

/// A number that is stored in more bits than it has.
fn narrowed<T: TryFrom<i32>>(value: i32) -> Result<T, [String; 2]> {
    let expected = || format!("a number of {} bits", 8 * size_of::<T>());
    T::try_from(value).map_err(|_| [expected(), value.to_string()])
}

/// A leaf of texts that are read as values of another type.
macro_rules! text_leaf {
    ($(#[$doc:meta])* $leaf:ident: $ref:ty => $own:ty, |$text:ident| $load:expr) => {
        $(#[$doc])*
        pub(crate) struct $leaf;

        impl Leaf for $leaf {
            type Parquet = ByteArrayType;
            type Ref<'a> = $ref;
            type Own = $own;

            fn logical_type() -> Option<LogicalType> {
                Some(LogicalType::String)
            }

            fn store<'a>(texts: impl Iterator<Item = Self::Ref<'a>>) -> Vec<ByteArray> {
                store_texts(texts)
            }

            fn load(stored: &ByteArray) -> Result<$own, [String; 2]> {
                let $text = load_text(stored)?;
                $load.map_err(|expected| [expected, format!("{:?}", $text)])
            }
        }
    };
}

text_leaf!(
    /// Any text.
    Text: &'a str => String, |text| Ok::<_, String>(text.to_owned())
);
text_leaf!(
    /// The name of a move.
    MoveText: &'a str => MoveName, |text| MoveName::from(text)
        .map_err(|_| format!("a move name of at most {MOVE_NAME_BYTES} bytes"))
);
text_leaf!(
    /// The name of a piece, if there is one.
    PieceText: &'a str => PieceName, |text| PieceName::from(text).ok().filter(|name| !name.is_empty())
        .ok_or_else(|| format!("a name of 1 to {PIECE_NAME_BYTES} bytes or null"))
);
text_leaf!(
    /// A letter, if there is one.
    Letter: char => char, |text| text.chars().next().filter(|one| one.len_utf8() == text.len())
        .ok_or_else(|| "one letter or null".to_owned())
);

/// Texts in one buffer, which takes no allocation for each of them.
fn store_texts<T>(texts: impl Iterator<Item = T>) -> Vec<ByteArray>
where
    String: Extend<T>,
{
    let (mut all, mut ends) = (String::new(), Vec::new());
    for text in texts {
        all.extend([text]);
        ends.push(all.len());
    }
    let (bytes, mut start) = (Bytes::from(all), 0);
    let text = |end| ByteArray::from(bytes.slice(std::mem::replace(&mut start, end)..end));
    ends.into_iter().map(text).collect()
}

fn load_text(stored: &ByteArray) -> Result<&str, [String; 2]> {
    let fault = || ["a text in UTF-8".to_owned(), String::from_utf8_lossy(stored.data()).into()];
    str::from_utf8(stored.data()).map_err(|_| fault())
}

/// A list of texts.
pub(crate) struct Texts;

impl Cell for Texts {
    type Ref<'a> = &'a [String];
    type Own = Vec<String>;

    fn field(name: &str, repetition: Repetition) -> Type {
        list(name, repetition, Text::field(ELEMENT, Repetition::REQUIRED))
    }

    fn write<'a>(
        cells: impl Iterator<Item = Option<&'a [String]>>,
        nullable: bool,
        _leaf: usize,
        to: &mut SerializedColumnWriter<'_>,
    ) -> ParquetResult<()> {
        write_lists::<Text, _>(cells, |text| text, nullable, to)
    }

    fn read<R>(
        column: &mut OpenColumn,
        rows: &mut [R],
        set: impl Fn(&mut R, Option<Vec<String>>),
    ) -> Result<(), RowFault> {
        let (texts, lists) = read_lists::<Text>(column, 0, rows.len())?;
        for (row, (to, list)) in rows.iter_mut().zip(lists).enumerate() {
            let list = list.map(|range| texts[range].iter().map(Text::load).collect());
            set(to, list.transpose().map_err(|fault| column.fault(row, fault))?);
        }
        Ok(())
    }
}

/// A list of numbers, such as one of each seat.
pub(crate) struct Floats;

impl Cell for Floats {
    type Ref<'a> = &'a [f32];
    type Own = Box<[f32]>;

    fn field(name: &str, repetition: Repetition) -> Type {
        list(name, repetition, f32::field(ELEMENT, Repetition::REQUIRED))
    }

    fn write<'a>(
        cells: impl Iterator<Item = Option<&'a [f32]>>,
        nullable: bool,
        _leaf: usize,
        to: &mut SerializedColumnWriter<'_>,
    ) -> ParquetResult<()> {
        write_lists::<f32, _>(cells, |&number| number, nullable, to)
    }

    fn read<R>(
        column: &mut OpenColumn,
        rows: &mut [R],
        set: impl Fn(&mut R, Option<Box<[f32]>>),
    ) -> Result<(), RowFault> {
        let (floats, lists) = read_lists::<f32>(column, 0, rows.len())?;
        for (to, list) in rows.iter_mut().zip(lists) {
            set(to, list.map(|range| floats[range].into()));
        }
        Ok(())
    }
}

/// Probabilities of actions.
pub(crate) struct Policy;

impl Cell for Policy {
    type Ref<'a> = &'a [PolicyEntry];
    type Own = Box<[PolicyEntry]>;

    const LEAVES: usize = 2;

    fn field(name: &str, repetition: Repetition) -> Type {
        let fields = [
            u16::field("action", Repetition::REQUIRED),
            f32::field("probability", Repetition::REQUIRED),
        ];
        list(name, repetition, group(ELEMENT, Repetition::REQUIRED, fields, None))
    }

    fn write<'a>(
        cells: impl Iterator<Item = Option<&'a [PolicyEntry]>>,
        nullable: bool,
        leaf: usize,
        to: &mut SerializedColumnWriter<'_>,
    ) -> ParquetResult<()> {
        match leaf {
            0 => write_lists::<u16, _>(cells, |entry| entry.action, nullable, to),
            _ => write_lists::<f32, _>(cells, |entry| entry.probability, nullable, to),
        }
    }

    fn read<R>(
        column: &mut OpenColumn,
        rows: &mut [R],
        set: impl Fn(&mut R, Option<Box<[PolicyEntry]>>),
    ) -> Result<(), RowFault> {
        let (actions, lists) = read_lists::<u16>(column, 0, rows.len())?;
        let (probabilities, same) = read_lists::<f32>(column, 1, rows.len())?;
        if lists != same {
            let fault = "expected as many probabilities as actions in each list";
            return Err(ParquetError::General(fault.to_owned()).into());
        }
        for (row, (to, list)) in rows.iter_mut().zip(lists).enumerate() {
            let entries = list.map(|range| {
                let pairs = actions[range.clone()].iter().zip(&probabilities[range]);
                let entry = |(action, &probability)| {
                    u16::load(action).map(|action| PolicyEntry { action, probability })
                };
                pairs.map(entry).collect()
            });
            set(to, entries.transpose().map_err(|fault| column.fault(row, fault))?);
        }
        Ok(())
    }
}

/// The Parquet specification's name for the values of a list.
const ELEMENT: &str = "element";

fn group(
    name: &str,
    repetition: Repetition,
    fields: impl IntoIterator<Item = Type>,
    logical_type: Option<LogicalType>,
) -> Type {
    let fields: Vec<TypePtr> = fields.into_iter().map(Arc::new).collect();
    let group = Type::group_type_builder(name).with_repetition(repetition).with_fields(fields);
    group.with_logical_type(logical_type).build().expect("a group has any fields")
}

/// A field of lists: the Parquet specification gives them three levels.
fn list(name: &str, repetition: Repetition, element: Type) -> Type {
    let elements = group("list", Repetition::REPEATED, [element], None);
    group(name, repetition, [elements], Some(LogicalType::List))
}

/// Writes one value of each element of lists.
fn write_lists<'a, L: Leaf, E: 'a>(
    lists: impl Iterator<Item = Option<&'a [E]>>,
    value: impl Fn(&'a E) -> L::Ref<'a>,
    nullable: bool,
    to: &mut SerializedColumnWriter<'_>,
) -> ParquetResult<()> {
    let (mut definition, mut repetition) = (Vec::new(), Vec::new());
    let empty = i16::from(nullable);
    let lists = lists.inspect(|list| {
        // Of a list that is empty or null, there is a level without a value.
        definition.push(list.map_or(0, |list| empty + i16::from(!list.is_empty())));
        repetition.push(0);
        let more = list.map_or(0, |list| list.len().saturating_sub(1));
        definition.extend(iter::repeat_n(empty + 1, more));
        repetition.extend(iter::repeat_n(1, more));
    });
    let values = L::store(lists.flatten().flatten().map(value));
    let to = to.typed::<L::Parquet>();
    to.write_batch(&values, Some(&definition), Some(&repetition)).map(drop)
}

/// The values of the next lists in a leaf, and where each list is among them, `None` for null.
type Lists<T> = (Vec<T>, Vec<Option<Range<usize>>>);

fn read_lists<L: Leaf>(
    column: &mut OpenColumn,
    leaf: usize,
    rows: usize,
) -> ParquetResult<Lists<Stored<L>>> {
    let empty = i16::from(column.nullable);
    let Values { values, definition, repetition } = column.read::<L::Parquet>(leaf, rows)?;
    let (mut lists, mut end) = (Vec::with_capacity(rows), 0);
    for (definition, repetition) in definition.into_iter().zip(repetition) {
        if repetition == 0 {
            lists.push((definition >= empty).then_some(end..end));
        }
        if definition == empty + 1 {
            end += 1;
            if let Some(Some(list)) = lists.last_mut() {
                list.end = end;
            }
        }
    }
    if lists.len() == rows {
        return Ok((values, lists));
    }
    Err(ParquetError::General(format!("expected {rows} lists, found {}", lists.len())))
}
