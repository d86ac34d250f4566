//! Objects that one thread at a time may use, and who uses them.

use std::cell::RefCell;
use std::ptr;
use std::sync::TryLockError;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::error::InternalError;

thread_local! {
    /// The addresses of the objects whose calls this thread is within, or was asked by.
    static USED_HERE: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// A call of an object, which may lead to Python code that calls the object again.
pub(crate) struct Use;

impl Use {
    /// A call of this object by this thread.
    pub(crate) fn of<T>(object: &T) -> Self {
        Self::at(address(object))
    }

    /// A call of the object with this address, which may be one by another thread that waits for this
    /// one.
    pub(crate) fn at(address: usize) -> Self {
        USED_HERE.with_borrow_mut(|used| used.push(address));
        Self
    }
}

impl Drop for Use {
    fn drop(&mut self) {
        USED_HERE.with_borrow_mut(|used| used.pop());
    }
}

/// By what a [`Use`] knows an object.
pub(crate) fn address<T>(object: &T) -> usize {
    ptr::from_ref(object).addr()
}

/// # Errors
/// If this thread is within a call of the object, or was asked by one.
pub(crate) fn check<T>(what: &str, object: &T) -> PyResult<()> {
    if USED_HERE.with_borrow(|used| used.contains(&address(object))) {
        return Err(PyRuntimeError::new_err(format!(
            "{what} is in use by the call that led to this one, such as a step that asks a policy; \
             it can be used again when that call has returned"
        )));
    }
    Ok(())
}

/// The exception for a failed `try_lock` of an object's contents: a call holds the lock, or a panic
/// poisoned it.
pub(crate) fn lock_error<T, G>(what: &str, object: &T, error: TryLockError<G>) -> PyErr {
    match error {
        TryLockError::WouldBlock => check(what, object).err().unwrap_or_else(|| {
            PyRuntimeError::new_err(format!("{what} is in use by another thread"))
        }),
        TryLockError::Poisoned(_) => InternalError::new_err(format!(
            "{what} is unusable since an internal error interrupted a change; make a new one"
        )),
    }
}
