//! Numpy arrays: making them, and reading actions from what the caller passes.

use darkqi_env::{ActionError, BatchError};
use numpy::ndarray::{Dimension, IxDyn};
use numpy::{
    Element, PyArray, PyArray1, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyReadonlyArray1,
    PyUntypedArray, PyUntypedArrayMethods, dtype, get_array_module,
};
use pyo3::exceptions::{PyMemoryError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PySlice, PyTuple};

/// An array of any number of dimensions.
pub(crate) type Array<T> = Py<PyArrayDyn<T>>;

/// Bytes. JAX (XLA) shares memory that begins at a multiple of this and copies other memory; numpy
/// guarantees only 16.
const ALIGNMENT: usize = 64;

/// A new array of zeros.
///
/// # Errors
/// `MemoryError`. This is why it calls `numpy.zeros`: the bindings of the C function would panic.
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
/// It is a view of a larger array, so that numpy allocates the memory: numpy asks for huge pages.
///
/// # Errors
/// `MemoryError`.
pub(crate) fn aligned_zeros<'py, T: Element>(
    py: Python<'py>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    let padding = ALIGNMENT / size_of::<T>();
    let Some(padded) = IxDyn(shape).size_checked().and_then(|size| size.checked_add(padding))
    else {
        return Err(PyMemoryError::new_err(format!(
            "Unable to allocate an array of shape {shape:?}"
        )));
    };
    let flat = zeros::<T>(py, &[padded])?;
    let start = (flat.data() as usize).wrapping_neg() % ALIGNMENT / size_of::<T>();
    let end = start + padded - padding;
    let aligned = flat.get_item(PySlice::new(py, start as isize, end as isize, 1))?;
    aligned.cast_into::<PyArrayDyn<T>>()?.reshape(shape)
}

/// The same array, which can no longer be written to.
pub(crate) fn read_only<T: Element, D: Dimension>(
    array: Bound<'_, PyArray<T, D>>,
) -> Bound<'_, PyArray<T, D>> {
    array.readwrite().make_nonwriteable();
    array
}

/// `numpy.asarray(given)`.
pub(crate) fn as_array<'py>(given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyUntypedArray>> {
    let py = given.py();
    let array = get_array_module(py)?.call_method1(intern!(py, "asarray"), (given,))?;
    Ok(array.cast_into()?)
}

/// The shape and dtype of an array, for error messages.
pub(crate) fn describe(array: &Bound<'_, PyUntypedArray>) -> PyResult<String> {
    let shape = PyTuple::new(array.py(), array.shape())?;
    Ok(format!("shape {shape} and {}", array.dtype()))
}

/// One action per lane.
pub(crate) struct Actions<'py> {
    actions: PyReadonlyArray1<'py, i64>,
    /// The array that was converted, if its numbers may be beyond int64.
    unsigned: Option<Bound<'py, PyUntypedArray>>,
}

impl Actions<'_> {
    pub(crate) fn as_slice(&self) -> PyResult<&[i64]> {
        Ok(self.actions.as_slice()?)
    }

    /// An error about these actions, which begin with those of `first_lane`, with numbers as they were
    /// given.
    pub(crate) fn as_given(&self, error: BatchError, first_lane: usize) -> BatchError {
        match error {
            BatchError::Action {
                lane,
                source: ActionError::Unknown { action, game, expected },
            } => {
                let given = self.unsigned.as_ref().and_then(|array| {
                    array.get_item(lane - first_lane).ok().map(|number| format!("action {number}"))
                });
                let action = given.unwrap_or(action);
                BatchError::Action { lane, source: ActionError::Unknown { action, game, expected } }
            }
            error => error,
        }
    }
}

/// One action per lane. Contiguous int64 is borrowed, other integers are converted.
///
/// # Errors
/// `ValueError` for another shape, `TypeError` for elements that are not integers.
pub(crate) fn actions<'py>(given: &Bound<'py, PyAny>, lanes: usize) -> PyResult<Actions<'py>> {
    if let Ok(array) = given.cast::<PyArray1<i64>>() {
        let array = array.try_readonly()?;
        if array.as_slice().is_ok_and(|actions| actions.len() == lanes) {
            return Ok(Actions { actions: array, unsigned: None });
        }
    }
    let array = as_array(given)?;
    let has_shape = array.shape() == [lanes];
    if !has_shape || !matches!(array.dtype().kind(), b'i' | b'u') {
        let found = describe(&array)?;
        let message =
            format!("actions: expected shape ({lanes},) and integers such as int64, got {found}");
        return Err(if has_shape {
            PyTypeError::new_err(message)
        } else {
            PyValueError::new_err(message)
        });
    }
    // `astype` copies, so the array is contiguous and aligned, as a Rust slice must be. An unsigned
    // number beyond int64 wraps to a negative one, which is not an action either.
    let py = given.py();
    let converted = array.call_method1(intern!(py, "astype"), (dtype::<i64>(py),))?;
    let actions = converted.cast_into::<PyArray1<i64>>()?.try_readonly()?;
    let unsigned = (array.dtype().kind() == b'u').then_some(array);
    Ok(Actions { actions, unsigned })
}
