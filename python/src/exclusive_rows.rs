//! Rows of numpy arrays that a thread may write without the GIL.

#![expect(unsafe_code, reason = "rows are written while Python runs")]

use std::ptr::{self, NonNull};

use darkqi_env::{Rows, for_row_columns};
use numpy::{Element, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::arrays::{Array, Memory};

/// What a column that is `always` written or `asked` for makes of its type or its array.
macro_rules! array {
    (always type $type:ty) => { $type };
    (asked type $type:ty) => { Option<$type> };
    (always map $array:expr, $function:expr) => { $function(&mut $array) };
    (asked map $array:expr, $function:expr) => { $array.as_mut().map($function) };
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
            /// The rows, as a batch writes them. Those of bools are all false.
            pub(crate) fn rows(&mut self) -> Rows<'_> {
                Rows { $($name: array!($when map self.$name, Lend::lend)),* }
            }
        }
    };
}

for_row_columns!(define_exclusive_rows);

/// An array whose elements native code writes.
trait Lend {
    type Element;

    fn lend(&mut self) -> &mut [Self::Element];
}

macro_rules! lend_numbers {
    ($($type:ty)*) => {
        $(impl Lend for ExclusiveArray<$type> {
            type Element = $type;

            fn lend(&mut self) -> &mut [$type] {
                self.as_mut_slice()
            }
        })*
    };
}

lend_numbers!(u8 i8 f32);

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
        // It was made for `T`, so it is aligned. Any bytes are a valid integer or float, and bools
        // are overwritten first (see `Lend`). Nothing else refers to the memory: the caller of
        // `new` promised it, and `self` is borrowed mutably.
        unsafe { &mut *memory }
    }
}

impl Lend for ExclusiveArray<bool> {
    type Element = bool;

    /// Sets all elements to false. Python may have written any byte through a view of another
    /// dtype, and only 0 and 1 are valid bools in Rust.
    fn lend(&mut self) -> &mut [bool] {
        // SAFETY: As in `as_mut_slice`; the values do not matter, because they are overwritten.
        unsafe { self.start.write_bytes(0, self.elements) };
        self.as_mut_slice()
    }
}
