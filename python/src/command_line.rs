//! The command line within Python's process.

use std::ffi::OsString;

use pyo3::prelude::*;

use crate::arguments;

/// Runs a command line, the program's name first, and returns the exit code.
#[pyfunction]
pub(crate) fn command_line(
    py: Python<'_>,
    #[pyo3(from_py_with = words)] args: Vec<OsString>,
) -> u8 {
    py.detach(|| darkqi_cli::main(args))
}

fn words(given: &Bound<'_, PyAny>) -> PyResult<Vec<OsString>> {
    arguments::items("args", given, "a sequence of texts", |item| item.extract())
}
