//! Integers of Python and of numpy.

use numpy::PyUntypedArray;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyInt, PyType};

use crate::ending::visiting;

/// An integer of any type, as Python's own.
///
/// # Errors
/// `TypeError` for another type, or for one that is no plain number: a bool, which is a subclass of
/// `int`, but as a number is a mistake, and a masked array of numpy, whose mask would be lost. What its
/// `__index__` raises.
pub(crate) fn index<'py>(given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyInt>> {
    static INDEX: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    if let Ok(number) = given.cast_exact::<PyInt>() {
        return Ok(number.clone());
    }
    if given.is_instance_of::<PyBool>() || is_masked(given)? {
        return Err(PyTypeError::new_err("expected an integer"));
    }
    let index = INDEX.import(given.py(), "operator", "index")?;
    Ok(visiting(|| index.call1((given,)))?.cast_into()?)
}

/// The error of [`index`], with what was expected where it is that of another type.
pub(crate) fn type_error(
    error: PyErr,
    given: &Bound<'_, PyAny>,
    message: impl FnOnce(String) -> String,
) -> PyErr {
    if error.is_instance_of::<PyTypeError>(given.py()) { wrong_type(given, message) } else { error }
}

/// The `TypeError` for what is of another type than expected, with a message that names its type.
pub(crate) fn wrong_type(
    given: &Bound<'_, PyAny>,
    message: impl FnOnce(String) -> String,
) -> PyErr {
    let found = given.get_type().name();
    found.map_or_else(|error| error, |found| PyTypeError::new_err(message(found.to_string())))
}

/// Whether this is one of numpy's masked arrays or masked elements.
pub(crate) fn is_masked(given: &Bound<'_, PyAny>) -> PyResult<bool> {
    static MASKED: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let py = given.py();
    // Only subclasses of arrays are; most arguments are none.
    let is_subclass =
        !given.is_exact_instance_of::<PyUntypedArray>() && given.is_instance_of::<PyUntypedArray>();
    Ok(is_subclass && given.is_instance(MASKED.import(py, "numpy.ma", "MaskedArray")?)?)
}
