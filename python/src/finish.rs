//! One dataset of shards that several processes have played: `darkqi.finish`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use darkqi_play::threads::all_threads;
use pyo3::prelude::*;

use crate::arguments;
use crate::interrupt::with_progress;
use crate::location::dataset_path;
use crate::records::result;

/// Makes one dataset of the shards that `darkqi.selfplay(..., shards=)` or `darkqi.arena(..., shards=)` has
/// played in a folder.
///
/// A shard that is not listed yet is checked by replaying its games. If all shards are there, the
/// folder is then equal to one of `darkqi.selfplay` without `shards`, byte for byte. Otherwise
/// the dataset holds those that are there, is marked as incomplete, and the others can still be
/// played.
///
/// Args:
///     path: The dataset's folder.
///     threads: Number of threads, at least 1; None for one per core.
///     progress: Whether to show a progress bar on standard error, if that is a terminal.
///
/// Returns:
///     The `Finished`. Each range in `missing` is fit for `shards=`.
///
/// Raises:
///     ValueError: The game or an option of the dataset does not exist, the run has `until`, or
///         `threads` is out of range.
///     OSError: There is no dataset, it lacks the settings of its run, another process lists its
///         shards, or files cannot be read or written.
///     KeyboardInterrupt: Ctrl-C. Nothing was changed.
#[pyfunction]
#[pyo3(signature = (path, *, threads=None, progress=false))]
#[pyo3(text_signature = "(path, *, threads=None, progress=False)")]
pub(crate) fn finish(
    py: Python<'_>,
    #[pyo3(from_py_with = dataset_path)] path: PathBuf,
    #[pyo3(from_py_with = arguments::threads)] threads: Option<usize>,
    progress: bool,
) -> PyResult<Bound<'_, PyAny>> {
    let threads = threads.and_then(NonZeroUsize::new).unwrap_or_else(all_threads);
    let finished = with_progress(py, progress, 0, |progress, stop| {
        darkqi_play::generation::finish(&path, threads, progress, stop)
    })?;
    result(py, "Finished", &finished)
}
