//! JSON as the commands print it.

use std::io::Write;

use anyhow::Result;
use serde::Serialize;

/// Writes one indented value. Numbers that are not finite become null.
pub(super) fn write(out: &mut dyn Write, value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value)?;
    Ok(writeln!(out, "{text}")?)
}
