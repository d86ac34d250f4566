//! Numpy arrays: making them, and reading actions from whatever the caller has.

use numpy::{
    Element, PyArray1, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyReadonlyArray1,
    PyUntypedArray, PyUntypedArrayMethods, dtype, get_array_module,
};
use pyo3::exceptions::{PyMemoryError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PySlice, PyTuple};

/// What XLA asks of memory that it uses without copying; numpy promises 16.
const ALIGNMENT: usize = 64;

/// A new array of zeros.
///
/// # Errors
/// `MemoryError`, which is why numpy's own function makes it: the bare C call would end in a panic.
pub(crate) fn zeros<'py, T: Element>(
    py: Python<'py>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    let arguments = (PyTuple::new(py, shape)?, dtype::<T>(py));
    let array = get_array_module(py)?.call_method1(intern!(py, "zeros"), arguments)?;
    Ok(array.cast_into()?)
}

/// A new array of zeros that begins at a multiple of [`ALIGNMENT`] bytes.
///
/// It shows part of a larger array, so numpy's allocator makes it: that one asks for huge pages.
///
/// # Errors
/// `MemoryError`.
pub(crate) fn aligned_zeros<'py, T: Element>(
    py: Python<'py>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    let padding = ALIGNMENT / size_of::<T>();
    let elements = shape.iter().try_fold(1_usize, |all, &size| all.checked_mul(size));
    let (Some(elements), Some(padded)) =
        (elements, elements.and_then(|elements| elements.checked_add(padding)))
    else {
        return Err(PyMemoryError::new_err(format!(
            "Unable to allocate an array of shape {shape:?}"
        )));
    };
    let flat = zeros::<T>(py, &[padded])?;
    let start = (flat.data() as usize).wrapping_neg() % ALIGNMENT / size_of::<T>();
    let part = flat.get_item(PySlice::new(py, start as isize, (start + elements) as isize, 1))?;
    let array = part.call_method1(intern!(py, "reshape"), (PyTuple::new(py, shape)?,))?;
    Ok(array.cast_into()?)
}

/// One action per lane, borrowed where it is contiguous int64 already.
///
/// # Errors
/// `ValueError` for another shape, `TypeError` for another kind of number.
pub(crate) fn actions<'py>(
    given: &Bound<'py, PyAny>,
    lanes: usize,
) -> PyResult<PyReadonlyArray1<'py, i64>> {
    if let Ok(array) = given.cast::<PyArray1<i64>>() {
        let array = array.try_readonly()?;
        if array.as_slice().is_ok_and(|actions| actions.len() == lanes) {
            return Ok(array);
        }
    }
    let py = given.py();
    let array = get_array_module(py)?.call_method1(intern!(py, "asarray"), (given,))?;
    let array = array.cast_into::<PyUntypedArray>()?;
    let kind = array.dtype();
    let complaint = || {
        let shape = PyTuple::new(py, array.shape())?;
        Ok(format!(
            "actions: expected shape ({lanes},) and integers such as int64, got shape {shape} and {kind}"
        ))
    };
    if array.shape() != [lanes] {
        return Err(complaint().map_or_else(|error| error, PyValueError::new_err));
    }
    if !matches!(kind.kind(), b'i' | b'u') {
        return Err(complaint().map_or_else(|error| error, PyTypeError::new_err));
    }
    // A fresh array is contiguous and aligned, as a Rust slice must be. An unsigned number beyond
    // int64 wraps to a negative one, which is no action either.
    let array = array.call_method1(intern!(py, "astype"), (dtype::<i64>(py),))?;
    Ok(array.cast_into::<PyArray1<i64>>()?.try_readonly()?)
}
