//! The columns of the two tables: names, types and encodings.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef};
use parquet::basic::Encoding;

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
        let names = self.columns().into_iter().map(|column| column.name);
        names.filter(|name| !["game", "options"].contains(name)).collect()
    }

    pub(crate) fn columns(self) -> Vec<Column> {
        use DataType::{Boolean, Float32, Int8, UInt16, UInt64, Utf8};
        match self {
            Self::Games => vec![
                Column::new("game_id", UInt64, Storage::Delta),
                Column::new("seed", UInt64, Storage::Delta),
                Column::new("game", Utf8, Storage::Dictionary),
                Column::new("options", Utf8, Storage::Dictionary),
                Column::new("deal", Utf8, Storage::Plain),
                Column::new("agents", list(Utf8), Storage::Dictionary),
                Column::new("plies", UInt16, Storage::Dictionary),
                Column::new("winner", Int8, Storage::Dictionary),
                Column::new("rewards", list(Float32), Storage::Dictionary),
                Column::new("terminated", Boolean, Storage::Plain),
                Column::new("reason", Utf8, Storage::Dictionary),
                Column::new("first_player", Int8, Storage::Dictionary),
                Column::new("first_reveal_square", Utf8, Storage::Dictionary).nullable(),
                Column::new("first_reveal_kind", Utf8, Storage::Dictionary).nullable(),
                Column::new("first_reveal_color", Utf8, Storage::Dictionary).nullable(),
                Column::new("first_reveal_player", Int8, Storage::Dictionary).nullable(),
                Column::new("pair_id", UInt64, Storage::Delta),
            ],
            Self::Plies => vec![
                Column::new("game_id", UInt64, Storage::Delta),
                Column::new("ply", UInt16, Storage::Delta),
                Column::new("player", Int8, Storage::Dictionary),
                Column::new("action", UInt16, Storage::Dictionary),
                Column::new("move", Utf8, Storage::Dictionary),
                Column::new("legal_count", UInt16, Storage::Dictionary),
                Column::new("revealed", Utf8, Storage::Dictionary).nullable(),
                Column::new("captured", Utf8, Storage::Dictionary).nullable(),
                Column::new("captured_covered", Boolean, Storage::Plain),
                Column::new("value", list(Float32), Storage::Plain).nullable(),
                Column::new("policy", list(policy_entry()), Storage::Plain).nullable(),
            ],
        }
    }
}

/// One column of a table.
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) data_type: DataType,
    pub(crate) nullable: bool,
    pub(crate) storage: Storage,
}

impl Column {
    fn new(name: &'static str, data_type: DataType, storage: Storage) -> Self {
        Self { name, data_type, nullable: false, storage }
    }

    fn nullable(mut self) -> Self {
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

/// The fields of an entry of a policy.
pub(crate) fn policy_fields() -> Fields {
    Fields::from(vec![
        Field::new("action", DataType::UInt16, false),
        Field::new("probability", DataType::Float32, false),
    ])
}

fn policy_entry() -> DataType {
    DataType::Struct(policy_fields())
}

/// The Parquet specification's name for the values of a list; Arrow's default is `item`.
const ELEMENT: &str = "element";

fn list(of: DataType) -> DataType {
    DataType::List(Arc::new(Field::new(ELEMENT, of, false)))
}
