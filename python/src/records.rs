//! Python values of results: the classes of `darkqi.results` and the named tuples of
//! `darkqi._records`.

use darkqi_env::{
    Options, Outcome, Value,
    game::Army,
    session::Reveal,
    spec::{OptionInfo, Symmetry},
};
use darkqi_format::{GameRecord, Metadata};
use numpy::PyArray1;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use pythonize::pythonize;
use serde::Serialize;

use crate::arrays::read_only;
use crate::ending::visiting;
use crate::numbers::wrong_type;

pub(crate) const MODULE: &str = "darkqi._records";

/// A named tuple of `darkqi._records` from its fields, by name.
macro_rules! record {
    ($py:expr, $class:literal, $($field:literal: $value:expr),+ $(,)?) => {{
        static CLASS: pyo3::sync::PyOnceLock<pyo3::Py<pyo3::types::PyType>> =
            pyo3::sync::PyOnceLock::new();
        let fields = pyo3::types::PyDict::new($py);
        $(fields.set_item($field, $value)?;)+
        let class = CLASS.import($py, $crate::records::MODULE, $class)?;
        $crate::ending::visiting(|| class.call((), Some(&fields)))
    }};
}
pub(crate) use record;

/// A result: the class of this name in `darkqi.results`, made of what serde says of a value.
pub(crate) fn result<'py>(
    py: Python<'py>,
    class: &str,
    value: &(impl Serialize + ?Sized),
) -> PyResult<Bound<'py, PyAny>> {
    let fields = pythonize(py, value)?;
    visiting(|| py.import("darkqi.results")?.getattr(class)?.call_method1("_of", (fields,)))
}

/// The Python value of an option.
pub(crate) fn python_value<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Int(number) => number.into_bound_py_any(py),
        Value::Bool(on) => on.into_bound_py_any(py),
        Value::Text(text) => text.into_bound_py_any(py),
    }
}

/// A `Reveal`: what an action can turn over and take.
pub(crate) fn reveal<'py>(py: Python<'py>, reveal: &Reveal) -> PyResult<Bound<'py, PyAny>> {
    let Reveal { revealed, captured, captured_covered, probability } = reveal;
    record!(py, "Reveal",
        "revealed": revealed.as_deref(),
        "captured": captured.as_deref(),
        "captured_covered": *captured_covered,
        "probability": *probability,
    )
}

/// Reads a `Reveal` that Python passes.
///
/// # Errors
/// `TypeError` if it is something else, or a field has another type.
pub(crate) fn read_reveal(given: &Bound<'_, PyAny>) -> PyResult<Reveal> {
    const FIELDS: usize = 4;
    let Some(fields) = given.cast::<PyTuple>().ok().filter(|fields| fields.len() == FIELDS) else {
        return Err(wrong_type(given, |found| format!("reveal: expected a Reveal, got {found}")));
    };
    Ok(Reveal {
        revealed: field(fields, 0, "revealed", "str or None")?,
        captured: field(fields, 1, "captured", "str or None")?,
        captured_covered: field(fields, 2, "captured_covered", "bool")?,
        probability: field(fields, 3, "probability", "float")?,
    })
}

/// A field of a `Reveal`.
fn field<'py, T>(
    fields: &Bound<'py, PyTuple>,
    place: usize,
    name: &str,
    expected: &str,
) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py>,
{
    let given = fields.get_item(place)?;
    let wrong = |found| format!("reveal: {name}: expected {expected}, got {found}");
    given.extract().map_err(|_| wrong_type(&given, wrong))
}

/// An `Outcome`: how a game ended.
pub(crate) fn outcome<'py>(py: Python<'py>, outcome: &Outcome) -> PyResult<Bound<'py, PyAny>> {
    let winners: Vec<_> = outcome.winners().collect();
    record!(py, "Outcome",
        "reason": outcome.reason.name(),
        "rewards": outcome.rewards().to_vec(),
        "winners": winners,
    )
}

/// An `OptionInfo`: one option of a game.
pub(crate) fn option_info<'py>(
    py: Python<'py>,
    option: &OptionInfo,
) -> PyResult<Bound<'py, PyAny>> {
    record!(py, "OptionInfo",
        "name": option.name,
        "type": option.type_name,
        "default": python_value(py, &option.default)?,
        "range": &option.range,
        "about": option.about,
        "value": python_value(py, &option.value)?,
        "design": option.design,
    )
}

/// An `Army`, with the names of its pieces of these kinds.
pub(crate) fn army<'py>(
    py: Python<'py>,
    army: &Army,
    kinds: &[char],
) -> PyResult<Bound<'py, PyAny>> {
    let names: Vec<String> = kinds.iter().map(|&kind| army.piece_name(kind)).collect();
    record!(py, "Army", "name": army.name, "letter": army.letter, "piece_names": names)
}

/// A `Symmetry` of a game, with its permutations as int64: PyTorch takes no smaller indices.
pub(crate) fn symmetry<'py>(py: Python<'py>, symmetry: &Symmetry) -> PyResult<Bound<'py, PyAny>> {
    let squares = symmetry.squares.iter().map(|square| square.index() as i64);
    let actions = symmetry.actions.iter().map(|action| action.index() as i64);
    record!(py, "Symmetry",
        "name": symmetry.name,
        "squares": read_only(PyArray1::from_iter(py, squares)),
        "actions": read_only(PyArray1::from_iter(py, actions)),
    )
}

/// A `Metadata`: what all games of a dataset have in common.
pub(crate) fn metadata<'py>(
    py: Python<'py>,
    metadata: &Metadata,
    options: &Options,
    schema_version: u32,
) -> PyResult<Bound<'py, PyAny>> {
    let Metadata { game, seed, agents, software_version, .. } = metadata;
    let by_name = PyDict::new(py);
    for (name, value) in options {
        by_name.set_item(name, python_value(py, value)?)?;
    }
    record!(py, "Metadata",
        "game": game,
        "options": by_name,
        "seed": *seed,
        "agents": agents,
        "software_version": software_version,
        "schema_version": schema_version,
    )
}

/// A `LoggedGame`: a game of a dataset.
pub(crate) fn logged_game<'py>(py: Python<'py>, game: &GameRecord) -> PyResult<Bound<'py, PyAny>> {
    let GameRecord { game_id, seed, deal, rewards, terminated, .. } = game;
    let actions: Vec<u16> = game.moves.iter().map(|ply| ply.action).collect();
    record!(py, "LoggedGame",
        "game_id": *game_id,
        "seed": *seed,
        "deal": deal,
        "actions": actions,
        "rewards": rewards,
        "terminated": *terminated,
    )
}
