//! The server's log, on its standard error: what the person who runs it may read, and others may not.

use std::fmt::Display;
use std::io::{self, Write};

use darkqi_env::shown::printable;

/// Writes a line. Control characters, as of an engine's text, do not reach a terminal.
pub(super) fn log(what: impl Display) {
    // Without a standard error nobody reads it.
    let _ = writeln!(io::stderr(), "darkqi serve: {}", printable(&what.to_string(), |_| false));
}
