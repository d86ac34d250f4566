//! JSON as the commands print it.

use std::io::{self, Write};

use serde::Serialize;

/// Writes one indented value. Numbers that are not finite become null.
pub(super) fn write(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_string_pretty(value).map_err(io::Error::from)?;
    writeln!(out, "{text}")
}
