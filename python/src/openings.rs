//! Openings as Python gives them.

use std::path::PathBuf;

use darkqi_play::openings::{check_openings, read_openings};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arguments;
use crate::error::IntoPyResult;

/// The argument `openings`: a file, or openings.
pub(crate) enum Lines {
    File(PathBuf),
    Given(Vec<String>),
}

/// Reads the argument `openings`.
///
/// # Errors
/// If it is neither None nor a path nor a sequence of texts.
pub(crate) fn openings(given: &Bound<'_, PyAny>) -> PyResult<Option<Lines>> {
    if given.is_none() {
        return Ok(None);
    }
    if let Ok(path) = given.extract() {
        return Ok(Some(Lines::File(path)));
    }
    arguments::texts("openings", given, "a path or a sequence of openings")
        .map(|lines| Some(Lines::Given(lines)))
}

/// Reads the argument `remove`.
///
/// # Errors
/// If it is neither None nor a sequence of texts.
pub(crate) fn remove(given: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    if given.is_none() {
        return Ok(Vec::new());
    }
    arguments::texts("remove", given, "a sequence of names of pieces")
}

/// The openings of the arguments `openings` and `fen`.
///
/// # Errors
/// If both are given, or the file cannot be used.
pub(crate) fn lines(openings: Option<Lines>, fen: Option<String>) -> PyResult<Vec<String>> {
    match (openings, fen) {
        (Some(_), Some(_)) => {
            Err(PyValueError::new_err("fen: expected None beside openings, found both"))
        }
        (Some(Lines::File(path)), None) => read_openings(&path).into_py_result(),
        (Some(Lines::Given(lines)), None) => {
            check_openings(&lines).into_py_result()?;
            Ok(lines)
        }
        (None, fen) => Ok(fen.into_iter().collect()),
    }
}
