//! The two tables: their names, their files, and how their columns are stored.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::basic::Encoding;

use super::cells::ELEMENT;
use super::columns;

/// The schema version that this crate writes. It increases when a column changes its name, type or
/// meaning, or a file its place.
pub const SCHEMA_VERSION: u32 = 2;

/// The two tables of a dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// One row per game.
    Games,
    /// One row per ply, in the order of the games and, within a game, of play.
    Plies,
}

impl Table {
    /// The table's name, which is that of its folder.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Games => "games",
            Self::Plies => "plies",
        }
    }

    /// The path of the table's file of a shard, from the dataset's folder: `games/00000.parquet`.
    #[must_use]
    pub fn file_name(self, shard: u32) -> String {
        format!("{}/{shard:05}.parquet", self.name())
    }

    /// The table's Arrow schema. Strings are plain `Utf8` even where Parquet stores a dictionary,
    /// so that every reader gets strings.
    #[must_use]
    pub fn schema(self) -> SchemaRef {
        let fields = self.columns().into_iter();
        Arc::new(Schema::new(
            fields
                .map(|column| Field::new(column.name, column.data_type, column.nullable))
                .collect::<Vec<_>>(),
        ))
    }

    /// The names of the columns that make a record: all except those that repeat the dataset's
    /// metadata.
    pub(crate) fn record_columns(self) -> Vec<&'static str> {
        let columns = self.columns().into_iter();
        columns.filter(|column| !column.is_repeated).map(|column| column.name).collect()
    }

    pub(crate) fn columns(self) -> Vec<Column> {
        match self {
            Self::Games => columns::games().into_iter().map(|typed| typed.column).collect(),
            Self::Plies => columns::plies().into_iter().map(|typed| typed.column).collect(),
        }
    }
}

/// One column of a table.
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) data_type: DataType,
    pub(crate) nullable: bool,
    pub(crate) storage: Storage,
    /// Whether it repeats what the metadata says.
    pub(crate) is_repeated: bool,
}

impl Column {
    pub(super) fn new(name: &'static str, data_type: DataType, storage: Storage) -> Self {
        Self { name, data_type, nullable: false, storage, is_repeated: false }
    }

    pub(super) fn nullable(mut self) -> Self {
        self.nullable = true;
        self
    }

    /// The paths of the column's values in the Parquet schema.
    pub(crate) fn parquet_paths(&self) -> Vec<Vec<String>> {
        let path = |parts: &[&str]| parts.iter().map(ToString::to_string).collect();
        match &self.data_type {
            DataType::List(element) => match element.data_type() {
                DataType::Struct(fields) => fields
                    .iter()
                    .map(|field| path(&[self.name, "list", ELEMENT, field.name()]))
                    .collect(),
                _ => vec![path(&[self.name, "list", ELEMENT])],
            },
            _ => vec![path(&[self.name])],
        }
    }
}

/// How a column's values are stored in Parquet, before compression.
#[derive(Clone, Copy)]
pub(crate) enum Storage {
    /// Few distinct values.
    Dictionary,
    /// Integers that are mostly constant or increase by one.
    Delta,
    /// Anything else.
    Plain,
}

impl Storage {
    pub(crate) fn encoding(self) -> Option<Encoding> {
        match self {
            Self::Dictionary => None,
            Self::Delta => Some(Encoding::DELTA_BINARY_PACKED),
            Self::Plain => Some(Encoding::PLAIN),
        }
    }
}
