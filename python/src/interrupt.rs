//! Long calls that Ctrl-C ends.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use crate::error::native;

/// How often Ctrl-C is looked for.
const PATIENCE: Duration = Duration::from_millis(50);

/// Runs native code on a thread of its own, so that this one can look for Ctrl-C, without holding the interpreter.
///
/// `stop` is set when Ctrl-C or another signal's handler raises; the work then ends as soon as it can, and what was
/// raised is returned.
pub(crate) fn interruptible<R: Send>(
    py: Python<'_>,
    stop: &AtomicBool,
    work: impl FnOnce() -> PyResult<R> + Send,
) -> PyResult<R> {
    thread::scope(|scope| {
        let caller = thread::current();
        let worker = scope.spawn(move || {
            let done = native(work);
            caller.unpark();
            done
        });
        let mut interrupt = Ok(());
        while !worker.is_finished() {
            py.detach(|| thread::park_timeout(PATIENCE));
            if interrupt.is_ok() {
                interrupt = py.check_signals();
                stop.store(interrupt.is_err(), Ordering::Relaxed);
            }
        }
        let done = worker.join().expect("panics are caught within the thread");
        interrupt.and(done)
    })
}
