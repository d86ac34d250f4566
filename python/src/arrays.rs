//! Numpy arrays: making them, and reading actions from what the caller passes.

#![expect(unsafe_code, reason = "arrays that do not own their memory")]

use std::ffi::c_int;

use darkqi_env::{ActionError, BatchError};
use numpy::ndarray::{ArrayViewD, Dimension, IxDyn};
use numpy::{
    Element, PyArray, PyArray1, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyReadonlyArray1,
    PyUntypedArray, PyUntypedArrayMethods, dtype, get_array_module,
};
use pyo3::exceptions::{PyMemoryError, PyTypeError, PyValueError};
use pyo3::ffi::{Py_buffer, PyBuffer_FillInfo};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::ending::visiting;
use crate::error::{IllegalActionError, IntoPyErr};
use crate::numbers::{index, is_masked};

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

/// Memory that native code writes, behind the array that shows it.
///
/// Numpy frees or moves the memory of an array that owns it when somebody asks it to (`resize` with
/// `refcheck=False`). So the owner stays in here, where Python does not reach it: what Python reaches
/// owns nothing. It is a numpy array all the same, because numpy asks for huge pages.
#[pyclass(frozen, module = "darkqi._darkqi")]
pub(crate) struct Memory(Array<u8>);

#[pymethods]
impl Memory {
    /// The buffer, which numpy asks whether the arrays before it can be made writeable.
    unsafe fn __getbuffer__(
        slf: &Bound<'_, Self>,
        view: *mut Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let owner = slf.get().0.bind(slf.py());
        let (start, bytes) = (owner.data().cast(), owner.len() as isize);
        // SAFETY: The caller's buffer is filled with memory that lives as long as this object, which
        // the buffer then refers to.
        match unsafe { PyBuffer_FillInfo(view, slf.as_ptr(), start, bytes, 0, flags) } {
            0 => Ok(()),
            _ => Err(PyErr::fetch(slf.py())),
        }
    }
}

/// A new array of zeros that begins at a multiple of [`ALIGNMENT`] bytes, and its memory.
///
/// # Errors
/// `MemoryError`.
pub(crate) fn aligned_zeros<'py, T: Element>(
    py: Python<'py>,
    shape: &[usize],
) -> PyResult<(Bound<'py, PyArrayDyn<T>>, Py<Memory>)> {
    let bytes = IxDyn(shape).size_checked().and_then(|size| size.checked_mul(size_of::<T>()));
    let Some(padded) = bytes.and_then(|bytes| bytes.checked_add(ALIGNMENT)) else {
        return Err(PyMemoryError::new_err(format!(
            "Unable to allocate an array of shape {shape:?}"
        )));
    };
    let owner = zeros::<u8>(py, &[padded])?;
    let memory = Bound::new(py, Memory(owner.clone().unbind()))?;
    let start = owner.data().cast::<T>();
    let start = start.wrapping_byte_add(owner.data().align_offset(ALIGNMENT));
    // SAFETY: The elements lie within the owner's memory, aligned, and zeros are valid ones. The array
    // keeps `memory` alive, which keeps the owner, and nothing else refers to that.
    let array = unsafe {
        let elements = ArrayViewD::from_shape_ptr(shape, start);
        PyArrayDyn::borrow_from_array(&elements, memory.clone().into_any())
    };
    Ok((array, memory.unbind()))
}

/// The same array, which can no longer be written to.
pub(crate) fn read_only<T: Element, D: Dimension>(
    array: Bound<'_, PyArray<T, D>>,
) -> Bound<'_, PyArray<T, D>> {
    array.readwrite().make_nonwriteable();
    array
}

/// `numpy.asarray(given)`.
///
/// # Errors
/// `TypeError` for a masked array, or a list of such, whose masks would be lost; those of numpy.
pub(crate) fn as_array<'py>(
    argument: &str,
    given: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let py = given.py();
    refuse_masked(argument, given)?;
    if let Ok(items) = given.cast::<PyList>() {
        items.iter().try_for_each(|item| refuse_masked(argument, &item))?;
    } else if let Ok(items) = given.cast::<PyTuple>() {
        items.iter().try_for_each(|item| refuse_masked(argument, &item))?;
    }
    let numpy = get_array_module(py)?;
    Ok(visiting(|| numpy.call_method1(intern!(py, "asarray"), (given,)))?.cast_into()?)
}

/// # Errors
/// `TypeError` for a masked array: its mask would be lost.
pub(crate) fn refuse_masked(argument: &str, given: &Bound<'_, PyAny>) -> PyResult<()> {
    if is_masked(given)? {
        return Err(PyTypeError::new_err(format!(
            "{argument}: expected an array without a mask, got a masked array; `.filled(value)` \
             gives what is masked a value, `.data` leaves the mask out"
        )));
    }
    Ok(())
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

    /// The exception for an error about these actions, which begin with those of `first_lane`, with
    /// numbers as they were given.
    pub(crate) fn refused(&self, error: BatchError, first_lane: usize) -> PyErr {
        let BatchError::Action { lane, mut source } = error else { return error.into_py_err() };
        let array = self.unsigned.as_ref().unwrap_or(self.actions.as_untyped());
        let number = array.get_item(lane - first_lane).and_then(|number| index(&number));
        let Ok(number) = number else { return BatchError::Action { lane, source }.into_py_err() };
        if let ActionError::Unknown { action, .. } = &mut source {
            *action = format!("action {number}");
        }
        let message = BatchError::Action { lane, source }.to_string();
        IllegalActionError::new_err((message, lane, number.unbind()))
    }
}

/// One action per lane. Contiguous int64 is borrowed, other integers are converted.
///
/// # Errors
/// `ValueError` for another shape, `TypeError` for elements that are not integers.
pub(crate) fn actions<'py>(given: &Bound<'py, PyAny>, lanes: usize) -> PyResult<Actions<'py>> {
    refuse_masked("actions", given)?;
    if let Ok(array) = given.cast::<PyArray1<i64>>() {
        let array = array.try_readonly()?;
        if array.as_slice().is_ok_and(|actions| actions.len() == lanes) {
            return Ok(Actions { actions: array, unsigned: None });
        }
    }
    let array = as_array("actions", given)?;
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
    let converted = visiting(|| array.call_method1(intern!(py, "astype"), (dtype::<i64>(py),)))?;
    let actions = converted.cast_into::<PyArray1<i64>>()?.try_readonly()?;
    let unsigned = (array.dtype().kind() == b'u').then_some(array);
    Ok(Actions { actions, unsigned })
}
