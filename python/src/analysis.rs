//! Estimates from datasets: `darkqi.first_reveal` and `darkqi.piece_values`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use darkqi_analysis as analysis;
use darkqi_analysis::Comparison;
use darkqi_analysis::piece_values::{POSITIONS_PER_GAME, PhaseBy, Quiet, Unit};
use darkqi_format::{Dataset, check_output, is_same_output};
use darkqi_play::balance;
use darkqi_play::luck::reveal_judge;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arguments;
use crate::error::IntoPyResult;
use crate::interrupt::pooled;
use crate::location::dataset_path;
use crate::records::result;

/// Estimates the value of the first reveal, from a dataset of an agent against itself.
///
/// The estimate is the expected score (win 1, draw 1/2, loss 0) of the player who makes the first
/// reveal, separated from the advantage of the seat that moves first, and by the piece revealed and
/// its square. Errors are clustered by deal. docs/statistics.md explains the figures.
///
/// Args:
///     path: The dataset's folder.
///     until: For datasets that `darkqi.selfplay(until=...)` stopped: the half-width, above 0 and
///         at most 0.5, of the 95 % intervals in `settled` and, for the luck-adjusted score,
///         `settled_adjusted`. Each stays valid when it is computed after every shard (an
///         always-valid confidence sequence).
///     aivat: Whether `adjusted` also uses a search's opinion of each reveal (AIVAT). That narrows
///         its interval, and takes up to two minutes of a processor for a thousand games.
///     threads: Number of threads, at least 1; None for one per core.
///
/// Returns:
///     The `FirstReveal`. `settled` and `settled_adjusted` are None without `until`.
///
/// Raises:
///     ValueError: The dataset has several agents or no games, or `until` or `threads` is out of
///         range.
///     OSError: The dataset cannot be read.
///     KeyboardInterrupt: Ctrl-C.
#[pyfunction]
#[pyo3(signature = (path, *, until=None, aivat=false, threads=None))]
pub(crate) fn first_reveal(
    py: Python<'_>,
    #[pyo3(from_py_with = dataset_path)] path: PathBuf,
    until: Option<f64>,
    aivat: bool,
    #[pyo3(from_py_with = arguments::threads)] threads: Option<usize>,
) -> PyResult<Bound<'_, PyAny>> {
    let estimates = pooled(py, threads, |stop| {
        let dataset = open(&path)?;
        let settle = |half_width| analysis::settled_scores(&dataset, half_width, stop);
        let settled = until.map(settle).transpose().into_py_result()?;
        let judge = aivat.then(|| reveal_judge(dataset.metadata())).transpose().into_py_result()?;
        let first_reveal = analysis::first_reveal_judged(&dataset, judge.as_deref(), stop);
        let first_reveal = first_reveal.into_py_result()?;
        Ok(first_reveal.with_settled(settled))
    })?;
    result(py, "FirstReveal", &estimates)
}

/// Compares every two datasets by the measurements of their games.
///
/// Datasets of one game and seed have common deals, whose luck cancels out. docs/statistics.md explains
/// the figures.
///
/// Args:
///     paths: The folders of the datasets, of an agent against itself each.
///     threads: Number of threads, at least 1; None for one per core.
///
/// Returns:
///     The `Comparison`. In the differences of each quantity, `first` and `second` are places in `paths`.
///
/// Raises:
///     ValueError: There are fewer than two datasets, they are of several games, one has several agents, or
///         `threads` is out of range.
///     OSError: A dataset cannot be read.
///     KeyboardInterrupt: Ctrl-C.
#[pyfunction]
#[pyo3(signature = (paths, *, threads=None))]
pub(crate) fn compare<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = compared_paths)] paths: Vec<PathBuf>,
    #[pyo3(from_py_with = arguments::threads)] threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let found = pooled(py, threads, |stop| {
        let datasets: Vec<Dataset> =
            paths.iter().map(|path| open(path)).collect::<PyResult<_>>()?;
        let games: BTreeSet<&str> = datasets.iter().map(|one| &*one.metadata().game).collect();
        if games.len() > 1 {
            let found = Vec::from_iter(games).join(" and ");
            let message = format!("paths: expected datasets of one game, got {found}");
            return Err(PyValueError::new_err(message));
        }
        let comparison = Comparison::new(&datasets, stop).into_py_result()?;
        comparison.all_differences().into_py_result()
    })?;
    result(py, "Comparison", &found)
}

/// The paths of datasets to compare.
fn compared_paths(given: &Bound<'_, PyAny>) -> PyResult<Vec<PathBuf>> {
    let paths = arguments::items("paths", given, "a sequence of paths", dataset_path)?;
    if paths.len() < 2 {
        let found = paths.len();
        let message = format!("paths: expected at least two datasets, got {found}");
        return Err(PyValueError::new_err(message));
    }
    Ok(paths)
}

