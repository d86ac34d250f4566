//! What datasets tell: `darkqi.first_reveal` and `darkqi.piece_values`.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use darkqi_datasets::Dataset;
use darkqi_datasets::analysis::{self, POSITIONS_PER_GAME};
use pyo3::prelude::*;
use serde::Serialize;

use crate::error::OrRaise;
use crate::interrupt::interruptible;

/// Measures what the first reveal is worth in a dataset of an agent against itself.
///
/// The figure is the expected score (win 1, draw 1/2) of the player who makes the first reveal, apart from the advantage
/// of the seat that moves first and by the piece that came up and where it lay. Errors are clustered by deal.
/// docs/analysis.md explains the figures.
///
/// Args:
///     path: The dataset's folder.
///     until: The half-width, above 0 and at most 0.5, of an interval that holds however often it is looked at, for
///         datasets that `darkqi.selfplay(until=...)` stopped by it.
///
/// Returns:
///     Plain values by name, as `darkqi first-reveal --json` prints them: "revealer" with "outcomes", "adjusted",
///     "kinds" and "squares" (None in a game in which nothing is covered), "first_mover", "decisive", "plies",
///     "endings", "cut_off", and "settled" if `until` is given. An interval is a dict of "value", "low" and "high"; what
///     is infinite or unknown is None.
///
/// Raises:
///     ValueError: The dataset is of several agents or holds no games, or `until` is out of range.
///     OSError: The dataset cannot be read.
///     KeyboardInterrupt: Ctrl-C.
#[pyfunction]
#[pyo3(signature = (path, *, until=None))]
pub(crate) fn first_reveal(
    py: Python<'_>,
    path: PathBuf,
    until: Option<f64>,
) -> PyResult<Bound<'_, PyAny>> {
    #[derive(Serialize)]
    struct Measured {
        #[serde(flatten)]
        first_reveal: analysis::FirstRevealValue,
        settled: Option<analysis::Settled>,
    }
    let stop = &AtomicBool::new(false);
    let measured = interruptible(py, stop, || {
        let dataset = open(&path)?;
        let settle = |half_width| analysis::settled_score(&dataset, half_width, stop);
        let settled = until.map(settle).transpose().or_raise()?;
        let first_reveal = analysis::first_reveal(&dataset, stop).or_raise()?;
        Ok(Measured { first_reveal, settled })
    })?;
    plain(py, &measured)
}

/// Fits piece values to the results of a dataset of an agent against itself.
///
/// A logistic regression of final results (draws 1/2) on differences of piece counts in quiet positions, clustered by
/// deal. docs/analysis.md explains the figures.
///
/// Args:
///     path: The dataset's folder.
///     positions: Positions drawn from a game, at most; at least 1.
///
/// Returns:
///     Plain values by name, as `darkqi values fit --json` prints them: "terms" (each with "name", "kind", "log_odds",
///     "value", "ordered_value", "left_out"), "unit" and "unit_value", "forms", "ordered", "held_out" and the dataset's
///     "game", "options", "agent". An interval is a dict of "value", "low" and "high"; what is infinite or unknown is
///     None.
///
/// Raises:
///     ValueError: The dataset is of several agents, or its games do not tell any value; `positions` is 0.
///     OSError: The dataset cannot be read.
///     KeyboardInterrupt: Ctrl-C.
#[pyfunction]
#[pyo3(signature = (path, *, positions=POSITIONS_PER_GAME))]
#[pyo3(text_signature = "(path, *, positions=8)")]
pub(crate) fn piece_values(
    py: Python<'_>,
    path: PathBuf,
    positions: usize,
) -> PyResult<Bound<'_, PyAny>> {
    let stop = &AtomicBool::new(false);
    let values = interruptible(py, stop, || {
        analysis::piece_values(&open(&path)?, positions, stop).or_raise()
    })?;
    plain(py, &values)
}

fn open(path: &Path) -> PyResult<Dataset> {
    Dataset::open(path).or_raise()
}

/// Dicts, lists, numbers and strings.
pub(crate) fn plain<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(value).expect("results are plain data");
    py.import("json")?.call_method1("loads", (text,))
}
