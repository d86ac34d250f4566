//! Checks of datasets: `darkqi.verify`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use darkqi_play::threads::all_threads;
use pyo3::prelude::*;

use crate::arguments;
use crate::interrupt::with_progress;
use crate::location::dataset_path;
use crate::records::result;

/// Checks a dataset: its files, its numbering, and every game by replaying it.
///
/// The check continues after a fault; what cannot be read is skipped. A dataset that is still being
/// written, or whose writer was interrupted, is valid if the shards that it lists are.
///
/// Args:
///     path: The dataset's folder.
///     threads: Number of threads, at least 1; None for one per core.
///     progress: Whether to show a progress bar on standard error, if that is a terminal.
///
/// Returns:
///     The `Verification`: a valid dataset has a `fault_count` of 0.
///
/// Raises:
///     ValueError: The game or an option of the dataset does not exist, or `threads` is out of
///         range.
///     OSError: There is no dataset, or `dataset.json` cannot be parsed.
///     KeyboardInterrupt: Ctrl-C.
#[pyfunction]
#[pyo3(signature = (path, *, threads=None, progress=false))]
#[pyo3(text_signature = "(path, *, threads=None, progress=False)")]
pub(crate) fn verify(
    py: Python<'_>,
    #[pyo3(from_py_with = dataset_path)] path: PathBuf,
    #[pyo3(from_py_with = arguments::threads)] threads: Option<usize>,
    progress: bool,
) -> PyResult<Bound<'_, PyAny>> {
    let threads = threads.and_then(NonZeroUsize::new).unwrap_or_else(all_threads);
    let found = with_progress(py, progress, 0, |progress, stop| {
        darkqi_play::verify::verify(&path, threads, progress, stop)
    })?;
    result(py, "Verification", &found)
}
