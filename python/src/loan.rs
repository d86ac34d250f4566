//! Rows of numpy arrays that a thread without the GIL may write.

use std::ptr::{self, NonNull};

use darkqi_env::Rows;
use numpy::{Element, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::timestep::Array;

/// The memory of some lanes' rows, lent for as long as this lives.
///
/// Moving the loan to another thread moves the right to write: there is one loan of a row at most.
pub(crate) struct Loan {
    pub(crate) observation: Part<u8>,
    pub(crate) mask: Part<u8>,
    pub(crate) current_player: Part<i8>,
    pub(crate) reward: Part<f32>,
    pub(crate) terminated: Part<bool>,
    pub(crate) truncated: Part<bool>,
    pub(crate) final_observation: Option<Part<u8>>,
}

impl Loan {
    /// The rows.
    pub(crate) fn rows(&mut self) -> Rows<'_> {
        Rows {
            observation: self.observation.slice(),
            mask: self.mask.slice(),
            current_player: self.current_player.slice(),
            reward: self.reward.slice(),
            terminated: self.terminated.cleared(),
            truncated: self.truncated.cleared(),
            final_observation: self.final_observation.as_mut().map(Part::slice),
        }
    }
}

/// The memory of one array.
pub(crate) struct Part<T> {
    start: NonNull<T>,
    elements: usize,
    /// Keeps the memory: it is freed with the last array that shows it.
    _array: Array<T>,
}

// SAFETY: A part is the sole native right to its memory (see `Part::new`), and the elements are
// numbers and bools, which any thread may write; the array is only kept and let go, which pyo3 does
// from any thread.
unsafe impl<T: Send> Send for Part<T> {}

impl<T: Element + Copy> Part<T> {
    /// The memory of a contiguous array of numbers or bools.
    ///
    /// # Safety
    /// There must be no other part of the same memory, and no other native code may use the memory
    /// while the part is within [`Loan::rows`]. As everywhere where native code uses the memory of
    /// numpy arrays, Python must not force it to be moved (`resize` with `refcheck=False`), nor use
    /// the elements meanwhile: `Env.send` says so.
    pub(crate) unsafe fn new(py: Python<'_>, array: &Array<T>) -> Self {
        let bound = array.bind(py);
        let start = NonNull::new(bound.data()).expect("numpy's arrays lie somewhere");
        Self { start, elements: bound.len(), _array: array.clone_ref(py) }
    }

    fn slice(&mut self) -> &mut [T] {
        let memory = ptr::slice_from_raw_parts_mut(self.start.as_ptr(), self.elements);
        // SAFETY: The memory is that of a contiguous array, which `_array` keeps alive. It is
        // aligned for `T`, since numpy allocated it for `T`. Any bytes make an integer or a float;
        // bools are cleared before. Nothing else refers to it, by the promise that `new` was given
        // and because `self` is borrowed until this ends.
        unsafe { &mut *memory }
    }
}

impl Part<bool> {
    /// The elements, all false: Python may have written any byte through a view of another dtype,
    /// and most bytes are no bool.
    fn cleared(&mut self) -> &mut [bool] {
        // SAFETY: As in `slice`, but for the values, which this overwrites.
        unsafe { self.start.write_bytes(0, self.elements) };
        self.slice()
    }
}
