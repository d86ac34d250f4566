//! Files that Python's own writers leave to the one place that writes outputs.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use pyo3::prelude::*;

use crate::error::IntoPyResult;
use crate::interrupt::interruptible;

/// Writes a file at once: a regular file is replaced, a pipe or a device is written to.
///
/// Args:
///     path: The file.
///     contents: All of it.
///
/// Raises:
///     OSError: The file cannot be written, or belongs to a dataset.
///     KeyboardInterrupt: Ctrl-C, while nobody reads a pipe.
#[pyfunction]
pub(crate) fn write_output(py: Python<'_>, path: PathBuf, contents: Vec<u8>) -> PyResult<()> {
    let stop = &AtomicBool::new(false);
    interruptible(py, stop, || darkqi_format::write_output(&path, &contents, stop).into_py_result())
}
