//! JSON, and files that commands write, or `-` for standard output.

use std::io::Write;
use std::path::Path;

use anyhow::{Result, bail};
use darkqi_format::{self as datasets, check_output, write_output};
use serde::Serialize;

use super::interrupt::{self, Interrupted};
use super::screen::Screen;

/// Whether a path stands for standard output.
pub(super) fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// Refuses a file of a dataset before the work whose result it would hold.
pub(super) fn check(path: &Path) -> Result<()> {
    if is_stdout(path) {
        return Ok(());
    }
    check_output(path)?;
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            bail!("cannot write {}: {} is no folder", path.display(), folder.display())
        }
        _ => Ok(()),
    }
}

/// Writes to a file, or to `out` for `-`.
pub(super) fn write(out: &mut Screen<'_>, path: &Path, contents: &[u8]) -> Result<()> {
    if is_stdout(path) {
        return Ok(out.raw().write_all(contents)?);
    }
    write_file(path, contents)
}

/// Writes to a file.
pub(super) fn write_file(path: &Path, contents: &[u8]) -> Result<()> {
    match write_output(path, contents, interrupt::watch()) {
        Err(datasets::Error::Stopped) => {
            Err(Interrupted::new(format!("{} was not written", path.display())).into())
        }
        written => Ok(written?),
    }
}

/// Prints a value as JSON or as tables.
pub(super) fn print<T: Serialize>(
    is_json: bool,
    out: &mut dyn Write,
    value: &T,
    tables: impl FnOnce(&mut dyn Write, &T) -> Result<()>,
) -> Result<()> {
    if is_json { write_json(out, value) } else { tables(out, value) }
}

/// Writes one indented value. Numbers that are not finite become null.
pub(super) fn write_json(out: &mut dyn Write, value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value)?;
    Ok(writeln!(out, "{text}")?)
}
