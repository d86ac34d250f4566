//! Ctrl-C, which ends a run after keeping what it can.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

use thiserror::Error;

/// A run was stopped by Ctrl-C; says what it kept.
#[derive(Debug, Error)]
#[error("stopped by Ctrl-C: {0}")]
pub(super) struct Interrupted(pub(super) String);

/// Set by Ctrl-C.
static STOP: AtomicBool = AtomicBool::new(false);

/// Catches Ctrl-C from now on: the first sets what is given back, a second ends the process.
pub(super) fn watch() -> &'static AtomicBool {
    // Without a handler, which only a second one in the process prevents, Ctrl-C just ends it.
    let _ = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            process::exit(130);
        }
    });
    &STOP
}
