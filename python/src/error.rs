//! The Python exception of every Rust error, and of a panic.

use std::any::Any;
use std::error::Error;
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::TryLockError;

use darkqi_datasets::analysis;
use darkqi_env::{ActionError, BatchError, SetupError};
use darkqi_selfplay::arena::{self, JournalError};
use darkqi_selfplay::{AgentError, OpeningError, PolicyFault, balance, report, studies};
use pyo3::create_exception;
use pyo3::exceptions::{
    PyFileNotFoundError, PyMemoryError, PyOSError, PyRuntimeError, PyValueError,
};
use pyo3::types::PyAnyMethods;
use pyo3::{PyErr, PyResult, Python, intern};

create_exception!(
    darkqi,
    IllegalActionError,
    PyValueError,
    "An action that is not legal here or does not exist. Nothing was changed."
);
create_exception!(
    darkqi,
    FenError,
    PyValueError,
    "A malformed FEN. The message names the field and what is wrong with it."
);
create_exception!(
    darkqi,
    InternalError,
    PyRuntimeError,
    "A bug in darkqi. An object that was being changed when it occurred cannot be used any more."
);

/// A Rust error that has a Python exception.
pub(crate) trait IntoPyErr {
    /// The exception, with the message of the error.
    fn into_py_err(self) -> PyErr;
}

impl IntoPyErr for ActionError {
    fn into_py_err(self) -> PyErr {
        let message = self.to_string();
        match self {
            // The action is legal; the reveal is not possible.
            Self::Unshowable { .. } => PyValueError::new_err(message),
            Self::Over { .. } | Self::Unknown { .. } | Self::Illegal { .. } => {
                IllegalActionError::new_err(message)
            }
        }
    }
}

impl IntoPyErr for BatchError {
    fn into_py_err(self) -> PyErr {
        let message = self.to_string();
        match self {
            Self::Action { .. } => IllegalActionError::new_err(message),
            Self::Threads(..) | Self::Over { .. } => PyRuntimeError::new_err(message),
            Self::Memory(_) => PyMemoryError::new_err(message),
            Self::Opponent { lane, cause } => raised(&*cause.0, &format!("lane {lane}"))
                .unwrap_or_else(|| match cause.0.downcast_ref() {
                    Some(PolicyFault::Contents(_)) => PyValueError::new_err(message),
                    // The caller's action is legal, and has been played.
                    Some(PolicyFault::Action(_)) | None => PyRuntimeError::new_err(message),
                }),
            Self::Torn => PyRuntimeError::new_err(message),
            Self::Log(_) => PyOSError::new_err(message),
            Self::Length { .. }
            | Self::Lanes(_)
            | Self::ThreadCount(..)
            | Self::NoTurn
            | Self::Decision { .. }
            | Self::NoLog
            | Self::Viewer { .. } => PyValueError::new_err(message),
        }
    }
}

impl IntoPyErr for SetupError {
    fn into_py_err(self) -> PyErr {
        match self {
            Self::Fen(error) => FenError::new_err(error.to_string()),
            Self::Batch(error) => error.into_py_err(),
            Self::Game(_) | Self::Option(_) => PyValueError::new_err(self.to_string()),
        }
    }
}

impl IntoPyErr for darkqi_selfplay::Error {
    fn into_py_err(self) -> PyErr {
        match self {
            Self::Setup(error) => error.into_py_err(),
            Self::Dataset(error) => error.into_py_err(),
            Self::Analysis(error) => error.into_py_err(),
            Self::Opening(error) => error.into_py_err(),
            Self::Agent(_)
            | Self::Seat { .. }
            | Self::Seats { .. }
            | Self::Config { .. }
            | Self::Share { .. }
            | Self::Until { .. }
            | Self::NoHalfWidth
            | Self::OtherRun { .. }
            | Self::NotRecorded { .. }
            | Self::ShardRange { .. }
            | Self::Unshareable { .. }
            | Self::Beyond { .. } => PyValueError::new_err(self.to_string()),
            Self::AgentFailed { ref cause, .. } | Self::Undecided { ref cause, .. } => {
                failed(&**cause, self.to_string())
            }
            Self::IllegalAction { .. } => IllegalActionError::new_err(self.to_string()),
            Self::NoRun { .. }
            | Self::Listing { .. }
            | Self::Contradiction { .. }
            | Self::Part { .. } => PyOSError::new_err(self.to_string()),
            Self::Stopped | Self::Replay(_) | Self::Threads { .. } | Self::Over { .. } => {
                PyRuntimeError::new_err(self.to_string())
            }
        }
    }
}

