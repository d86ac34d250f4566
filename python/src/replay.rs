//! Logged games played again: `darkqi.replay`.

use std::path::PathBuf;

use darkqi_format::Dataset;
use darkqi_play::replay::Difference;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arguments;
use crate::error::IntoPyResult;
use crate::interrupt::reading;
use crate::location::dataset_path;
use crate::records::result;

/// Reads a game of a dataset and plays it again, which checks the log against the rules.
///
/// Args:
///     path: The dataset's folder.
///     game_id: The number of the game.
///
/// Returns:
///     The `ReplayedGame`, with the names of `darkqi replay --json`.
///
/// Raises:
///     ValueError: The dataset has no such game, or the log differs from the rules; the message
///         names every difference.
///     TypeError: A value has the wrong type.
///     OSError: The dataset cannot be read.
#[pyfunction]
pub(crate) fn replay<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = dataset_path)] path: PathBuf,
    #[pyo3(from_py_with = arguments::game_id)] game_id: u64,
) -> PyResult<Bound<'py, PyAny>> {
    let game = reading(py, &path, || {
        let dataset = Dataset::open(&path).into_py_result()?;
        darkqi_play::replay::replay(&dataset, game_id, None).into_py_result()
    })?;
    if !game.differences.is_empty() {
        return Err(PyValueError::new_err(Difference::list(game_id, &game.differences)));
    }
    result(py, "ReplayedGame", &game.to_json(None))
}
