//! Time steps that are written again once nobody holds them.

use std::array;
use std::ffi::c_int;

use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::time_step::{RowShapes, TimeStep};

/// Unused time steps that are kept. One is shown, one is written next, and a caller may need some
/// more for a moment; all others belong to those who hold them.
const KEPT: usize = 4;

/// Those of observations as planes.
const MOST_DIMENSIONS: usize = 4;

/// Where the rows of some lanes are written.
pub(crate) enum Rotation {
    /// Into the same arrays every time.
    Fixed(Py<TimeStep>),
    /// Into arrays that nobody holds.
    Free { shapes: RowShapes, slots: Vec<Slot> },
}

impl Rotation {
    /// No arrays yet.
    pub(crate) fn free(shapes: RowShapes) -> Self {
        Self::Free { shapes, slots: Vec::new() }
    }

    /// A time step that may be written.
    ///
    /// # Errors
    /// `MemoryError`.
    pub(crate) fn next(&mut self, py: Python<'_>) -> PyResult<Py<TimeStep>> {
        let (shapes, slots) = match self {
            Self::Fixed(time_step) => return Ok(time_step.clone_ref(py)),
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
        let unseen = time_step.get().arrays(py).map(ArrayState::of).collect();
        Self { time_step, unseen }
    }

    /// Whether nobody else refers to the time step, its arrays or views of them, and the arrays are
    /// as they were made.
    fn is_free(&self, py: Python<'_>) -> bool {
        references(self.time_step.bind(py)) == 1
            && self.time_step.get().arrays(py).map(ArrayState::of).eq(self.unseen.iter().copied())
    }
}

/// What changes when somebody refers to an array or to its memory, or gives it another form.
#[derive(Clone, Copy, PartialEq)]
struct ArrayState {
    references: isize,
    /// References to the array that owns the memory. Every view has one: numpy lets views of views
    /// refer to the owner.
    to_owner: isize,
    flags: c_int,
    dtype: usize,
    shape: [usize; MOST_DIMENSIONS],
}

impl ArrayState {
    fn of(array: &Bound<'_, PyUntypedArray>) -> Self {
        // SAFETY: The array is alive, and so is its base, which is an object or null.
        let (owner, flags) = unsafe {
            let fields = &(*array.as_array_ptr()).fields;
            (Bound::from_borrowed_ptr_or_opt(array.py(), fields.base), fields.flags)
        };
        Self {
            references: references(array),
            to_owner: owner.map_or(0, |owner| references(&owner)),
            flags,
            dtype: array.dtype().as_ptr() as usize,
            // 0 beyond its dimensions: no array of ours has more.
            shape: array::from_fn(|axis| array.shape().get(axis).copied().unwrap_or(0)),
        }
    }
}

/// The number of references to an object.
fn references<T>(object: &Bound<'_, T>) -> isize {
    // SAFETY: The object is alive, and `Bound` means that the GIL is held.
    unsafe { pyo3::ffi::Py_REFCNT(object.as_ptr()) }
}
