//! A thread that steps groups of lanes, one after another, while Python does something else.

use std::any::Any;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{self, Builder, JoinHandle};

use darkqi_env::{AnyBatch, BatchError};
use darkqi_format::spawn_by;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::error::IntoPyResult;
use crate::exclusive_rows::ExclusiveRows;
use crate::interrupt::SIGNAL_INTERVAL;

/// Bytes. As Python's own threads have on most systems; those of Rust have a quarter, on which deep
/// recursion would end the process before Python refuses it.
const PYTHON_STACK: usize = 8 << 20;

/// A step of a group: its index, its batch with the step prepared, and the rows that are written.
type Sent = (usize, Box<dyn AnyBatch>, ExclusiveRows);

/// A batch after its step, with the rows, and whether the step succeeded.
type SteppedBatch = (Box<dyn AnyBatch>, ExclusiveRows, Result<(), BatchError>);

/// A group's index and its batch, or the panic of its step.
type Stepped = (usize, Result<SteppedBatch, Box<dyn Any + Send>>);

/// The thread; dropping it waits for the steps that were sent.
pub(crate) struct StepThread(Option<Running>);

struct Running {
    to_step: SyncSender<Sent>,
    stepped: Receiver<Stepped>,
    thread: JoinHandle<()>,
    /// The process that the thread belongs to.
    process: u32,
}

impl StepThread {
    /// Starts a thread that up to `groups` batches can be sent to at a time.
    ///
    /// # Errors
    /// If the system cannot start a thread.
    pub(crate) fn start(groups: usize) -> PyResult<Self> {
        // With capacity for all groups, neither side ever blocks on sending.
        let (to_step, received) = sync_channel::<Sent>(groups);
        let (done, stepped) = sync_channel(groups);
        let work = move || {
            for (group, mut batch, mut rows) in received {
                // Unwind safe: after a panic the batch is dropped.
                let outcome = catch_unwind(AssertUnwindSafe(move || {
                    let stepped = batch.play(rows.rows());
                    (batch, rows, stepped)
                }));
                if done.send((group, outcome)).is_err() {
                    return;
                }
            }
        };
        // An opponent may be Python code.
        let builder = Builder::new().name("darkqi".into()).stack_size(PYTHON_STACK);
        let thread = spawn_by(builder, work).into_py_result()?;
        Ok(Self(Some(Running { to_step, stepped, thread, process: process::id() })))
    }

    /// # Errors
    /// If this process was forked: threads do not survive a fork.
    fn running(&mut self) -> PyResult<&mut Running> {
        let running = self.0.as_mut().filter(|running| running.process == process::id());
        running.ok_or_else(|| {
            PyRuntimeError::new_err(
                "the env's stepping thread is not in this process, which was forked; make a new env",
            )
        })
    }

    /// Starts a step of a group, which writes these rows, and takes its batch.
    ///
    /// # Errors
    /// If the process was forked; the batch is not taken then.
    ///
    /// # Panics
    /// If there is no batch.
    pub(crate) fn send(
        &mut self,
        group: usize,
        batch: &mut Option<Box<dyn AnyBatch>>,
        rows: ExclusiveRows,
    ) -> PyResult<()> {
        let to_step = &self.running()?.to_step;
        let batch = batch.take().expect("a group is sent once");
        let sent = to_step.send((group, batch, rows));
        assert!(sent.is_ok(), "the stepping thread ends with the env");
        Ok(())
    }

    /// Waits for the next step to finish. Returns the group's index, its batch, the rows, and whether
    /// the step succeeded.
    ///
    /// # Errors
    /// What a signal handler raises, such as `KeyboardInterrupt`; the step continues then.
    ///
    /// # Panics
    /// If the step panicked.
    pub(crate) fn receive(&mut self, py: Python<'_>) -> PyResult<(usize, SteppedBatch)> {
        let stepped = &mut self.running()?.stepped;
        loop {
            // Before the wait, so that a loop of short steps can be interrupted, too.
            py.check_signals()?;
            let stepped = &mut *stepped;
            match py.detach(move || stepped.recv_timeout(SIGNAL_INTERVAL)) {
                Ok((group, Ok(batch))) => return Ok((group, batch)),
                Ok((_, Err(panic))) => std::panic::resume_unwind(panic),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => panic!("the stepping thread has ended"),
            }
        }
    }
}

impl Drop for StepThread {
    /// Waits for the steps that were sent: after that nothing writes into the arrays.
    fn drop(&mut self) {
        let Some(Running { to_step, stepped, thread, process }) = self.0.take() else { return };
        if process == process::id() {
            // The thread catches panics and never waits for space in a channel. An opponent in Python
            // may need the GIL, which the caller may hold. While Python ends nobody waits.
            let wait = move || {
                drop(to_step);
                // An opponent may let go of the env: the thread does not wait for itself.
                if thread.thread().id() != thread::current().id() {
                    let _ = thread.join();
                }
            };
            let _ = Python::try_attach(|py| py.detach(wait));
        } else {
            // The process was forked. The thread does not exist here, and may have held a lock of
            // the channels at the fork.
            mem::forget((to_step, stepped, thread));
        }
    }
}
