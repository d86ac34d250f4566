//! Long calls that Ctrl-C interrupts.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use darkqi_cli::Bar;
use darkqi_format::{is_remote, spawn_scoped, stopped_by, with_threads};
use darkqi_play::reporting::Progress;
use darkqi_play::threads::Completion;
use pyo3::prelude::*;

use crate::caller::Caller;
use crate::error::{IntoPyErr, IntoPyResult};

/// Time between two checks for signals.
pub(crate) const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// Runs native work without the GIL, as [`interruptible`] does where there is a flag that stops it.
///
/// # Panics
/// If the work does.
pub(crate) fn detached<R: Send>(
    py: Python<'_>,
    stop: Option<&AtomicBool>,
    work: impl FnOnce() -> R + Send,
) -> PyResult<R> {
    let Some(stop) = stop else { return Ok(py.detach(work)) };
    stop.store(false, Ordering::Relaxed);
    interruptible(py, stop, || Ok(work()))
}

/// Runs native code that reads little of a dataset, without the GIL. Ctrl-C ends the wait for object
/// storage. What lies on this machine is read on the calling thread.
///
/// # Panics
/// If the code does.
pub(crate) fn reading<R: Send>(
    py: Python<'_>,
    dir: &Path,
    work: impl FnOnce() -> PyResult<R> + Send,
) -> PyResult<R> {
    if is_remote(dir) { interruptible(py, &AtomicBool::new(false), work) } else { py.detach(work) }
}

/// Runs native code as [`interruptible`] does, and shows a bar for `games` games with `progress`.
pub(crate) fn with_progress<R: Send, E: IntoPyErr>(
    py: Python<'_>,
    progress: bool,
    games: u64,
    work: impl FnOnce(&dyn Progress, &AtomicBool) -> Result<R, E> + Send,
) -> PyResult<R> {
    with_policies(py, None, progress, games, work)
}

/// Runs native code as [`with_progress`] does. Its policies may be called by the thread that waits.
pub(crate) fn with_policies<R: Send, E: IntoPyErr>(
    py: Python<'_>,
    caller: Option<&Caller>,
    progress: bool,
    games: u64,
    work: impl FnOnce(&dyn Progress, &AtomicBool) -> Result<R, E> + Send,
) -> PyResult<R> {
    let stop = &AtomicBool::new(false);
    let bar = Bar::new(games, progress);
    answering(py, caller, stop, || work(&bar, stop).into_py_result())
}

/// Runs native code on a new thread without the GIL, while the calling thread checks for signals.
///
/// When the handler of a signal raises, as that of Ctrl-C does, `stop` is set, and waits for object
/// storage end; the work should then end soon, and what was raised is returned.
///
/// # Panics
/// If the code does.
pub(crate) fn interruptible<R: Send>(
    py: Python<'_>,
    stop: &AtomicBool,
    work: impl FnOnce() -> PyResult<R> + Send,
) -> PyResult<R> {
    answering(py, None, stop, work)
}

/// Runs native code as [`interruptible`] does, in a pool of its own with this many threads, one per core
/// for none, and with the flag that stops it.
pub(crate) fn pooled<R: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce(&AtomicBool) -> PyResult<R> + Send,
) -> PyResult<R> {
    let stop = &AtomicBool::new(false);
    interruptible(py, stop, || with_threads(threads, || work(stop)).into_py_result()?)
}

/// Runs native code as [`interruptible`] does, while the calling thread also does the calls that
/// `caller`, which is this thread, is asked for.
pub(crate) fn answering<R: Send>(
    py: Python<'_>,
    caller: Option<&Caller>,
    stop: &AtomicBool,
    work: impl FnOnce() -> PyResult<R> + Send,
) -> PyResult<R> {
    let completion = &Completion::for_this_thread();
    let is_interrupted = Arc::new(AtomicBool::new(false));
    let asked = is_interrupted.clone();
    thread::scope(|scope| {
        let worker = spawn_scoped(scope, move || {
            let is_stopped = Arc::new(move || asked.load(Ordering::Relaxed));
            // Unwind safe: the panic goes on in the caller.
            let done = catch_unwind(AssertUnwindSafe(|| stopped_by(is_stopped, work)));
            completion.tell();
            done
        })
        .into_py_result()?;
        let mut interrupt = Ok(());
        while !py.detach(|| completion.wait(SIGNAL_INTERVAL)) {
            if interrupt.is_ok() {
                let answer = || caller.map_or(Ok(()), |caller| caller.answer(py));
                interrupt = py.check_signals().and_then(|()| answer());
                stop.store(interrupt.is_err(), Ordering::Relaxed);
                is_interrupted.store(interrupt.is_err(), Ordering::Relaxed);
            } else if let Some(caller) = caller {
                caller.refuse();
            }
        }
        let done = worker.join().unwrap_or_else(Err).unwrap_or_else(|panic| resume_unwind(panic));
        if let (Err(interrupt), Err(stopped)) = (&interrupt, &done)
            && !stopped.value(py).is(interrupt.value(py))
        {
            // They only help to go on: what a handler raises may take neither.
            let _ = pass_on(stopped.value(py), interrupt.value(py));
        }
        interrupt.and(done)
    })
}

/// Gives an interrupt what the work that it stopped has told: notes, and the results so far.
fn pass_on(stopped: &Bound<'_, PyAny>, interrupt: &Bound<'_, PyAny>) -> PyResult<()> {
    if let Ok(so_far) = stopped.getattr("so_far") {
        interrupt.setattr("so_far", so_far)?;
    }
    if let Ok(notes) = stopped.getattr("__notes__") {
        for note in notes.try_iter()? {
            interrupt.call_method1("add_note", (note?,))?;
        }
    }
    Ok(())
}
