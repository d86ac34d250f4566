//! Rows of numpy arrays that a thread may write without the GIL.

#![expect(unsafe_code, reason = "rows are written while Python runs")]

use std::ptr::{self, NonNull};
use std::slice;

use darkqi_env::{batch::Rows, for_row_columns};
use numpy::{AsSliceError, Element, PyArrayMethods, PyReadwriteArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::arrays::{Array, Memory};

/// What a column that is `always` written or `asked` for makes of its type or its array.
macro_rules! array {
    (always type $type:ty) => { $type };
    (asked type $type:ty) => { Option<$type> };
    (always rows $array:expr) => { $array.as_mut_slice() };
    (asked rows $array:expr) => { $array.as_mut().map(ExclusiveArray::as_mut_slice) };
}

macro_rules! define_exclusive_rows {
    ($($(#[$doc:meta])* $when:ident $name:ident $label:literal: $type:ty, $width:expr;)*) => {
        /// The rows of some lanes, with the exclusive right of native code to write them.
        ///
        /// Moving this value to another thread moves the right: no row belongs to two values.
        pub(crate) struct ExclusiveRows {
            $(pub(crate) $name: array!($when type ExclusiveArray<$type>),)*
            /// Keeps the memory of all of them alive, whatever becomes of the arrays.
            pub(crate) _memory: Vec<Py<Memory>>,
        }

        impl ExclusiveRows {
            /// The rows, as a batch writes them.
            pub(crate) fn rows(&mut self) -> Rows<'_> {
                Rows { $($name: array!($when rows self.$name)),* }
            }
        }
    };
}

for_row_columns!(define_exclusive_rows);

/// The type of a column's elements.
pub(crate) trait RowElement: Element + Copy {
    /// Makes elements valid, whatever bytes Python has written through a view of another dtype.
    ///
    /// # Safety
    /// So many elements from `start` on must be there, and nothing else may refer to them meanwhile.
    unsafe fn make_valid(_start: *mut Self, _elements: usize) {}
}

// Any bytes are a valid number.
impl RowElement for u8 {}
impl RowElement for i8 {}
impl RowElement for f32 {}

impl RowElement for bool {
    /// Makes true of each byte that is no bool: only 0 and 1 are valid bools in Rust.
    unsafe fn make_valid(start: *mut Self, elements: usize) {
        // SAFETY: The caller promises it, and any byte is a valid integer.
        let bytes = unsafe { slice::from_raw_parts_mut(start.cast::<u8>(), elements) };
        bytes.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0));
    }
}

/// The elements of an array that native code borrows.
///
/// # Errors
/// If they are not contiguous.
pub(crate) fn elements<'a, T: RowElement>(
    array: &'a mut PyReadwriteArrayDyn<'_, T>,
) -> Result<&'a mut [T], AsSliceError> {
    if array.is_contiguous() {
        // SAFETY: The elements lie one after another, and numpy's borrow checks give this borrow alone
        // the right to use them.
        unsafe { T::make_valid(array.data(), array.len()) };
    }
    array.as_slice_mut()
}

/// The memory of one contiguous array, with the exclusive right of native code to write it.
pub(crate) struct ExclusiveArray<T> {
    start: NonNull<T>,
    elements: usize,
}

// SAFETY: This value is the only native access to its memory (see `new`). The elements are numbers
// and bools, which any thread may write.
unsafe impl<T: Send> Send for ExclusiveArray<T> {}

impl<T: RowElement> ExclusiveArray<T> {
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
        // It was made for `T`, so it is aligned, and its elements are made valid first. Nothing else
        // refers to the memory: the caller of `new` promised it, and `self` is borrowed mutably.
        unsafe {
            T::make_valid(self.start.as_ptr(), self.elements);
            &mut *memory
        }
    }
}
