//! Rows of numpy arrays that a thread may write without the GIL.

#![expect(unsafe_code, reason = "rows are written while Python runs")]

use std::ptr::{self, NonNull};
use std::slice;

use darkqi_env::Rows;
use numpy::{AsSliceError, Element, PyArrayMethods, PyReadwriteArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::arrays::{Array, Memory};

/// The rows of some lanes, with the exclusive right of native code to write them.
///
/// Moving this value to another thread moves the right: no row belongs to two values.
pub(crate) struct ExclusiveRows {
    pub(crate) observation: ExclusiveArray<u8>,
    pub(crate) mask: ExclusiveArray<u8>,
    pub(crate) current_player: ExclusiveArray<i8>,
    pub(crate) reward: ExclusiveArray<f32>,
    pub(crate) terminated: ExclusiveArray<bool>,
    pub(crate) truncated: ExclusiveArray<bool>,
    pub(crate) forfeited: ExclusiveArray<bool>,
    pub(crate) final_observation: Option<ExclusiveArray<u8>>,
    pub(crate) final_player: Option<ExclusiveArray<i8>>,
    /// Keeps the memory of all of them alive, whatever becomes of the arrays.
    pub(crate) _memory: Vec<Py<Memory>>,
}

impl ExclusiveRows {
    /// The rows, as a batch writes them.
    pub(crate) fn rows(&mut self) -> Rows<'_> {
        Rows {
            observation: self.observation.as_mut_slice(),
            mask: self.mask.as_mut_slice(),
            current_player: self.current_player.as_mut_slice(),
            reward: self.reward.as_mut_slice(),
            terminated: self.terminated.as_mut_bools(),
            truncated: self.truncated.as_mut_bools(),
            forfeited: self.forfeited.as_mut_bools(),
            final_observation: self.final_observation.as_mut().map(ExclusiveArray::as_mut_slice),
            final_player: self.final_player.as_mut().map(ExclusiveArray::as_mut_slice),
        }
    }
}

/// The memory of one contiguous array, with the exclusive right of native code to write it.
pub(crate) struct ExclusiveArray<T> {
    start: NonNull<T>,
    elements: usize,
}

// SAFETY: This value is the only native access to its memory (see `new`). The elements are numbers
// and bools, which any thread may write.
unsafe impl<T: Send> Send for ExclusiveArray<T> {}

impl<T: Element + Copy> ExclusiveArray<T> {
    /// Takes the memory of a contiguous array of numbers or bools.
    ///
    /// # Safety
    /// The array must show a [`Memory`], which must outlive this value. No other `ExclusiveArray` may
    /// have the same memory, and no other native code may use that memory while
    /// [`ExclusiveRows::rows`] is borrowed. Python must not use the elements meanwhile; `Env.send`
    /// documents this.
    pub(crate) unsafe fn new(py: Python<'_>, array: &Array<T>) -> Self {
        let bound = array.bind(py);
        let start = NonNull::new(bound.data()).expect("numpy arrays have an address");
        Self { start, elements: bound.len() }
    }

    fn as_mut_slice(&mut self) -> &mut [T] {
        let memory = ptr::slice_from_raw_parts_mut(self.start.as_ptr(), self.elements);
        // SAFETY: The memory is that of a contiguous array, and alive, as the caller of `new` promised.
        // It was made for `T`, so it is aligned. Any bytes are a valid integer or float, and those
        // of bools are made valid first. Nothing else refers to the memory: the caller of
        // `new` promised it, and `self` is borrowed mutably.
        unsafe { &mut *memory }
    }
}

impl ExclusiveArray<bool> {
    fn as_mut_bools(&mut self) -> &mut [bool] {
        // SAFETY: The memory is that of a contiguous array, alive, and used by nobody else, as in
        // `as_mut_slice`.
        unsafe { make_valid(self.start.as_ptr(), self.elements) };
        self.as_mut_slice()
    }
}

/// The elements of an array of bools that native code borrows.
///
/// # Errors
/// If they are not contiguous.
pub(crate) fn bools<'a>(
    array: &'a mut PyReadwriteArrayDyn<'_, bool>,
) -> Result<&'a mut [bool], AsSliceError> {
    if array.is_contiguous() {
        // SAFETY: The elements lie one after another, and numpy's borrow checks give this borrow alone
        // the right to use them.
        unsafe { make_valid(array.data(), array.len()) };
    }
    array.as_slice_mut()
}

/// Makes true of each byte that is no bool. Python may have written any through a view of another
/// dtype, and only 0 and 1 are valid bools in Rust.
///
/// # Safety
/// So many bytes from `start` on must be there, and nothing else may refer to them meanwhile.
unsafe fn make_valid(start: *mut bool, elements: usize) {
    // SAFETY: The caller promises it, and any byte is a valid integer.
    let bytes = unsafe { slice::from_raw_parts_mut(start.cast::<u8>(), elements) };
    bytes.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0));
}