impl IntoPyErr for OpeningError {
    fn into_py_err(self) -> PyErr {
        match self {
            Self::Io { ref cause, .. } if cause.kind() == ErrorKind::NotFound => {
                PyFileNotFoundError::new_err(self.to_string())
            }
            Self::Io { .. } => PyOSError::new_err(self.to_string()),
            Self::Lines { .. }
            | Self::Number { .. }
            | Self::Line { .. }
            | Self::Piece { .. }
            | Self::Removal { .. }
            | Self::Over { .. }
            | Self::RandomPlies { .. } => PyValueError::new_err(self.to_string()),
        }
    }
}

impl IntoPyErr for arena::Error {
    fn into_py_err(self) -> PyErr {
        match self {
            Self::Setup(error) => error.into_py_err(),
            Self::Opening(error) => error.into_py_err(),
            Self::Agent(_) | Self::Config { .. } | Self::Journal(JournalError::Mismatch { .. }) => {
                PyValueError::new_err(self.to_string())
            }
            Self::Journal(_) => PyOSError::new_err(self.to_string()),
            Self::AgentFailed { ref cause, .. } => failed(&**cause, self.to_string()),
            Self::IllegalAction { .. } => IllegalActionError::new_err(self.to_string()),
            Self::Threads { .. } => PyRuntimeError::new_err(self.to_string()),
        }
    }
}

impl IntoPyErr for studies::Error {
    fn into_py_err(self) -> PyErr {
        match self {
            Self::Run(error) => error.into_py_err(),
            Self::Match(error) => error.into_py_err(),
            Self::Dataset(error) => error.into_py_err(),
            Self::Analysis(error) => error.into_py_err(),
            Self::Config { .. } => PyValueError::new_err(self.to_string()),
            Self::Stopped => PyRuntimeError::new_err(self.to_string()),
        }
    }
}

impl IntoPyErr for balance::Error {
    fn into_py_err(self) -> PyErr {
        let message = self.to_string();
        match self {
            Self::Play(error) => error.into_py_err(),
            Self::Test(error) => error.into_py_err(),
            Self::Output(error) => error.into_py_err(),
            Self::Fit { cause: analysis::Error::Dataset(_) | analysis::Error::Rows(_), .. }
            | Self::Write { .. } => PyOSError::new_err(message),
            Self::Fit { .. }
            | Self::Undetermined { .. }
            | Self::NoValues
            | Self::Agent(_)
            | Self::Values(_)
            | Self::Config { .. } => PyValueError::new_err(message),
            Self::Stopped { .. } => PyRuntimeError::new_err(message),
        }
    }
}

impl IntoPyErr for report::Error {
    fn into_py_err(self) -> PyErr {
        let message = self.to_string();
        match self {
            Self::Dataset(error) => error.into_py_err(),
            Self::Setup(error) => error.into_py_err(),
            Self::Measure {
                cause: analysis::Error::Dataset(_) | analysis::Error::Rows(_), ..
            } => PyOSError::new_err(message),
            Self::Measure { .. } | Self::Contents(_) => PyValueError::new_err(message),
            Self::Stopped => PyRuntimeError::new_err(message),
        }
    }
}

impl IntoPyErr for AgentError {
    fn into_py_err(self) -> PyErr {
        PyValueError::new_err(self.to_string())
    }
}

