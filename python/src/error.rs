//! The Python exception of every Rust error, and of a panic.

use std::any::Any;
use std::error::Error;
use std::fmt;
use std::io::{self, ErrorKind};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use darkqi_analysis as analysis;
use darkqi_engine::agents::{AgentError, PolicyFault};
use darkqi_env::{ActionError, BatchError, SetupError};
use darkqi_format::NoThreads;
use darkqi_play::balance;
use darkqi_play::openings::OpeningError;
use darkqi_play::variants::VariantError;
use pyo3::exceptions::{
    PyFileExistsError, PyFileNotFoundError, PyMemoryError, PyOSError, PyPermissionError,
    PyRuntimeError, PyTypeError, PyValueError,
};
use pyo3::prelude::*;
use pyo3::{import_exception, intern};

use crate::bounded::bounded;
use crate::ending::{attached, ended};
use crate::panics::adopt_panics;

import_exception!(darkqi._errors, IllegalActionError);
import_exception!(darkqi._errors, FenError);
import_exception!(darkqi._errors, DatasetError);
import_exception!(darkqi._errors, InternalError);

/// Imports the exceptions, so that they can be raised at any time later, and makes that of panics one of
/// them.
pub(crate) fn prepare(py: Python<'_>) -> PyResult<()> {
    py.get_type::<IllegalActionError>();
    py.get_type::<FenError>();
    py.get_type::<DatasetError>();
    adopt_panics(&py.get_type::<InternalError>())
}

/// The lane of an action in a game that is in none.
pub(crate) const NO_LANE: Option<usize> = None;

/// A Rust error that has a Python exception. In each match, what is not named has the class of most errors of
/// its type.
pub(crate) trait IntoPyErr {
    /// The exception, with the message of the error.
    fn into_py_err(self) -> PyErr;
}

impl IntoPyErr for VariantError {
    fn into_py_err(self) -> PyErr {
        match self {
            Self::Unknown { .. } => PyFileNotFoundError::new_err(self.to_string()),
            Self::Unreadable { ref cause, ref path } => {
                os_error(Some((cause, Some(path))), self.to_string())
            }
            _ => PyValueError::new_err(self.to_string()),
        }
    }
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
            Self::Action { lane, .. } => IllegalActionError::new_err((message, lane)),
            Self::Threads(..) | Self::Over { .. } => PyRuntimeError::new_err(message),
            Self::Memory(_) => PyMemoryError::new_err(message),
            Self::Opponent { lane, cause } => raised(&*cause.0, &format!("lane {lane}"))
                .unwrap_or_else(|| match cause.0.downcast_ref() {
                    Some(PolicyFault::Contents(_)) => PyValueError::new_err(message),
                    // The caller's action is legal, and has been played.
                    Some(PolicyFault::Action(_)) | None => PyRuntimeError::new_err(message),
                }),
            Self::Torn => PyRuntimeError::new_err(message),
            Self::Log(ref cause) => not_logged(&*cause.0, message),
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

impl IntoPyErr for darkqi_env::FenError {
    fn into_py_err(self) -> PyErr {
        FenError::new_err((self.to_string(), self.field))
    }
}

impl IntoPyErr for SetupError {
    fn into_py_err(self) -> PyErr {
        match self {
            Self::Fen(error) => error.into_py_err(),
            Self::Batch(error) => error.into_py_err(),
            Self::Game(_) | Self::Option(_) => PyValueError::new_err(self.to_string()),
        }
    }
}

impl IntoPyErr for darkqi_play::Error {
    fn into_py_err(self) -> PyErr {
        match self {
            Self::Setup(error) => error.into_py_err(),
            Self::Match(error) => error.into_py_err(),
            Self::Dataset(error) => error.into_py_err(),
            Self::Analysis(error) => error.into_py_err(),
            Self::Measure { ref cause, .. } => not_measured(cause, self.to_string()),
            Self::Opening(error) => error.into_py_err(),
            Self::Rules(error) => error.into_py_err(),
            Self::Agent(error) => error.into_py_err(),
            Self::Threads(error) => error.into_py_err(),
            Self::AgentFailed { ref cause, .. } | Self::Undecided { ref cause, .. } => {
                failed(&**cause, self.to_string())
            }
            Self::IllegalAction { action, .. } => {
                IllegalActionError::new_err((self.to_string(), NO_LANE, action))
            }
            Self::NoRun { .. } | Self::Listing { .. } | Self::Contradiction { .. } => {
                PyOSError::new_err(self.to_string())
            }
            Self::Stopped | Self::Replay(_) | Self::Over { .. } => {
                PyRuntimeError::new_err(self.to_string())
            }
            _ => PyValueError::new_err(self.to_string()),
        }
    }
}

impl IntoPyErr for OpeningError {
    fn into_py_err(self) -> PyErr {
        match self {
            Self::Io { ref cause, ref path } => {
                os_error(Some((cause, Some(path))), self.to_string())
            }
            _ => PyValueError::new_err(self.to_string()),
        }
    }
}

impl IntoPyErr for NoThreads {
    fn into_py_err(self) -> PyErr {
        PyRuntimeError::new_err(self.to_string())
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
            Self::Undetermined { .. } | Self::NoValues { .. } | Self::Config { .. } => {
                PyValueError::new_err(message)
            }
            Self::Stopped { .. } => PyRuntimeError::new_err(message),
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

impl IntoPyErr for darkqi_format::Error {
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
            _ => match self.file() {
                Some(file) => {
                    let (file, (column, row)) = (file.as_os_str().to_owned(), self.place());
                    DatasetError::new_err((self.to_string(), file, column, row))
                }
                None => os_error(self.system(), self.to_string()),
            },
        }
    }
}

impl IntoPyErr for analysis::Error {
    fn into_py_err(self) -> PyErr {
        match self {
            Self::Dataset(error) => error.into_py_err(),
            Self::Setup(error) => error.into_py_err(),
            Self::Rows { ref cause } => os_error(Some((cause, None)), self.to_string()),
            Self::Part { .. } => PyOSError::new_err(self.to_string()),
            _ => PyValueError::new_err(self.to_string()),
        }
    }
}

/// What Python code raised, as the cause of a failure. Its message is that of the exception as long as
/// there is a Python that can say it.
pub(crate) struct Raised(pub(crate) PyErr);

impl fmt::Debug for Raised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Raised({self})")
    }
}

