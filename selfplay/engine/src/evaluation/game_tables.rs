//! TOML files of numbers: one table per game.

use std::collections::BTreeMap;
use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use darkqi_env::{Options, Spec, games};
use thiserror::Error;

/// Numbers by game, then by name.
pub(super) type Tables = BTreeMap<String, BTreeMap<String, f64>>;

/// A file of piece values, weights or a value net that cannot be used.
#[derive(Debug, Error)]
#[error("{what} {}: {fault}", path.display())]
pub struct EvaluationFileError {
    /// The contents expected.
    pub what: &'static str,
    /// The file.
    pub path: PathBuf,
    /// The fault.
    pub fault: String,
    /// The system's error, if the file cannot be read.
    pub cause: Option<io::Error>,
}

impl EvaluationFileError {
    /// A file with a fault.
    pub(in crate::evaluation) fn new(what: &'static str, path: &Path, fault: String) -> Self {
        Self { what, path: path.to_owned(), fault, cause: None }
    }

    /// A file that cannot be read.
    pub(in crate::evaluation) fn unreadable(
        what: &'static str,
        path: &Path,
        cause: io::Error,
    ) -> Self {
        let fault = cause.to_string();
        Self { cause: Some(cause), ..Self::new(what, path, fault) }
    }
}

/// Parses what was read of a file of `what`.
///
/// # Errors
/// If the file cannot be read, or `parse` finds a fault.
pub(super) fn read(
    what: &'static str,
    path: &Path,
    contents: io::Result<impl AsRef<[u8]>>,
    parse: impl FnOnce(&str) -> Result<Tables, String>,
) -> Result<Tables, EvaluationFileError> {
    let contents = contents.map_err(|cause| EvaluationFileError::unreadable(what, path, cause))?;
    let text = str::from_utf8(contents.as_ref()).map_err(|error| error.to_string());
    text.and_then(parse).map_err(|fault| EvaluationFileError::new(what, path, fault))
}

/// The range of numbers that are far from meaning anything at its ends. Searches compute in single
/// precision, in which products of such numbers are finite.
pub(super) const ANY: RangeInclusive<f64> = -1e6..=1e6;

/// Parses tables of numbers. `range` says how large one may be, of a game, a name and the game's spec.
///
/// # Errors
/// A description of the fault: text that is not TOML, an unknown game, a number out of its range, or
/// what `range` objects to.
pub(super) fn parse(
    text: &str,
    range: impl Fn(&str, &str, &Spec) -> Result<RangeInclusive<f64>, String>,
) -> Result<Tables, String> {
    let tables: Tables = toml::from_str(text).map_err(|error| error.to_string())?;
    for (game, table) in &tables {
        let spec = Spec::new(game, &Options::new()).map_err(|_| {
            format!("unknown game `[{game}]`; the games are: {}", games::names().join(", "))
        })?;
        for (name, value) in table {
            let range = range(game, name, &spec)?;
            if !range.contains(value) {
                let (least, most) = range.into_inner();
                return Err(format!(
                    "{game}.{name}: expected a number from {least} to {most}, found {value}"
                ));
            }
        }
    }
    Ok(tables)
}
