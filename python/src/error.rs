//! The Python exception of every Rust error, and of a panic.

use std::any::Any;
use std::error::Error;
use std::io::{self, ErrorKind};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::TryLockError;

use darkqi_datasets::{NoThreads, analysis};
use darkqi_env::{ActionError, BatchError, SetupError};
use darkqi_selfplay::arena::{self, JournalError};
use darkqi_selfplay::{AgentError, OpeningError, PolicyFault, balance, report, studies};
use pyo3::create_exception;
use pyo3::exceptions::{
    PyFileExistsError, PyFileNotFoundError, PyMemoryError, PyOSError, PyPermissionError,
    PyRuntimeError, PyValueError,
};
use pyo3::types::PyAnyMethods;
use pyo3::{PyErr, PyResult, Python, intern};

use crate::panics::internal_error;

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
            Self::Log(ref cause) => match cause.0.downcast_ref() {
                Some(darkqi_selfplay::Error::Dataset(error)) => os_error(error.system(), message),
                Some(darkqi_selfplay::Error::Threads(_)) => PyRuntimeError::new_err(message),
                _ => PyOSError::new_err(message),
            },
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
            Self::Agent(error) => error.into_py_err(),
            Self::Threads(error) => error.into_py_err(),
            Self::Seat { .. }
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
            Self::Stopped | Self::Replay(_) | Self::Over { .. } => {
                PyRuntimeError::new_err(self.to_string())
            }
        }
    }
}

impl IntoPyErr for OpeningError {
    fn into_py_err(self) -> PyErr {
        match self {
            Self::Io { ref cause, ref path } => {
                os_error(Some((cause, Some(path))), self.to_string())
            }
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
            Self::Agent(error) => error.into_py_err(),
            Self::Journal(error) => error.into_py_err(),
            Self::Threads(error) => error.into_py_err(),
            Self::Config { .. } => PyValueError::new_err(self.to_string()),
            Self::AgentFailed { ref cause, .. } => failed(&**cause, self.to_string()),
            Self::IllegalAction { .. } => IllegalActionError::new_err(self.to_string()),
        }
    }
}

impl IntoPyErr for JournalError {
    fn into_py_err(self) -> PyErr {
        match self {
            Self::Io { ref path, ref cause, .. } => {
                os_error(Some((cause, Some(path))), self.to_string())
            }
            Self::OfDataset(ref error) => os_error(error.system(), self.to_string()),
            Self::Mismatch { .. } => PyValueError::new_err(self.to_string()),
            Self::Locked { .. }
            | Self::NotAJournal { .. }
            | Self::NotAFile { .. }
            | Self::Damaged { .. } => PyOSError::new_err(self.to_string()),
        }
    }
}

impl IntoPyErr for NoThreads {
    fn into_py_err(self) -> PyErr {
        PyRuntimeError::new_err(self.to_string())
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
            Self::Agent(error) => error.into_py_err(),
            Self::Values(error) => AgentError::Table(error).into_py_err(),
            Self::Fit { cause, .. } => not_measured(&cause, message),
            Self::Write { path, cause } => os_error(Some((&cause, Some(&path))), message),
            Self::Undetermined { .. } | Self::NoValues | Self::Config { .. } => {
                PyValueError::new_err(message)
            }
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
            Self::Measure { cause, .. } => not_measured(&cause, message),
            Self::Contents(_) => PyValueError::new_err(message),
            Self::Stopped => PyRuntimeError::new_err(message),
        }
    }
}

impl IntoPyErr for AgentError {
    fn into_py_err(self) -> PyErr {
        match self.system_error() {
            Some((cause, path)) => os_error(Some((cause, Some(path))), self.to_string()),
            None => PyValueError::new_err(self.to_string()),
        }
    }
}

impl IntoPyErr for darkqi_datasets::Error {
    fn into_py_err(self) -> PyErr {
        match self {
            Self::Setup(error) => error.into_py_err(),
            Self::Argument { .. } | Self::UnknownGame { .. } => {
                PyValueError::new_err(self.to_string())
            }
            Self::MissingFolder { dir: ref path } | Self::MissingFile { ref path } => {
                let cause = io::Error::from_raw_os_error(NO_ENTRY);
                os_error(Some((&cause, Some(path))), self.to_string())
            }
            Self::Threads(error) => error.into_py_err(),
            Self::Io { .. } => os_error(self.system(), self.to_string()),
            Self::Stopped
            | Self::AlreadyADataset { .. }
            | Self::LostFolder { .. }
            | Self::OutputInDataset { .. }
            | Self::Locked { .. }
            | Self::NeedsFolder { .. }
            | Self::NotADataset { .. }
            | Self::Manifest { .. }
            | Self::ShardOrder { .. }
            | Self::SchemaVersion { .. }
            | Self::OldSchema { .. }
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
            Self::Rows(ref cause) => os_error(Some((cause, None)), self.to_string()),
            Self::Part { .. } => PyOSError::new_err(self.to_string()),
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

/// The number of the error that there is no such file.
const NO_ENTRY: i32 = 2;

/// What the system said, and of which file.
type SystemError<'a> = (&'a io::Error, Option<&'a Path>);

/// The `OSError` for what the system said: the class, `errno` and `filename` are those that Python gives
/// to its own. The message is the whole one.
fn os_error(system: Option<SystemError<'_>>, message: String) -> PyErr {
    let Some((cause, path)) = system else { return PyOSError::new_err(message) };
    let Some(code) = cause.raw_os_error().filter(|_| cfg!(unix)) else {
        return match cause.kind() {
            ErrorKind::NotFound => PyFileNotFoundError::new_err(message),
            ErrorKind::PermissionDenied => PyPermissionError::new_err(message),
            ErrorKind::AlreadyExists => PyFileExistsError::new_err(message),
            _ => PyOSError::new_err(message),
        };
    };
    // Python shows the number itself.
    let message = message.replace(&format!(" (os error {code})"), "");
    match path {
        Some(path) => PyOSError::new_err((code, message, path.as_os_str().to_owned())),
        None => PyOSError::new_err((code, message)),
    }
}

/// The exception for a dataset that was not measured, with a message that says more.
fn not_measured(cause: &analysis::Error, message: String) -> PyErr {
    match cause {
        analysis::Error::Rows(cause) => os_error(Some((cause, None)), message),
        analysis::Error::Dataset(darkqi_datasets::Error::Threads(_)) => {
            PyRuntimeError::new_err(message)
        }
        analysis::Error::Dataset(error) => os_error(error.system(), message),
        _ => PyValueError::new_err(message),
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
        TryLockError::Poisoned(_) => internal(format!(
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
        Err(internal(format!("internal error: {message}")))
    })
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

fn internal(message: String) -> PyErr {
    Python::attach(|py| match internal_error(py) {
        Ok(kind) => PyErr::from_type(kind.clone(), message),
        Err(error) => error,
    })
}