impl fmt::Display for Raised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = attached(|_| self.0.to_string());
        f.write_str(text.as_deref().unwrap_or("Python ends"))
    }
}

impl Error for Raised {}
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

/// The exception for games that were not logged, with a message that says more than the cause.
fn not_logged(cause: &(dyn Error + 'static), message: String) -> PyErr {
    let unwritten = cause.source().unwrap_or(cause);
    match (unwritten.downcast_ref(), cause.downcast_ref()) {
        (Some(error), _) | (_, Some(darkqi_play::Error::Dataset(error))) => {
            os_error(darkqi_format::Error::system(error), message)
        }
        (_, Some(darkqi_play::Error::Threads(_))) => PyRuntimeError::new_err(message),
        _ => PyOSError::new_err(message),
    }
}

/// The exception for a dataset that was not measured, with a message that says more.
fn not_measured(cause: &analysis::Error, message: String) -> PyErr {
    match cause {
        analysis::Error::Rows { cause } => os_error(Some((cause, None)), message),
        analysis::Error::Dataset(darkqi_format::Error::Threads(_)) => {
            PyRuntimeError::new_err(message)
        }
        analysis::Error::Dataset(error) => os_error(error.system(), message),
        _ => PyValueError::new_err(message),
    }
}

/// The exception that Python code raised, if it is the cause of a failure, with a note on where.
fn raised(cause: &(dyn Error + Send + Sync + 'static), place: &str) -> Option<PyErr> {
    let Raised(raised) = cause.downcast_ref()?;
    let noted = attached(|py| {
        let raised = raised.clone_ref(py);
        // The note only helps to find the place.
        let _ = raised.value(py).call_method1(intern!(py, "add_note"), (place,));
        raised
    });
    Some(noted.unwrap_or_else(ended))
}

/// The exception for an agent that could not decide: what Python code raised, or the message.
fn failed(cause: &(dyn Error + Send + Sync + 'static), message: String) -> PyErr {
    raised(cause, &message).unwrap_or_else(|| match cause.downcast_ref() {
        Some(PolicyFault::Action(_)) => IllegalActionError::new_err(message),
        Some(PolicyFault::Contents(_)) => PyValueError::new_err(message),
        None => PyRuntimeError::new_err(message),
    })
}

/// The exception for a pickle or a copy of what goes on in native code.
pub(crate) fn not_copied(what: &str, instead: &str) -> PyErr {
    PyTypeError::new_err(format!("{what} can be neither pickled nor copied: {instead}"))
}

/// A result whose error has a Python exception.
pub(crate) trait IntoPyResult<T> {
    /// The result with that exception as its error.
    fn into_py_result(self) -> PyResult<T>;
}

impl<T, E: IntoPyErr> IntoPyResult<T> for Result<T, E> {
    fn into_py_result(self) -> PyResult<T> {
        self.map_err(|error| bounded(error.into_py_err()))
    }
}

/// Runs native code and returns a panic in it as an `InternalError`.
///
/// `AssertUnwindSafe` holds because what the work changes is behind a lock that it took itself. The
/// panic poisons the lock, and [`lock_error`](crate::in_use::lock_error) then refuses every later use.
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
