//! Openings as Python gives them.

use std::path::PathBuf;

use darkqi_selfplay::read_openings;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::IntoPyResult;

/// The argument `openings`: a file, or openings.
#[derive(FromPyObject)]
pub(crate) enum Lines {
    File(PathBuf),
    Given(Vec<String>),
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
        (Some(Lines::Given(lines)), None) => Ok(lines),
        (None, fen) => Ok(fen.into_iter().collect()),
    }
}
