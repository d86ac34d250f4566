//! Time steps that are written again once nobody holds them.

#![expect(unsafe_code, reason = "counts of references are read from arrays")]

use std::array;
use std::ffi::c_int;

use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::describe;
use crate::time_step::{RowShapes, TimeStep};

/// Unused time steps that are kept. One is shown, one is written next, and a caller may need some
/// more for a moment; all others belong to those who hold them.
const KEPT: usize = 4;

/// Those of observations as planes.
const MAX_DIMENSIONS: usize = 4;

/// Where the rows of some lanes are written.
pub(crate) enum Rotation {
    /// Into the same arrays every time.
    Fixed(Slot),
    /// Into arrays that nobody holds.
    Free { shapes: RowShapes, slots: Vec<Slot> },
}

impl Rotation {
    /// These arrays, which nobody has seen.
    pub(crate) fn fixed(py: Python<'_>, time_step: Py<TimeStep>) -> Self {
        Self::Fixed(Slot::new(py, time_step))
    }

    /// No arrays yet.
    pub(crate) fn free(shapes: RowShapes) -> Self {
        Self::Free { shapes, slots: Vec::new() }
    }

    /// A time step that may be written.
    ///
    /// # Errors
    /// `MemoryError`. `ValueError` if the arrays are the same every time, and somebody has given one
    /// another shape, dtype or memory.
    pub(crate) fn next(&mut self, py: Python<'_>) -> PyResult<Py<TimeStep>> {
        let (shapes, slots) = match self {
            Self::Fixed(slot) => {
                slot.check_form(py)?;
                return Ok(slot.time_step.clone_ref(py));
            }
            Self::Free { shapes, slots } => (shapes, slots),
        };
        if let Some(slot) = slots.iter().find(|slot| slot.is_free(py)) {
            return Ok(slot.time_step.clone_ref(py));
        }
        if slots.len() == KEPT {
            slots.remove(0);
        }
        let slot = Slot::new(py, Py::new(py, TimeStep::new(py, shapes)?)?);
        let time_step = slot.time_step.clone_ref(py);
        slots.push(slot);
        Ok(time_step)
    }
}

/// A time step, and what its arrays were like when nobody had seen them.
pub(crate) struct Slot {
    time_step: Py<TimeStep>,
    unseen: Vec<ArrayState>,
}

impl Slot {
    fn new(py: Python<'_>, time_step: Py<TimeStep>) -> Self {
        let unseen = time_step.get().arrays(py).map(|(_, array)| ArrayState::of(array)).collect();
        Self { time_step, unseen }
    }

    /// The time step, in any form.
    pub(crate) fn time_step(&self) -> &Py<TimeStep> {
        &self.time_step
    }

    /// # Errors
    /// `ValueError` if an array has another form than it was made with.
    fn check_form(&self, py: Python<'_>) -> PyResult<()> {
        let arrays = self.time_step.get().arrays(py);
        for ((name, array), unseen) in arrays.zip(&self.unseen) {
            if !ArrayState::of(array).has_form_of(unseen) {
                let found = describe(array)?;
                return Err(PyValueError::new_err(format!(
                    "{name}: expected the array as it was made, with copy=False, got {found}"
                )));
            }
        }
        Ok(())
    }

    /// Whether nobody else refers to the time step, its arrays or views of them, and the arrays are
    /// as they were made.
    fn is_free(&self, py: Python<'_>) -> bool {
        let arrays = self.time_step.get().arrays(py);
        references(self.time_step.bind(py)) == 1
            && arrays.map(|(_, array)| ArrayState::of(array)).eq(self.unseen.iter().copied())
    }
}

/// What changes when somebody refers to an array or to its memory, or gives it another form.
#[derive(Clone, Copy, PartialEq)]
struct ArrayState {
    references: isize,
    /// References to what is behind the array: another array if it is a view, as are the mask and
    /// the rows of a group. Numpy lets views of views refer to the first array before the memory.
    to_owner: isize,
    flags: c_int,
    dtype: usize,
    shape: [usize; MAX_DIMENSIONS],
    /// The address of the first element.
    data: usize,
}

impl ArrayState {
    fn of(array: &Bound<'_, PyUntypedArray>) -> Self {
        // SAFETY: The array is alive, and so is its base, which is an object or null.
        let (owner, flags, data) = unsafe {
            let fields = &(*array.as_array_ptr()).fields;
            (Bound::from_borrowed_ptr_or_opt(array.py(), fields.base), fields.flags, fields.data)
        };
        Self {
            references: references(array),
            to_owner: owner.map_or(0, |owner| references(&owner)),
            flags,
            dtype: array.dtype().as_ptr() as usize,
            data: data as usize,
            // 0 beyond its dimensions: no array of ours has more.
            shape: array::from_fn(|axis| array.shape().get(axis).copied().unwrap_or(0)),
        }
    }

    /// Whether dtype, shape and memory are equal.
    fn has_form_of(&self, other: &Self) -> bool {
        (self.dtype, self.shape, self.data) == (other.dtype, other.shape, other.data)
    }
}

/// The number of references to an object.
fn references<T>(object: &Bound<'_, T>) -> isize {
    // SAFETY: The object is alive, and `Bound` means that the GIL is held.
    unsafe { pyo3::ffi::Py_REFCNT(object.as_ptr()) }
}
