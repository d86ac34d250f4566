//! A thread that steps groups of lanes, one after another, while Python does something else.

use std::any::Any;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use darkqi_env::AnyBatch;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::loan::Loan;

/// Time between two looks at Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(50);

/// Everything that stepping a group takes. Whoever has it may step; it is never shared.
pub(crate) struct Stepper {
    /// The group's lanes.
    pub(crate) batch: Box<dyn AnyBatch>,
    /// The memory of their rows.
    pub(crate) loan: Loan,
    /// What to play: checked already.
    pub(crate) actions: Vec<i64>,
}

/// A group's number and its stepper, or what the step panicked with.
type Stepped = (usize, Result<Stepper, Box<dyn Any + Send>>);

/// The thread and the way to it and back.
pub(crate) struct Worker(Option<Parts>);

struct Parts {
    jobs: SyncSender<(usize, Stepper)>,
    stepped: Receiver<Stepped>,
    thread: JoinHandle<()>,
    /// The process that the thread belongs to.
    process: u32,
}

impl Worker {
    /// A thread that up to `groups` steppers can be given at a time.
    ///
    /// # Errors
    /// If the system has no thread left.
    pub(crate) fn start(groups: usize) -> PyResult<Self> {
        // With room for all groups neither side ever waits to hand one over.
        let (jobs, todo) = sync_channel::<(usize, Stepper)>(groups);
        let (done, stepped) = sync_channel(groups);
        let work = move || {
            for (group, mut stepper) in todo {
                // After a panic nobody sees the stepper again.
                let outcome = catch_unwind(AssertUnwindSafe(move || {
                    let Stepper { batch, loan, actions } = &mut stepper;
                    batch.step(actions, loan.rows()).expect("the actions have been checked");
                    stepper
                }));
                if done.send((group, outcome)).is_err() {
                    return;
                }
            }
        };
        let thread = Builder::new().name("darkqi".into()).spawn(work)?;
        Ok(Self(Some(Parts { jobs, stepped, thread, process: process::id() })))
    }

    /// # Errors
    /// If the thread is in the process that this one was forked from.
    fn parts(&mut self) -> PyResult<&mut Parts> {
        let parts = self.0.as_mut().filter(|parts| parts.process == process::id());
        parts.ok_or_else(|| {
            PyRuntimeError::new_err(
                "the env's stepping thread is not in this process, which was forked; make a new env",
            )
        })
    }

    /// Starts a step.
    ///
    /// # Errors
    /// If the process was forked; the stepper stays where it is then.
    ///
    /// # Panics
    /// If there is no stepper.
    pub(crate) fn send(&mut self, group: usize, stepper: &mut Option<Stepper>) -> PyResult<()> {
        let jobs = &self.parts()?.jobs;
        let stepper = stepper.take().expect("a group is sent once");
        assert!(jobs.send((group, stepper)).is_ok(), "the stepping thread ends with the env");
        Ok(())
    }

    /// Waits for the next step to be done.
    ///
    /// # Errors
    /// Whatever a signal raises, Ctrl-C for one; the step goes on then.
    ///
    /// # Panics
    /// If the step did.
    pub(crate) fn receive(&mut self, py: Python<'_>) -> PyResult<(usize, Stepper)> {
        let stepped = &mut self.parts()?.stepped;
        loop {
            // Asked first: a row of short steps must not put Ctrl-C off.
            py.check_signals()?;
            let stepped = &mut *stepped;
            match py.detach(move || stepped.recv_timeout(PATIENCE)) {
                Ok((group, Ok(stepper))) => return Ok((group, stepper)),
                Ok((_, Err(panic))) => std::panic::resume_unwind(panic),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => panic!("the stepping thread is gone"),
            }
        }
    }
}

impl Drop for Worker {
    /// Waits for the steps under way, so that nothing writes into the arrays any more.
    fn drop(&mut self) {
        let Some(Parts { jobs, stepped, thread, process }) = self.0.take() else { return };
        if process == process::id() {
            drop(jobs);
            // The thread catches panics, and waits neither for the GIL nor for room to answer.
            let _ = thread.join();
        } else {
            // A fork has left the thread behind, perhaps with a lock of these in its hands.
            mem::forget((jobs, stepped, thread));
        }
    }
}
