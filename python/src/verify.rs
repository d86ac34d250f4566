//! Datasets looked through for faults: `darkqi.verify`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::thread;

use darkqi_selfplay::{Bar, Progress};
use pyo3::prelude::*;

use crate::analysis::plain;
use crate::error::OrRaise;
use crate::interrupt::interruptible;
use crate::options;

/// Looks for faults in a dataset: files, numbering, and every game played again.
///
/// A fault does not end the search; what could not be read is not looked at. A dataset whose writer is at work or was
/// interrupted is sound if what it lists is.
///
/// Args:
///     path: The dataset's folder.
///     threads: Number of threads, at least 1; None for one per core.
///     progress: Whether to draw a bar to standard error, if that is a terminal.
///
/// Returns:
///     Plain values by name, as `darkqi verify --json` prints them: "fault_count" (0 for a sound dataset) and "faults",
///     each with "file", "row", "game_id", "ply" (None where it is not about one) and "fault"; of each shard the first 20
///     are named. Besides these "games" and "plies" that were checked, "listed_games", "shards", "complete" and
///     "unlisted_files".
///
/// Raises:
///     ValueError: The dataset is of a game, or with an option, that does not exist; `threads` is out of range.
///     OSError: There is no dataset, or `dataset.json` cannot be understood.
///     KeyboardInterrupt: Ctrl-C.
#[pyfunction]
#[pyo3(signature = (path, *, threads=None, progress=false))]
#[pyo3(text_signature = "(path, *, threads=None, progress=False)")]
pub(crate) fn verify(
    py: Python<'_>,
    path: PathBuf,
    #[pyo3(from_py_with = options::playing_threads)] threads: Option<usize>,
    progress: bool,
) -> PyResult<Bound<'_, PyAny>> {
    let stop = &AtomicBool::new(false);
    let bar = progress.then(|| Bar::new(0));
    let watcher: &dyn Progress = bar.as_ref().map_or(&(), |bar| bar);
    let threads = threads
        .and_then(NonZeroUsize::new)
        .or_else(|| thread::available_parallelism().ok())
        .unwrap_or(NonZeroUsize::MIN);
    let found = interruptible(py, stop, || {
        darkqi_selfplay::verify(&path, threads, watcher, stop).or_raise()
    })?;
    plain(py, &found)
}
