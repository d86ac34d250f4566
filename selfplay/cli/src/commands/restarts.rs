//! Engines that were started again, as the commands tell of them.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::format::counted;

/// Writes a line for each agent whose engine was started again.
pub(super) fn write(out: &mut dyn Write, restarts: &BTreeMap<String, u64>) -> io::Result<()> {
    for (agent, &number) in restarts {
        writeln!(out, "{agent} failed and was started again: {}", counted(number, "time"))?;
    }
    Ok(())
}
