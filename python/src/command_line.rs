//! The command line within Python's process.

use std::ffi::OsString;

use darkqi_selfplay::cli;
use pyo3::prelude::*;

/// Runs a command line, the program's name first, and returns the exit code.
#[pyfunction]
pub(crate) fn command_line(py: Python<'_>, args: Vec<OsString>) -> u8 {
    py.detach(|| cli::main(args))
}
