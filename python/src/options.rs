//! What Python callers may write for numbers, viewers, formats and rule options.

use darkqi_env::{Autoreset, Format, Illegal, MaskFormat, Options, Value, Viewer};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString};

/// Rule options from keyword arguments.
pub(crate) fn options(given: Option<&Bound<'_, PyDict>>) -> PyResult<Options> {
    let mut options = Options::new();
    for (name, value) in given.into_iter().flatten() {
        let name: String = name.extract()?;
        let value = option_value(&name, &value)?;
        options.insert(name, value);
    }
    Ok(options)
}

fn option_value(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(on) = given.cast::<PyBool>() {
        return Ok(Value::Bool(on.is_true()));
    }
    if let Ok(text) = given.cast::<PyString>() {
        return Ok(Value::Text(text.extract()?));
    }
    match given.extract() {
        Ok(number) => Ok(Value::Int(number)),
        // Out of every option's range; as text it is named as it was written.
        Err(error) if error.is_instance_of::<PyOverflowError>(given.py()) => {
            Ok(Value::Text(given.str()?.extract()?))
        }
        Err(_) => {
            let found = given.get_type().name()?;
            Err(PyTypeError::new_err(format!(
                "option `{name}`: expected int, bool or str, got {found}"
            )))
        }
    }
}

/// An option's value as Python has it.
pub(crate) fn python_value<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Int(number) => number.into_bound_py_any(py),
        Value::Bool(on) => on.into_bound_py_any(py),
        Value::Text(text) => text.into_bound_py_any(py),
    }
}

/// A seat or `"public"`.
pub(crate) fn viewer(given: &Bound<'_, PyAny>, players: usize) -> PyResult<Viewer> {
    let seat = || given.extract().ok().filter(|&seat: &usize| seat < players);
    if given.extract().is_ok_and(|word: &str| word == "public") {
        return Ok(Viewer::Public);
    }
    // A bool counts as an integer in Python, but nobody means a seat by it.
    if !given.is_instance_of::<PyBool>()
        && let Some(seat) = seat()
    {
        return Ok(Viewer::Player(seat));
    }
    let (found, last) = (given.repr()?, players - 1);
    Err(PyValueError::new_err(format!(
        "viewer {found}: expected a seat from 0 to {last} or \"public\""
    )))
}

/// How observations are written.
pub(crate) fn format(argument: &str, name: &str) -> PyResult<Format> {
    match name {
        "planes" => Ok(Format::Planes),
        "tokens" => Ok(Format::Tokens),
        _ => Err(neither(argument, ["planes", "tokens"], name)),
    }
}

/// How masks are written.
pub(crate) fn mask_format(name: &str) -> PyResult<MaskFormat> {
    match name {
        "bool" => Ok(MaskFormat::Bool),
        "bits" => Ok(MaskFormat::Bits),
        _ => Err(neither("mask", ["bool", "bits"], name)),
    }
}

/// When lanes are dealt their next game.
pub(crate) fn autoreset(name: &str) -> PyResult<Autoreset> {
    match name {
        "same_step" => Ok(Autoreset::SameStep),
        "next_step" => Ok(Autoreset::NextStep),
        "disabled" => Ok(Autoreset::Disabled),
        _ => Err(PyValueError::new_err(format!(
            "autoreset: expected \"same_step\", \"next_step\" or \"disabled\", got {name:?}"
        ))),
    }
}

/// What becomes of actions that are not legal.
pub(crate) fn illegal(name: &str) -> PyResult<Illegal> {
    match name {
        "raise" => Ok(Illegal::Refuse),
        "forfeit" => Ok(Illegal::Forfeit),
        _ => Err(neither("illegal", ["raise", "forfeit"], name)),
    }
}

/// The exception for a word that is none of two.
pub(crate) fn neither(argument: &str, [one, other]: [&str; 2], found: &str) -> PyErr {
    PyValueError::new_err(format!("{argument}: expected \"{one}\" or \"{other}\", got {found:?}"))
}

/// A seat.
pub(crate) fn seat(given: &Bound<'_, PyAny>) -> PyResult<usize> {
    whole("seat", given, 0)
}

/// A seat or none.
pub(crate) fn optional_seat(given: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    if given.is_none() { Ok(None) } else { seat(given).map(Some) }
}

/// A seed.
pub(crate) fn seed(given: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole("seed", given, 0)
}

/// A seed or none.
pub(crate) fn optional_seed(given: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
    if given.is_none() { Ok(None) } else { seed(given).map(Some) }
}

/// A number of lanes.
pub(crate) fn lanes(given: &Bound<'_, PyAny>) -> PyResult<usize> {
    whole("num_envs", given, 1)
}

/// A number of groups of lanes.
pub(crate) fn groups(given: &Bound<'_, PyAny>) -> PyResult<usize> {
    whole("groups", given, 1)
}

/// A number of threads that step lanes or recompute rows, or none.
pub(crate) fn threads(given: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    if given.is_none() { Ok(None) } else { whole("num_threads", given, 1).map(Some) }
}

/// A number of threads that play games, or none.
pub(crate) fn playing_threads(given: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    if given.is_none() { Ok(None) } else { whole("threads", given, 1).map(Some) }
}

/// A number of games.
pub(crate) fn games(given: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole("games", given, 1)
}

/// A number of games in a shard, or none.
pub(crate) fn shard_games(given: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
    if given.is_none() { Ok(None) } else { whole("shard_games", given, 1).map(Some) }
}

/// The number of an epoch.
pub(crate) fn epoch(given: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole("epoch", given, 0)
}

/// Which of the workers that share a dataset.
pub(crate) fn worker(given: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole("worker", given, 0)
}

/// How many workers share a dataset.
pub(crate) fn num_workers(given: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole("num_workers", given, 1)
}

/// A number of rows that are mixed.
pub(crate) fn buffer_size(given: &Bound<'_, PyAny>) -> PyResult<usize> {
    whole("buffer_size", given, 1)
}

/// A number of plies to look ahead.
pub(crate) fn depth(given: &Bound<'_, PyAny>) -> PyResult<u32> {
    whole("depth", given, 0)
}

/// A whole number that is at least `least` and fits `T`.
fn whole<'py, T>(argument: &str, given: &Bound<'py, PyAny>, least: u8) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr> + PartialOrd + From<u8>,
{
    let expected = |found| {
        let bits = 8 * size_of::<T>();
        format!("{argument}: expected an integer from {least} that fits {bits} bits, got {found}")
    };
    // A bool counts as an integer in Python, but nobody means a number by it.
    if given.is_instance_of::<PyBool>() {
        return Err(PyTypeError::new_err(expected(given.get_type().name()?)));
    }
    match given.extract::<T>() {
        Ok(number) if number >= T::from(least) => Ok(number),
        Err(error) if !error.is_instance_of::<PyOverflowError>(given.py()) => {
            Err(PyTypeError::new_err(expected(given.get_type().name()?)))
        }
        _ => Err(PyValueError::new_err(expected(given.str()?))),
    }
}
