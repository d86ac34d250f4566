//! The server's log, on its standard error: what the person who runs it may read, and others may not.

use std::fmt::Display;
use std::io::{self, Write};

/// Writes a line. Control characters, as of an engine's text, do not reach a terminal.
pub(super) fn log(what: impl Display) {
    let mut line = String::new();
    for character in what.to_string().chars() {
        if character.is_control() {
            line.extend(character.escape_default());
        } else {
            line.push(character);
        }
    }
    // Without a standard error nobody reads it.
    let _ = writeln!(io::stderr(), "darkqi serve: {line}");
}
