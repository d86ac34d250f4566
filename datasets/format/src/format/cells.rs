//! Values of columns: what they are in Arrow, and how they are written and read.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Float32Builder, ListBuilder, PrimitiveBuilder, StringBuilder,
    StructBuilder, UInt16Builder,
};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, UInt16Type};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BooleanArray, ListArray, PrimitiveArray, StringArray,
};
use arrow_schema::{DataType, Field, FieldRef, Fields};

use super::record::{MOVE_NAME_BYTES, MoveName, PIECE_NAME_BYTES, PieceName, PolicyEntry};

/// Room for a short text, such as a move name.
const TEXT_BYTES: usize = 6;

/// The type of a column's values.
pub(crate) trait Cell {
    /// The Arrow array of such values.
    type Array: Array + 'static;
    /// A value to be written.
    type Ref<'a>;
    /// A value that was read.
    type Own;

    fn data_type() -> DataType;

    /// The array of these values, `None` for null.
    fn write<'a>(cells: impl ExactSizeIterator<Item = Option<Self::Ref<'a>>>) -> ArrayRef;

    /// The value in a row, which is not null.
    ///
    /// # Errors
    /// The value expected.
    fn read(array: &Self::Array, row: usize) -> Result<Self::Own, String>;
}

/// Numbers.
impl<T: ArrowPrimitiveType> Cell for T {
    type Array = PrimitiveArray<T>;
    type Ref<'a> = T::Native;
    type Own = T::Native;

    fn data_type() -> DataType {
        T::DATA_TYPE
    }

    fn write<'a>(cells: impl ExactSizeIterator<Item = Option<Self::Ref<'a>>>) -> ArrayRef {
        let mut numbers = PrimitiveBuilder::<T>::with_capacity(cells.len());
        cells.for_each(|number| numbers.append_option(number));
        Arc::new(numbers.finish())
    }

    fn read(array: &PrimitiveArray<T>, row: usize) -> Result<T::Native, String> {
        Ok(array.value(row))
    }
}

/// Yes or no.
pub(crate) struct Bool;

impl Cell for Bool {
    type Array = BooleanArray;
    type Ref<'a> = bool;
    type Own = bool;

    fn data_type() -> DataType {
        DataType::Boolean
    }

    fn write<'a>(cells: impl ExactSizeIterator<Item = Option<Self::Ref<'a>>>) -> ArrayRef {
        let mut bools = BooleanBuilder::with_capacity(cells.len());
        cells.for_each(|cell| bools.append_option(cell));
        Arc::new(bools.finish())
    }

    fn read(array: &BooleanArray, row: usize) -> Result<bool, String> {
        Ok(array.value(row))
    }
}

/// A column of texts that are read as values of another type.
macro_rules! text_cell {
    ($(#[$doc:meta])* $cell:ident: $own:ty, |$text:ident| $read:expr) => {
        $(#[$doc])*
        pub(crate) struct $cell;

        impl Cell for $cell {
            type Array = StringArray;
            type Ref<'a> = &'a str;
            type Own = $own;

            fn data_type() -> DataType {
                DataType::Utf8
            }

            fn write<'a>(cells: impl ExactSizeIterator<Item = Option<&'a str>>) -> ArrayRef {
                // Collecting from an iterator takes twice the time.
                let count = cells.len();
                let mut texts = StringBuilder::with_capacity(count, count * TEXT_BYTES);
                cells.for_each(|text| texts.append_option(text));
                Arc::new(texts.finish())
            }

            fn read(array: &StringArray, row: usize) -> Result<$own, String> {
                let $text = array.value(row);
                $read
            }
        }
    };
}

text_cell!(
    /// Any text.
    Text: String, |text| Ok(text.to_owned())
);
text_cell!(
    /// The name of a move.
    MoveText: MoveName, |text| MoveName::from(text)
        .map_err(|_| format!("a move name of at most {MOVE_NAME_BYTES} bytes"))
);
text_cell!(
    /// The name of a piece, if there is one.
    PieceText: PieceName, |text| PieceName::from(text).ok().filter(|name| !name.is_empty())
        .ok_or_else(|| format!("a name of 1 to {PIECE_NAME_BYTES} bytes or null"))
);
/// A letter, if there is one.
pub(crate) struct Letter;

impl Cell for Letter {
    type Array = StringArray;
    type Ref<'a> = char;
    type Own = char;

    fn data_type() -> DataType {
        DataType::Utf8
    }

    fn write<'a>(cells: impl ExactSizeIterator<Item = Option<Self::Ref<'a>>>) -> ArrayRef {
        let mut texts = StringBuilder::with_capacity(cells.len(), cells.len());
        cells.for_each(|letter| texts.append_option(letter.map(String::from)));
        Arc::new(texts.finish())
    }

    fn read(array: &StringArray, row: usize) -> Result<char, String> {
        let text = array.value(row);
        let letter = text.chars().next().filter(|one| one.len_utf8() == text.len());
        letter.ok_or_else(|| "one letter or null".to_owned())
    }
}

