//! Encodes records as Arrow batches, column by column in the order of the schema.

use std::sync::Arc;

use arrow_array::builder::{
    ArrayBuilder, Float32Builder, ListBuilder, StringBuilder, StructBuilder, UInt16Builder,
};
use arrow_array::{
    ArrayRef, BooleanArray, Int8Array, ListArray, RecordBatch, StringArray, UInt16Array,
    UInt64Array,
};
use arrow_schema::{ArrowError, DataType, FieldRef, SchemaRef};

use crate::format::{GameRecord, Metadata, PlyRecord, policy_fields};

/// Room for a move name.
const TEXT_BYTES: usize = 6;

/// A ply with the other values of its row.
pub(crate) struct NumberedPly<'a> {
    pub(crate) game_id: u64,
    pub(crate) ply: u16,
    pub(crate) record: &'a PlyRecord,
}

/// A batch of the `games` table.
pub(crate) fn games(
    schema: &SchemaRef,
    metadata: &Metadata,
    games: &[GameRecord],
) -> Result<RecordBatch, ArrowError> {
    let options = metadata.options_json();
    let reveals = || games.iter().map(|game| game.first_reveal.as_ref());
    let columns: Vec<ArrayRef> = vec![
        Arc::new(UInt64Array::from_iter_values(games.iter().map(|game| game.game_id))),
        Arc::new(UInt64Array::from_iter_values(games.iter().map(|game| game.seed))),
        Arc::new(StringArray::from_iter_values(games.iter().map(|_| &metadata.game))),
        Arc::new(StringArray::from_iter_values(games.iter().map(|_| &options))),
        Arc::new(StringArray::from_iter_values(games.iter().map(|game| &game.deal))),
        agents(element(schema, "agents")?, games),
        Arc::new(UInt16Array::from_iter_values(games.iter().map(|game| game.plies))),
        Arc::new(Int8Array::from_iter_values(games.iter().map(|game| game.winner))),
        rewards(element(schema, "rewards")?, games),
        Arc::new(BooleanArray::from_iter(games.iter().map(|game| Some(game.terminated)))),
        Arc::new(StringArray::from_iter_values(games.iter().map(|game| &game.reason))),
        Arc::new(Int8Array::from_iter_values(games.iter().map(|game| game.first_player))),
        texts(reveals().map(|reveal| reveal.map(|r| &r.square))),
        texts(reveals().map(|reveal| reveal.map(|r| r.kind.to_string()))),
        texts(reveals().map(|reveal| reveal.map(|r| r.color.to_string()))),
        Arc::new(Int8Array::from_iter(reveals().map(|reveal| reveal.map(|r| r.player)))),
        Arc::new(UInt64Array::from_iter_values(games.iter().map(|game| game.pair_id))),
    ];
    RecordBatch::try_new(schema.clone(), columns)
}

/// A batch of the `plies` table.
pub(crate) fn plies(
    schema: &SchemaRef,
    rows: &[NumberedPly<'_>],
) -> Result<RecordBatch, ArrowError> {
    let plies = || rows.iter().map(|row| row.record);
    let columns: Vec<ArrayRef> = vec![
        Arc::new(UInt64Array::from_iter_values(rows.iter().map(|row| row.game_id))),
        Arc::new(UInt16Array::from_iter_values(rows.iter().map(|row| row.ply))),
        Arc::new(Int8Array::from_iter_values(plies().map(|ply| ply.player))),
        Arc::new(UInt16Array::from_iter_values(plies().map(|ply| ply.action))),
        texts(plies().map(|ply| Some(&ply.mv))),
        Arc::new(UInt16Array::from_iter_values(plies().map(|ply| ply.legal_count))),
        texts(plies().map(|ply| ply.revealed)),
        texts(plies().map(|ply| ply.captured)),
        Arc::new(BooleanArray::from(plies().map(|ply| ply.captured_covered).collect::<Vec<_>>())),
        values(element(schema, "value")?, plies()),
        policies(element(schema, "policy")?, plies()),
    ];
    RecordBatch::try_new(schema.clone(), columns)
}

fn agents(element: FieldRef, games: &[GameRecord]) -> ArrayRef {
    let mut lists = ListBuilder::new(StringBuilder::new()).with_field(element);
    for game in games {
        lists.append_value(game.agents.iter().map(Some));
    }
    Arc::new(lists.finish())
}

fn rewards(element: FieldRef, games: &[GameRecord]) -> ArrayRef {
    let mut lists = ListBuilder::new(Float32Builder::new()).with_field(element);
    for game in games {
        lists.append_value(game.rewards.iter().copied().map(Some));
    }
    Arc::new(lists.finish())
}

fn values<'a>(
    element: FieldRef,
    plies: impl ExactSizeIterator<Item = &'a PlyRecord> + Clone,
) -> ArrayRef {
    if plies.clone().all(|ply| ply.value.is_none()) {
        return Arc::new(ListArray::new_null(element, plies.len()));
    }
    let mut lists = ListBuilder::new(Float32Builder::new()).with_field(element);
    for ply in plies {
        lists.append_option(ply.value.as_ref().map(|seats| seats.iter().copied().map(Some)));
    }
    Arc::new(lists.finish())
}

fn policies<'a>(
    element: FieldRef,
    plies: impl ExactSizeIterator<Item = &'a PlyRecord> + Clone,
) -> ArrayRef {
    if plies.clone().all(|ply| ply.policy.is_none()) {
        return Arc::new(ListArray::new_null(element, plies.len()));
    }
    let columns: [Box<dyn ArrayBuilder>; 2] =
        [Box::new(UInt16Builder::new()), Box::new(Float32Builder::new())];
    let entries = StructBuilder::new(policy_fields(), columns.into());
    let mut lists = ListBuilder::new(entries).with_field(element);
    for ply in plies {
        for entry in ply.policy.iter().flatten() {
            let entries = lists.values();
            let actions = entries.field_builder::<UInt16Builder>(0);
            actions.expect("the first field").append_value(entry.action);
            let probabilities = entries.field_builder::<Float32Builder>(1);
            probabilities.expect("the second field").append_value(entry.probability);
            entries.append(true);
        }
        lists.append(ply.policy.is_some());
    }
    Arc::new(lists.finish())
}

fn texts(values: impl ExactSizeIterator<Item = Option<impl AsRef<str>>>) -> ArrayRef {
    // Collecting from an iterator takes twice the time.
    let mut texts = StringBuilder::with_capacity(values.len(), values.len() * TEXT_BYTES);
    values.for_each(|value| texts.append_option(value));
    Arc::new(texts.finish())
}

/// The field of a list column's values. The schema names it; a builder would use another name.
fn element(schema: &SchemaRef, column: &str) -> Result<FieldRef, ArrowError> {
    match schema.field_with_name(column)?.data_type() {
        DataType::List(element) => Ok(element.clone()),
        other => Err(ArrowError::SchemaError(format!("column `{column}` is {other}, not a list"))),
    }
}
