//! Threads and the end of the interpreter.
//!
//! Once Python is being finalized, a thread that wants to go on in Python never gets there: up to
//! Python 3.13 its stack is unwound, which Rust answers by aborting the process. So threads that run
//! Python code from Rust, which may let others run, are counted, and the end waits until they have left
//! it; none enters it again.

#![expect(unsafe_code, reason = "a call that Python may unwind")]

use std::hint::black_box;
use std::mem;
use std::process;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use pyo3::exceptions::PySystemExit;
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// How long the end waits for Python code that native threads run. Some waits for ever, for what the
/// main thread no longer does.
const PATIENCE: Duration = Duration::from_secs(2);

/// Whether Python ends.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

/// The thread that ends it.
static LAST: OnceLock<ThreadId> = OnceLock::new();

/// The number of threads within Python code, below the process that has them: a forked process has no
/// threads of its parent.
static VISITORS: AtomicU64 = AtomicU64::new(0);

/// A thread within Python code.
struct Visit;

impl Visit {
    /// None if Python ends. Who asks later than the end is refused, and for who asks earlier it waits.
    fn begin() -> Option<Self> {
        let one_more = |visitors| Some(own_process() | (count(visitors) + 1));
        let _ = VISITORS.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_more);
        let visit = Self;
        (!IS_ENDING.load(Ordering::SeqCst)).then_some(visit)
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        VISITORS.fetch_sub(1, Ordering::SeqCst);
    }
}

fn own_process() -> u64 {
    u64::from(process::id()) << 32
}

/// The visitors of this process.
fn count(visitors: u64) -> u64 {
    let others = visitors ^ own_process();
    if others >> 32 == 0 { others } else { 0 }
}

/// Runs Python code that may let other threads run, in a thread of Python: its own or numpy's.
///
/// # Errors
/// Those of the code; what ends the thread if Python ends in another.
pub(crate) fn visiting<R>(work: impl FnOnce() -> PyResult<R>) -> PyResult<R> {
    let visit = Visit::begin();
    if visit.is_none() && LAST.get() != Some(&thread::current().id()) {
        return Err(ended());
    }
    work()
}

/// Runs Python code in a thread that may be a native one; None if Python ends.
pub(crate) fn attached<R>(work: impl FnOnce(Python<'_>) -> R) -> Option<R> {
    let _visit = Visit::begin()?;
    Python::try_attach(work)
}

/// What is raised instead of what [`attached`] would have done: it ends a thread without a word.
pub(crate) fn ended() -> PyErr {
    PySystemExit::new_err("Python ends")
}

/// Lets other threads leave Python code and refuses it from now on. Python calls this at its exit,
/// while other threads can still run.
#[pyfunction]
fn end(py: Python<'_>) {
    let _ = LAST.set(thread::current().id());
    IS_ENDING.store(true, Ordering::SeqCst);
    let latest = Instant::now() + PATIENCE;
    while count(VISITORS.load(Ordering::SeqCst)) > 0 && Instant::now() < latest {
        py.detach(|| thread::sleep(Duration::from_millis(1)));
    }
}

/// Makes Python call [`end`].
pub(crate) fn prepare(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let end = wrap_pyfunction!(end, module)?;
    module.py().import("atexit")?.call_method1("register", (end,)).map(drop)
}

/// Stops its thread for ever where a stack is unwound.
struct Stop;

impl Drop for Stop {
    fn drop(&mut self) {
        loop {
            thread::park();
        }
    }
}

/// Calls a callable, which Python may unwind: what outlives [`PATIENCE`] stops for ever, as PyO3 and
/// Python 3.14 stop threads that come back.
pub(crate) fn call<'py>(
    callable: &Bound<'py, PyAny>,
    arguments: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    type Call = unsafe extern "C" fn(*mut PyObject, *mut PyObject, *mut PyObject) -> *mut PyObject;
    type UnwoundCall =
        unsafe extern "C-unwind" fn(*mut PyObject, *mut PyObject, *mut PyObject) -> *mut PyObject;
    // SAFETY: The ABI is the same. This one says that the stack may be unwound.
    let call = unsafe { mem::transmute::<Call, UnwoundCall>(ffi::PyObject_Call) };
    // The declaration of the function itself would say that it is not.
    let call = black_box(call);
    let stop = Stop;
    // SAFETY: Both objects are alive, the second is a tuple, and `Bound` means that the GIL is held.
    let answer = unsafe { call(callable.as_ptr(), arguments.as_ptr(), ptr::null_mut()) };
    mem::forget(stop);
    // SAFETY: The call gives a new reference, or null with an exception.
    unsafe { Bound::from_owned_ptr_or_err(callable.py(), answer) }
}