/// A list of texts.
pub(crate) struct Texts;

impl Cell for Texts {
    type Array = ListArray;
    type Ref<'a> = &'a [String];
    type Own = Vec<String>;

    fn data_type() -> DataType {
        DataType::List(element(DataType::Utf8))
    }

    fn write<'a>(cells: impl ExactSizeIterator<Item = Option<&'a [String]>>) -> ArrayRef {
        let element = element(DataType::Utf8);
        let mut lists = ListBuilder::new(StringBuilder::new()).with_field(element);
        cells.for_each(|texts| lists.append_option(texts.map(|texts| texts.iter().map(Some))));
        Arc::new(lists.finish())
    }

    fn read(array: &ListArray, row: usize) -> Result<Vec<String>, String> {
        let texts = array.values().as_string::<i32>();
        Ok(range(array, row).map(|place| texts.value(place).to_owned()).collect())
    }
}

/// A list of numbers, such as one of each seat.
pub(crate) struct Floats;

impl Cell for Floats {
    type Array = ListArray;
    type Ref<'a> = &'a [f32];
    type Own = Box<[f32]>;

    fn data_type() -> DataType {
        DataType::List(element(DataType::Float32))
    }

    fn write<'a>(cells: impl ExactSizeIterator<Item = Option<&'a [f32]>>) -> ArrayRef {
        let element = element(DataType::Float32);
        let mut lists = ListBuilder::new(Float32Builder::new()).with_field(element);
        for floats in cells {
            lists.values().append_slice(floats.unwrap_or_default());
            lists.append(floats.is_some());
        }
        Arc::new(lists.finish())
    }

    fn read(array: &ListArray, row: usize) -> Result<Box<[f32]>, String> {
        Ok(array.values().as_primitive::<Float32Type>().values()[range(array, row)].into())
    }
}

/// Probabilities of actions.
pub(crate) struct Policy;

impl Policy {
    /// The fields of an entry.
    fn fields() -> Fields {
        Fields::from(vec![
            Field::new("action", DataType::UInt16, false),
            Field::new("probability", DataType::Float32, false),
        ])
    }
}

impl Cell for Policy {
    type Array = ListArray;
    type Ref<'a> = &'a [PolicyEntry];
    type Own = Box<[PolicyEntry]>;

    fn data_type() -> DataType {
        DataType::List(element(DataType::Struct(Self::fields())))
    }

    fn write<'a>(cells: impl ExactSizeIterator<Item = Option<&'a [PolicyEntry]>>) -> ArrayRef {
        let columns: [Box<dyn ArrayBuilder>; 2] =
            [Box::new(UInt16Builder::new()), Box::new(Float32Builder::new())];
        let entries = StructBuilder::new(Self::fields(), columns.into());
        let element = element(DataType::Struct(Self::fields()));
        let mut lists = ListBuilder::new(entries).with_field(element);
        for policy in cells {
            for entry in policy.unwrap_or_default() {
                let entries = lists.values();
                let actions = entries.field_builder::<UInt16Builder>(0);
                actions.expect("the first field").append_value(entry.action);
                let probabilities = entries.field_builder::<Float32Builder>(1);
                probabilities.expect("the second field").append_value(entry.probability);
                entries.append(true);
            }
            lists.append(policy.is_some());
        }
        Arc::new(lists.finish())
    }

    fn read(array: &ListArray, row: usize) -> Result<Box<[PolicyEntry]>, String> {
        let (entries, range) = (array.values().as_struct(), range(array, row));
        let actions = &entries.column(0).as_primitive::<UInt16Type>().values()[range.clone()];
        let probabilities = &entries.column(1).as_primitive::<Float32Type>().values()[range];
        let pairs = actions.iter().zip(probabilities);
        Ok(pairs.map(|(&action, &probability)| PolicyEntry { action, probability }).collect())
    }
}

/// The Parquet specification's name for the values of a list; Arrow's default is `item`.
pub(super) const ELEMENT: &str = "element";

fn element(of: DataType) -> FieldRef {
    Arc::new(Field::new(ELEMENT, of, false))
}

/// Where the values of a list are among those of all lists.
fn range(lists: &ListArray, row: usize) -> Range<usize> {
    let offsets = lists.value_offsets();
    offsets[row] as usize..offsets[row + 1] as usize
}