/// Fits piece values to the results in a dataset of an agent against itself.
///
/// The model is a logistic regression of the final result (a draw counts 1/2) on differences of
/// piece counts in quiet positions. Errors are clustered by deal. docs/statistics.md explains the
/// figures.
///
/// Args:
///     path: The dataset's folder.
///     positions: The largest number of positions sampled from a game; at least 1.
///     output: A TOML file for the values, for the `values` option of agents; None writes none.
///     weights: A TOML file for the log odds per unit, for the `weights` option of agents.
///     unit: What values are measured in, without files to write: a kind and its value, as in "R=9", or
///         several for their mean, as in "C+H=3"; None for the unit of the game's own values.
///     quiet: The plies around a position that must not capture: "both", the one before it and the one
///         after, or "before", which does not select by the choice of the player to move.
///     threads: Number of threads, at least 1; None for one per core.
///
/// Returns:
///     The `PieceValues`. Where the figures would tell nothing, `withheld` says why, and all log odds and
///     values are None.
///
/// Raises:
///     ValueError: The dataset has several agents, its games do not determine any value, or
///         `positions` is 0, or `threads` is out of range. With a file to write: they do not determine
///         the value of the unit.
///     OSError: The dataset cannot be read, or a file cannot be written or belongs to a dataset.
///     KeyboardInterrupt: Ctrl-C.
#[pyfunction]
#[pyo3(signature = (
    path, *, positions=POSITIONS_PER_GAME, output=None, weights=None, unit=None, quiet="both",
    threads=None
))]
#[pyo3(
    text_signature = "(path, *, positions=8, output=None, weights=None, unit=None, quiet='both', \
                         threads=None)"
)]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn piece_values<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = dataset_path)] path: PathBuf,
    #[pyo3(from_py_with = arguments::positions)] positions: usize,
    output: Option<PathBuf>,
    weights: Option<PathBuf>,
    #[pyo3(from_py_with = arguments::unit)] unit: Option<Unit>,
    quiet: &str,
    #[pyo3(from_py_with = arguments::threads)] threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let quiet = arguments::one_of("quiet", Quiet::ALL.map(|one| (one.name(), one)), quiet)?;
    if unit.is_some() && (output.is_some() || weights.is_some()) {
        let message = "unit: expected None beside `output` or `weights`, which have a unit";
        return Err(PyValueError::new_err(message));
    }
    let values = pooled(py, threads, |stop| {
        check_files(output.as_deref(), weights.as_deref())?;
        let values =
            analysis::piece_values_in(&open(&path)?, positions, unit.as_ref(), quiet, stop);
        let values = values.into_py_result()?;
        balance::save(&values, output.as_deref(), weights.as_deref(), stop).into_py_result()?;
        Ok(values)
    })?;
    result(py, "PieceValues", &values)
}

/// Checks the files of fitted values before the work.
pub(crate) fn check_files(output: Option<&Path>, weights: Option<&Path>) -> PyResult<()> {
    if let (Some(output), Some(weights)) = (output, weights)
        && is_same_output(output, weights)
    {
        return Err(PyValueError::new_err("weights: expected another file than `output`"));
    }
    [output, weights].into_iter().flatten().try_for_each(|file| check_output(file).into_py_result())
}

/// Fits piece values early and late in the games of a dataset, and tests whether they change.
///
/// Both phases are fitted in one regression, as `darkqi.piece_values` fits one. docs/statistics.md
/// explains the figures.
///
/// Args:
///     path: The dataset's folder.
///     by: What divides a game, "covered" (pieces) or "pieces": a position is early while at least
///         half as many as in the deal are left on the board.
///     positions: The largest number of positions sampled from a game; at least 1.
///     unit: As in `darkqi.piece_values`, of each phase by itself.
///     threads: Number of threads, at least 1; None for one per core.
///
/// Returns:
///     The `PhasedValues`.
///
/// Raises:
///     ValueError: As `darkqi.piece_values`, there is no such `by`, or nothing is covered in the game.
///     OSError: The dataset cannot be read.
///     KeyboardInterrupt: Ctrl-C.
#[pyfunction]
#[pyo3(signature = (path, by="covered", *, positions=POSITIONS_PER_GAME, unit=None, threads=None))]
#[pyo3(text_signature = "(path, by='covered', *, positions=8, unit=None, threads=None)")]
pub(crate) fn piece_values_by_phase<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = dataset_path)] path: PathBuf,
    by: &str,
    #[pyo3(from_py_with = arguments::positions)] positions: usize,
    #[pyo3(from_py_with = arguments::unit)] unit: Option<Unit>,
    #[pyo3(from_py_with = arguments::threads)] threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let by = arguments::one_of("by", PhaseBy::ALL.map(|by| (by.name(), by)), by)?;
    let values = pooled(py, threads, |stop| {
        analysis::piece_values_by_phase(&open(&path)?, positions, by, unit.as_ref(), stop)
            .into_py_result()
    })?;
    result(py, "PhasedValues", &values)
}

/// Fits the value of each face-up kind in each region of the board, and tests whether it differs.
///
/// All regions are fitted in one regression, as `darkqi.piece_values` fits one. The game's regions are
/// `darkqi.spec(game).regions`, as the owner of a piece sees the board. docs/statistics.md explains the
/// figures.
///
/// Args:
///     path: The dataset's folder.
///     positions: The largest number of positions sampled from a game; at least 1.
///     unit: As in `darkqi.piece_values`, of all regions together.
///     threads: Number of threads, at least 1; None for one per core.
///
/// Returns:
///     The `RegionalValues`.
///
/// Raises:
///     ValueError: As `darkqi.piece_values`, or the board of the game has no regions.
///     OSError: The dataset cannot be read.
///     KeyboardInterrupt: Ctrl-C.
#[pyfunction]
#[pyo3(signature = (path, *, positions=POSITIONS_PER_GAME, unit=None, threads=None))]
#[pyo3(text_signature = "(path, *, positions=8, unit=None, threads=None)")]
pub(crate) fn piece_values_by_region<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = dataset_path)] path: PathBuf,
    #[pyo3(from_py_with = arguments::positions)] positions: usize,
    #[pyo3(from_py_with = arguments::unit)] unit: Option<Unit>,
    #[pyo3(from_py_with = arguments::threads)] threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let values = pooled(py, threads, |stop| {
        analysis::piece_values_by_region(&open(&path)?, positions, unit.as_ref(), stop)
            .into_py_result()
    })?;
    result(py, "RegionalValues", &values)
}

pub(crate) fn open(path: &Path) -> PyResult<Dataset> {
    Dataset::open(path).into_py_result()
}
