//! Files of openings.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::error::OpeningError;

/// The most lines: `dataset.json` keeps them all.
const MAX_LINES: usize = 10_000;

/// The most bytes of a file, more than 1,600 for each line.
const MAX_BYTES: u64 = 1 << 24;

/// Reads the openings of a file, one a line. Empty lines and lines that begin with `#` are left out.
///
/// # Errors
/// If the file cannot be read, or holds no opening, more than 10,000 or more than 16 MiB.
pub fn read_openings(path: &Path) -> Result<Vec<String>, OpeningError> {
    let text = read_text(path).map_err(|cause| OpeningError::Io { path: path.into(), cause })?;
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    let lines: Vec<String> =
        lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(Into::into).collect();
    match check_openings(&lines) {
        Ok(()) => Ok(lines),
        Err(OpeningError::Number { expected, found }) => {
            Err(OpeningError::Lines { path: path.into(), expected, found })
        }
        Err(error) => Err(error),
    }
}

/// The text of a file, or of a pipe, which may have no end.
fn read_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    let length = File::open(path)?.take(MAX_BYTES + 1).read_to_string(&mut text)?;
    if length as u64 > MAX_BYTES {
        let expected = format!("expected at most {MAX_BYTES} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, expected));
    }
    Ok(text)
}

/// Whether there are openings, and not too many.
///
/// # Errors
/// If there are none or more than 10,000.
pub fn check_openings(lines: &[String]) -> Result<(), OpeningError> {
    if (1..=MAX_LINES).contains(&lines.len()) {
        return Ok(());
    }
    let expected = format!("1 to {MAX_LINES} openings, one a line");
    Err(OpeningError::Number { expected, found: lines.len() })
}
