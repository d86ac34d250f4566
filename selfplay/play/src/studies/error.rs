//! Errors of studies.

use darkqi_analysis as analysis;

use crate::arena;

/// An error of a study.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages name the fields")]
pub enum Error {
    /// A run that cannot be played.
    #[error(transparent)]
    Run(crate::Error),
    /// A match that cannot be played.
    #[error(transparent)]
    Match(arena::Failed),
    /// A dataset that cannot be read.
    #[error(transparent)]
    Dataset(darkqi_format::Error),
    /// A dataset that cannot be measured.
    #[error(transparent)]
    Analysis(analysis::Error),
    /// A setting that cannot be used.
    #[error("{field}: expected {expected}, got {found}")]
    Config { field: &'static str, expected: String, found: String },
    /// Stopped before there was a result.
    #[error("stopped")]
    Stopped,
}

impl Error {
    /// Whether it came while games were played, so that those before it are in the study's folder.
    pub fn came_in_play(&self) -> bool {
        match self {
            Self::Run(error) => error.came_in_play(),
            Self::Match(failed) => failed.so_far.is_some(),
            _ => false,
        }
    }

    /// A setting that cannot be used.
    pub(super) fn config(
        field: &'static str,
        expected: impl Into<String>,
        found: impl ToString,
    ) -> Self {
        Self::Config { field, expected: expected.into(), found: found.to_string() }
    }
}

impl From<arena::Failed> for Error {
    fn from(failed: arena::Failed) -> Self {
        match *failed.cause {
            crate::Error::Stopped => Self::Stopped,
            _ => Self::Match(failed),
        }
    }
}

impl From<crate::Error> for Error {
    fn from(error: crate::Error) -> Self {
        match error {
            crate::Error::Stopped => Self::Stopped,
            error => Self::Run(error),
        }
    }
}

impl From<darkqi_format::Error> for Error {
    fn from(error: darkqi_format::Error) -> Self {
        match error {
            darkqi_format::Error::Stopped => Self::Stopped,
            error => Self::Dataset(error),
        }
    }
}

impl From<analysis::Error> for Error {
    fn from(error: analysis::Error) -> Self {
        match error {
            analysis::Error::Stopped => Self::Stopped,
            analysis::Error::Dataset(error) => error.into(),
            error => Self::Analysis(error),
        }
    }
}