impl IntoPyErr for darkqi_datasets::Error {
    fn into_py_err(self) -> PyErr {
        match self {
            Self::Setup(error) => error.into_py_err(),
            Self::Argument { .. } | Self::UnknownGame { .. } => {
                PyValueError::new_err(self.to_string())
            }
            Self::MissingFolder { .. } | Self::MissingFile { .. } => {
                PyFileNotFoundError::new_err(self.to_string())
            }
            Self::Stopped
            | Self::Io { .. }
            | Self::AlreadyADataset { .. }
            | Self::LostFolder { .. }
            | Self::OutputInDataset { .. }
            | Self::Locked { .. }
            | Self::NeedsFolder { .. }
            | Self::NotADataset { .. }
            | Self::Manifest { .. }
            | Self::ShardOrder { .. }
            | Self::SchemaVersion { .. }
            | Self::Damaged { .. }
            | Self::Compression { .. }
            | Self::ForeignFile { .. }
            | Self::FileMetadata { .. }
            | Self::Column { .. }
            | Self::Value { .. }
            | Self::Checksum { .. }
            | Self::RowCount { .. }
            | Self::Option { .. }
            | Self::EmptyShard { .. }
            | Self::ShardExists { .. }
            | Self::Record { .. }
            | Self::Write { .. } => PyOSError::new_err(self.to_string()),
        }
    }
}

impl IntoPyErr for analysis::Error {
    fn into_py_err(self) -> PyErr {
        match self {
            Self::Dataset(error) => error.into_py_err(),
            Self::Setup(error) => error.into_py_err(),
            Self::Rows(_) | Self::Part { .. } => PyOSError::new_err(self.to_string()),
            Self::Value { .. }
            | Self::Count { .. }
            | Self::Clusters { .. }
            | Self::NotIdentified { .. }
            | Self::Outcome { .. }
            | Self::Separated { .. }
            | Self::SeparatedBy { .. }
            | Self::NotConverged { .. }
            | Self::Agents { .. }
            | Self::NoGames
            | Self::NoPositions { .. }
            | Self::UnknownKind { .. }
            | Self::NothingCovered { .. }
            | Self::NoRegions { .. }
            | Self::NoLuck { .. }
            | Self::SplitDeal { .. }
            | Self::MissingDeal { .. }
            | Self::Shards { .. }
            | Self::Game { .. }
            | Self::Stopped => PyValueError::new_err(self.to_string()),
        }
    }
}

/// The exception that Python code raised, if it is the cause of a failure, with a note on where.
fn raised(cause: &(dyn Error + Send + Sync + 'static), place: &str) -> Option<PyErr> {
    let raised = cause.downcast_ref::<PyErr>()?;
    Some(Python::attach(|py| {
        let raised = raised.clone_ref(py);
        // The note only helps to find the place.
        let _ = raised.value(py).call_method1(intern!(py, "add_note"), (place,));
        raised
    }))
}

/// The exception for an agent that could not decide: what Python code raised, or the message.
fn failed(cause: &(dyn Error + Send + Sync + 'static), message: String) -> PyErr {
    raised(cause, &message).unwrap_or_else(|| match cause.downcast_ref() {
        Some(PolicyFault::Action(_)) => IllegalActionError::new_err(message),
        Some(PolicyFault::Contents(_)) => PyValueError::new_err(message),
        None => PyRuntimeError::new_err(message),
    })
}

/// A result whose error has a Python exception.
pub(crate) trait IntoPyResult<T> {
    /// The result with that exception as its error.
    fn into_py_result(self) -> PyResult<T>;
}

impl<T, E: IntoPyErr> IntoPyResult<T> for Result<T, E> {
    fn into_py_result(self) -> PyResult<T> {
        self.map_err(IntoPyErr::into_py_err)
    }
}

/// The exception for a failed `try_lock`: another thread holds the lock, or a panic poisoned it.
pub(crate) fn lock_error<G>(what: &str, error: TryLockError<G>) -> PyErr {
    match error {
        TryLockError::WouldBlock => {
            PyRuntimeError::new_err(format!("{what} is in use by another thread"))
        }
        TryLockError::Poisoned(_) => InternalError::new_err(format!(
            "{what} is unusable since an internal error interrupted a change; make a new one"
        )),
    }
}

/// Runs native code and returns a panic in it as an `InternalError`.
///
/// `AssertUnwindSafe` holds because what the work changes is behind a lock that it took itself. The
/// panic poisons the lock, and [`lock_error`] then refuses every later use.
pub(crate) fn catch_panics<R>(work: impl FnOnce() -> PyResult<R>) -> PyResult<R> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let message = panic_message(panic.as_ref());
        Err(InternalError::new_err(format!("internal error: {message}")))
    })
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}
