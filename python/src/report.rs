//! Datasets as a page of HTML: `darkqi.report`.

use std::path::PathBuf;

use darkqi_play::report;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments;
use crate::ending::visiting;
use crate::error::IntoPyResult;
use crate::interrupt::pooled;
use crate::location::dataset_paths;

/// Writes one page of HTML about datasets of one game.
///
/// It shows the value of the first reveal and of each piece, with 95 % intervals, statistics of the
/// games, and the commands that make the page again. The same datasets give the same bytes.
///
/// Args:
///     paths: The folder of a dataset, or a list of them, of one game. In each an agent plays
///         itself; the weakest agent comes first.
///     output: The page. A file that exists is replaced; a pipe or a device is written to.
///     threads: Number of threads, at least 1; None for one per core.
///
/// Returns:
///     The `Report`: where the page is, and its main result.
///
/// Raises:
///     ValueError: There are no datasets, they have different games, one has several agents, or
///         `threads` is out of range.
///     TypeError: A value has the wrong type.
///     OSError: A dataset cannot be read, or the page cannot be written or is a file of a dataset.
///     KeyboardInterrupt: Ctrl-C. No page is written.
#[pyfunction(name = "report")]
#[pyo3(signature = (paths, output=PathBuf::from("report.html"), *, threads=None))]
#[pyo3(text_signature = "(paths, output='report.html', *, threads=None)")]
pub(crate) fn write_report(
    py: Python<'_>,
    #[pyo3(from_py_with = dataset_paths)] paths: Vec<PathBuf>,
    output: PathBuf,
    #[pyo3(from_py_with = arguments::threads)] threads: Option<usize>,
) -> PyResult<Bound<'_, PyAny>> {
    let write = |stop: &_| report::write(&paths, &output, stop).into_py_result();
    let headline = pooled(py, threads, write)?;
    let fields = PyDict::new(py);
    // A path need not be UTF-8, which is all that serde takes.
    fields.set_item("path", output)?;
    fields.set_item("headline", headline)?;
    visiting(|| py.import("darkqi.results")?.getattr("Report")?.call((), Some(&fields)))
}
