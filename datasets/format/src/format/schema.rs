//! The two tables: their names, their files, and how their columns are stored.

use std::sync::Arc;

use parquet::basic::{ConvertedType, Encoding, Repetition, Type as Physical};
use parquet::schema::types::{Type, TypePtr};

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

    /// The table's Parquet schema.
    #[must_use]
    pub fn schema(self) -> TypePtr {
        schema(self.columns().into_iter().map(|column| column.field).collect())
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

/// The Parquet schema of these fields.
pub(crate) fn schema(fields: Vec<TypePtr>) -> TypePtr {
    let schema = Type::group_type_builder("schema").with_fields(fields).build();
    Arc::new(schema.expect("a schema has any fields"))
}

/// One column of a table.
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) field: TypePtr,
    pub(crate) storage: Storage,
    /// Whether it repeats what the metadata says.
    pub(crate) is_repeated: bool,
}

impl Column {
    pub(crate) fn is_nullable(&self) -> bool {
        is_nullable(&self.field)
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

/// The type of a column in words. Columns of the same are read alike, whichever program wrote them.
pub(crate) fn describe(column: &Type) -> String {
    let nullability = if is_nullable(column) { "nullable" } else { "never null" };
    format!("{}, {nullability}", type_name(column))
}

fn is_nullable(field: &Type) -> bool {
    repetition(field) == Some(Repetition::OPTIONAL)
}

/// `None` for a whole schema.
fn repetition(field: &Type) -> Option<Repetition> {
    let info = field.get_basic_info();
    info.has_repetition().then(|| info.repetition())
}

/// The name of a type, which is Arrow's.
fn type_name(field: &Type) -> String {
    let is_list = field.get_basic_info().converted_type() == ConvertedType::LIST;
    match field {
        Type::GroupType { fields, .. } if is_list && fields.len() == 1 => match &*fields[0] {
            Type::GroupType { fields: elements, .. } if elements.len() == 1 => {
                list_of(&elements[0])
            }
            // A list of two levels.
            elements => type_name(elements),
        },
        // A list of one level.
        _ if repetition(field) == Some(Repetition::REPEATED) => {
            let name = type_of_value(field);
            format!("List(non-null {name}, field: '{}')", field.name())
        }
        _ => type_of_value(field),
    }
}

fn list_of(element: &Type) -> String {
    format!("List({}, field: '{}')", value_name(element), element.name())
}

fn value_name(field: &Type) -> String {
    let non_null = if is_nullable(field) { "" } else { "non-null " };
    format!("{non_null}{}", type_name(field))
}

/// The name of a type that is no list.
fn type_of_value(field: &Type) -> String {
    use ConvertedType as As;
    let converted = field.get_basic_info().converted_type();
    let physical = match field {
        Type::PrimitiveType { physical_type, .. } => *physical_type,
        Type::GroupType { fields, .. } => {
            let field = |field: &TypePtr| format!("{:?}: {}", field.name(), value_name(field));
            let fields: Vec<String> = fields.iter().map(field).collect();
            return format!("Struct({})", fields.join(", "));
        }
    };
    let name = match (physical, converted) {
        (Physical::BOOLEAN, As::NONE) => "Boolean",
        (Physical::INT32, As::INT_8) => "Int8",
        (Physical::INT32, As::INT_16) => "Int16",
        (Physical::INT32, As::INT_32 | As::NONE) => "Int32",
        (Physical::INT64, As::INT_64 | As::NONE) => "Int64",
        (Physical::INT32, As::UINT_8) => "UInt8",
        (Physical::INT32, As::UINT_16) => "UInt16",
        (Physical::INT32, As::UINT_32) => "UInt32",
        (Physical::INT64, As::UINT_64) => "UInt64",
        (Physical::FLOAT, As::NONE) => "Float32",
        (Physical::DOUBLE, As::NONE) => "Float64",
        (Physical::BYTE_ARRAY, As::UTF8 | As::JSON) => "Utf8",
        (Physical::BYTE_ARRAY, As::NONE) => "Binary",
        _ => return format!("{physical} as {converted}"),
    };
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use parquet::schema::parser::parse_message_type;

    use super::{Table, describe};

    #[test]
    fn descriptions_are_of_types_and_not_of_how_a_program_states_them() {
        let described = |field: &str| {
            let schema = parse_message_type(&format!("message schema {{ {field} }}"));
            describe(&schema.expect("a schema").get_fields()[0])
        };
        let policy = "optional group policy (LIST) { repeated group bag { required group element {
            required int32 action (UINT_16); required float probability; } } }";
        let policies = "List(non-null Struct(\"action\": non-null UInt16, \"probability\": non-null Float32), \
             field: 'element'), nullable";
        for (field, expected) in [
            ("required int32 plies (INTEGER(16,false));", "UInt16, never null"),
            ("optional int64 seed;", "Int64, nullable"),
            ("required binary deal (STRING);", "Utf8, never null"),
            (
                "repeated binary element (UTF8);",
                "List(non-null Utf8, field: 'element'), never null",
            ),
            (
                "optional group value (LIST) { repeated group list { optional float element; } }",
                "List(Float32, field: 'element'), nullable",
            ),
            (
                "required group rewards (LIST) { repeated float array; }",
                "List(non-null Float32, field: 'array'), never null",
            ),
            (policy, policies),
        ] {
            assert_eq!(described(field), expected);
        }
        let plies = Table::Plies.schema();
        assert_eq!(describe(plies.get_fields().last().expect("the policy")), policies);
    }
}
