//! What value nets are fitted to: the native part of `darkqi.train`.

use std::path::PathBuf;

use darkqi_format::Dataset;
use darkqi_play::learning::Sampling;
use numpy::{IntoPyArray, PyArray2};
use pyo3::prelude::*;

use crate::arguments;
use crate::error::IntoPyResult;
use crate::interrupt::pooled;
use crate::location::dataset_path;
use crate::records::record;

/// Takes positions from logged games, with the inputs of a value net.
///
/// Args:
///     path: The dataset's folder.
///     share: The probability that a position is taken, of those that can be.
///     seed: The seed of the choice of positions, as of `State`.
///     adjudicate: Whether a drawn game counts as what the linear evaluation says of its last position.
///     threads: Number of threads, at least 1; None for one per core.
///
/// Returns:
///     The `ValuePositions`: in games of two each position twice, as each seat sees it; in others once,
///     as one of the seats does.
///
/// Raises:
///     ValueError: A game breaks the rules, `share` is no probability, or `threads` is out of range.
///     OSError: There is no dataset, or it cannot be read.
///     KeyboardInterrupt: Ctrl-C.
#[pyfunction]
#[pyo3(signature = (path, *, share=1.0, seed=0, adjudicate=false, threads=None))]
pub(crate) fn value_positions(
    py: Python<'_>,
    #[pyo3(from_py_with = dataset_path)] path: PathBuf,
    share: f64,
    #[pyo3(from_py_with = arguments::seed)] seed: u64,
    adjudicate: bool,
    #[pyo3(from_py_with = arguments::threads)] threads: Option<usize>,
) -> PyResult<Bound<'_, PyAny>> {
    let sampling = Sampling { share, seed, adjudicate };
    let positions = pooled(py, threads, |stop| {
        let dataset = Dataset::open(&path).into_py_result()?;
        darkqi_play::learning::value_positions(&dataset, sampling, stop).into_py_result()
    })?;
    record!(py, "ValuePositions",
        "input_count": positions.input_count,
        "squares": positions.squares,
        "pieces": positions.pieces,
        "reflections": PyArray2::from_vec2(py, &positions.reflections)?,
        "inputs": positions.inputs.into_pyarray(py),
        "starts": positions.starts.into_pyarray(py),
        "teams": positions.teams,
        "logits": positions.logits.into_pyarray(py),
        "fading": positions.fading.into_pyarray(py),
        "values": positions.values.into_pyarray(py),
        "results": positions.results.into_pyarray(py),
    )
}
