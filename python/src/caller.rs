//! Python code that native threads leave to the thread that called native code.
//!
//! What a program sets for a block of its own code belongs to the thread that runs it: `torch.no_grad`,
//! context variables such as those of `numpy.errstate`, the trace of a debugger. And a native thread's
//! stack is smaller than those that Python gives its threads: where these raise `RecursionError`, it
//! would overflow.

use std::collections::VecDeque;
use std::mem;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Thread};

use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::ending;
use crate::error::catch_panics;

/// The thread that waits for native code, and what it is to call meanwhile.
#[derive(Debug)]
pub(crate) struct Caller {
    thread: Thread,
    calls: Mutex<VecDeque<Call>>,
}

#[derive(Debug)]
struct Call {
    callable: Py<PyAny>,
    arguments: Py<PyTuple>,
    answer: SyncSender<PyResult<Py<PyAny>>>,
}

impl Caller {
    /// The thread that runs this.
    pub(crate) fn this_thread() -> Arc<Self> {
        Arc::new(Self { thread: thread::current(), calls: Mutex::default() })
    }

    /// Has the thread call a callable, and waits for the result. For threads whose work it waits for,
    /// by [`answering`](crate::interrupt::answering).
    pub(crate) fn call<'py>(
        &self,
        callable: &Bound<'py, PyAny>,
        arguments: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (answer, answered) = sync_channel(1);
        let call = Call {
            callable: callable.clone().unbind(),
            arguments: arguments.clone().unbind(),
            answer,
        };
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).push_back(call);
        self.thread.unpark();
        let py = callable.py();
        match py.detach(move || answered.recv()) {
            Ok(result) => Ok(result?.into_bound(py)),
            Err(_) => Err(PyRuntimeError::new_err("nobody waits for the policy's decision")),
        }
    }

    /// Does the calls that wait. Run by the thread itself.
    ///
    /// # Errors
    /// `KeyboardInterrupt`, if Ctrl-C ended a call. Those after it are not done.
    pub(crate) fn answer(&self, py: Python<'_>) -> PyResult<()> {
        for Call { callable, arguments, answer } in self.waiting() {
            let result = catch_panics(|| {
                ending::call(callable.bind(py), arguments.bind(py)).map(Bound::unbind)
            });
            let fault = result.as_ref().err();
            let interrupt = fault.filter(|fault| fault.is_instance_of::<PyKeyboardInterrupt>(py));
            let interrupt = interrupt.map(|interrupt| interrupt.clone_ref(py));
            // One that waits no longer has no use for it.
            let _ = answer.send(result);
            interrupt.map_or(Ok(()), Err)?;
        }
        Ok(())
    }

    /// Fails the calls that wait.
    pub(crate) fn refuse(&self) {
        drop(self.waiting());
    }

    fn waiting(&self) -> VecDeque<Call> {
        mem::take(&mut *self.calls.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
