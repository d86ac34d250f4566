//! Errors of a report.

use std::path::PathBuf;

use darkqi_analysis as analysis;
use darkqi_env::SetupError;
use darkqi_report as report;
use thiserror::Error;

/// An error of a report. No page was written.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages name the fields")]
pub enum Error {
    /// A dataset that cannot be read, or a page that cannot be written.
    #[error(transparent)]
    Dataset(darkqi_format::Error),
    /// Datasets that do not make one report.
    #[error(transparent)]
    Contents(#[from] report::Error),
    /// The game does not exist.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// A dataset that cannot be measured.
    #[error("{}: {cause}", dir.display())]
    Measure { dir: PathBuf, cause: analysis::Error },
    /// Stopped before the page was written.
    #[error("stopped")]
    Stopped,
}

impl From<darkqi_format::Error> for Error {
    fn from(error: darkqi_format::Error) -> Self {
        match error {
            darkqi_format::Error::Stopped => Self::Stopped,
            error => Self::Dataset(error),
        }
    }
}
