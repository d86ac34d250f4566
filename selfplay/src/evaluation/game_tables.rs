//! TOML files of numbers: one table per game.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use darkqi_env::{Options, Spec, games};
use thiserror::Error;

/// Numbers by game, then by name.
pub(super) type Tables = BTreeMap<String, BTreeMap<String, f64>>;

/// A file of piece values, weights or a value net that cannot be used.
#[derive(Debug, Error)]
#[error("{what} {}: {fault}", path.display())]
pub struct EvaluationFileError {
    /// What the file should hold.
    pub what: &'static str,
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub fault: String,
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
    let fault = |fault| EvaluationFileError { what, path: path.to_owned(), fault };
    let contents = contents.map_err(|error| fault(error.to_string()))?;
    let text = str::from_utf8(contents.as_ref()).map_err(|error| error.to_string());
    text.and_then(parse).map_err(fault)
}

/// Parses tables of numbers that are finite in single precision.
///
/// # Errors
/// A description of the fault: text that is not TOML, an unknown game, or what `check` (game, name,
/// the game's spec) objects to.
pub(super) fn parse(
    text: &str,
    check: impl Fn(&str, &str, &Spec) -> Result<(), String>,
) -> Result<Tables, String> {
    let tables: Tables = toml::from_str(text).map_err(|error| error.to_string())?;
    for (game, table) in &tables {
        let spec = Spec::new(game, &Options::new()).map_err(|_| {
            format!("unknown game `[{game}]`; the games are: {}", games::names().join(", "))
        })?;
        for (name, value) in table {
            check(game, name, &spec)?;
            // Searches compute in single precision.
            if !(*value as f32).is_finite() {
                let most = f32::MAX;
                return Err(format!(
                    "{game}.{name}: expected a number within ±{most:e}, found {value}"
                ));
            }
        }
    }
    Ok(tables)
}
