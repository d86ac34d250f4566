//! What Rust's errors are in Python: the one mapping.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::TryLockError;

use darkqi_env::{ActionError, BatchError, SetupError};
use darkqi_selfplay::AgentError;
use pyo3::create_exception;
use pyo3::exceptions::{
    PyFileNotFoundError, PyMemoryError, PyOSError, PyRuntimeError, PyValueError,
};
use pyo3::{PyErr, PyResult};

create_exception!(
    darkqi,
    IllegalActionError,
    PyValueError,
    "An action that cannot be played. Nothing was changed."
);
create_exception!(
    darkqi,
    FenError,
    PyValueError,
    "A malformed FEN; names the field and the fault."
);
create_exception!(
    darkqi,
    InternalError,
    PyRuntimeError,
    "A fault in darkqi itself. What it happened to, when it was being changed, is unusable."
);

/// A Rust error with its Python exception.
pub(crate) trait Raise {
    /// The exception.
    fn raise(self) -> PyErr;
}

impl Raise for ActionError {
    fn raise(self) -> PyErr {
        let message = self.to_string();
        match self {
            // The action itself is fine.
            Self::Unshowable { .. } => PyValueError::new_err(message),
            Self::Over { .. } | Self::Unknown { .. } | Self::Illegal { .. } => {
                IllegalActionError::new_err(message)
            }
        }
    }
}

impl Raise for BatchError {
    fn raise(self) -> PyErr {
        let message = self.to_string();
        match self {
            Self::Action { .. } => IllegalActionError::new_err(message),
            Self::Threads(..) | Self::Over { .. } => PyRuntimeError::new_err(message),
            Self::Memory(_) => PyMemoryError::new_err(message),
            Self::Length { .. }
            | Self::Lanes(_)
            | Self::ThreadCount(..)
            | Self::NoTurn
            | Self::Viewer { .. } => PyValueError::new_err(message),
        }
    }
}

impl Raise for SetupError {
    fn raise(self) -> PyErr {
        match self {
            Self::Fen(fault) => FenError::new_err(fault.to_string()),
            Self::Batch(fault) => fault.raise(),
            Self::Game(_) | Self::Option(_) => PyValueError::new_err(self.to_string()),
        }
    }
}

impl Raise for darkqi_selfplay::Error {
    fn raise(self) -> PyErr {
        match self {
            Self::Setup(fault) => fault.raise(),
            Self::Dataset(fault) => fault.raise(),
            Self::Analysis(fault) => fault.raise(),
            Self::Agent(_)
            | Self::Seat { .. }
            | Self::Seats { .. }
            | Self::Config { .. }
            | Self::Until { .. }
            | Self::OtherRun { .. }
            | Self::Beyond { .. } => PyValueError::new_err(self.to_string()),
            Self::NoRun { .. } | Self::Listing { .. } => PyOSError::new_err(self.to_string()),
            // A fault in an agent or the machine; the enum may grow.
            _ => PyRuntimeError::new_err(self.to_string()),
        }
    }
}

impl Raise for AgentError {
    fn raise(self) -> PyErr {
        PyValueError::new_err(self.to_string())
    }
}

impl Raise for darkqi_datasets::Error {
    fn raise(self) -> PyErr {
        match self {
            Self::Setup(fault) => fault.raise(),
            Self::Argument { .. } => PyValueError::new_err(self.to_string()),
            Self::MissingFolder { .. } | Self::MissingFile { .. } => {
                PyFileNotFoundError::new_err(self.to_string())
            }
            _ => PyOSError::new_err(self.to_string()),
        }
    }
}

impl Raise for darkqi_datasets::analysis::Error {
    fn raise(self) -> PyErr {
        match self {
            Self::Dataset(fault) => fault.raise(),
            Self::Setup(fault) => fault.raise(),
            Self::Rows(_) => PyOSError::new_err(self.to_string()),
            _ => PyValueError::new_err(self.to_string()),
        }
    }
}

/// Results whose errors have an exception.
pub(crate) trait OrRaise<T> {
    /// The same, raised.
    fn or_raise(self) -> PyResult<T>;
}

impl<T, E: Raise> OrRaise<T> for Result<T, E> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(Raise::raise)
    }
}

/// Why a lock that is never waited for cannot be had: another thread holds it, or a panic broke
/// what it guards.
pub(crate) fn locked<G>(what: &str, error: TryLockError<G>) -> PyErr {
    match error {
        TryLockError::WouldBlock => {
            PyRuntimeError::new_err(format!("{what} is in use by another thread"))
        }
        TryLockError::Poisoned(_) => InternalError::new_err(format!(
            "{what} is unusable since an internal error interrupted a change; make a new one"
        )),
    }
}

/// Runs native code so that a panic there is an exception here.
///
/// Unwinding is safe to stop at this point: whatever the work was changing is behind a lock that
/// it took itself, which the panic poisons, so that [`locked`] refuses it from then on.
pub(crate) fn native<R>(work: impl FnOnce() -> PyResult<R>) -> PyResult<R> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let message = panic_message(panic.as_ref());
        Err(InternalError::new_err(format!("internal error: {message}")))
    })
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}
