//! Messages that do not repeat all that they were given.

use darkqi_env::shown::shortened;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use crate::ending::attached;

/// The most characters of a message.
const MAX_MESSAGE: usize = 10_000;

/// The most characters of a part of one.
const MAX_PART: usize = 1000;

/// The same exception, with texts of at most [`MAX_MESSAGE`] characters.
pub(crate) fn bounded(error: PyErr) -> PyErr {
    // One that cannot be changed stays as it is.
    let _ = attached(|py| shorten(error.value(py)));
    error
}

fn shorten(error: &Bound<'_, PyAny>) -> PyResult<()> {
    let arguments = error.getattr("args")?.cast_into::<PyTuple>()?;
    let is_long = |argument: &Bound<'_, PyAny>| {
        argument.cast::<PyString>().is_ok_and(|text| text.len().is_ok_and(|it| it > MAX_MESSAGE))
    };
    if !arguments.iter().any(|argument| is_long(&argument)) {
        return Ok(());
    }
    let short = arguments.iter().map(|argument| {
        if !is_long(&argument) {
            return Ok(argument);
        }
        let text: String = argument.extract()?;
        Ok(PyString::new(error.py(), &shortened(&text, MAX_MESSAGE)).into_any())
    });
    let short = short.collect::<PyResult<Vec<_>>>()?;
    error.setattr("args", PyTuple::new(error.py(), short)?)
}

/// What was given, as a message repeats it.
pub(crate) fn found(text: &str) -> String {
    shortened(text, MAX_PART).into_owned()
}
