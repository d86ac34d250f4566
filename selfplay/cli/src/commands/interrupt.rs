//! Ctrl-C and SIGTERM: the run keeps its finished work and ends.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Once};

use darkqi_play::Error;
use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;

/// A run was stopped by a signal. The message says what it kept.
#[derive(Debug, thiserror::Error)]
#[error("stopped by {}: {kept}", if *signal == SIGTERM { "SIGTERM" } else { "Ctrl-C" })]
pub(super) struct Interrupted {
    signal: i32,
    kept: String,
}

/// Set by either signal.
static STOP: AtomicBool = AtomicBool::new(false);

/// The last signal that came.
static SIGNAL: AtomicUsize = AtomicUsize::new(0);

impl Interrupted {
    pub(super) fn new(kept: impl Into<String>) -> Self {
        Self { signal: SIGNAL.load(Ordering::Relaxed) as i32, kept: kept.into() }
    }

    /// The exit code that shells give to a process ended by the signal.
    pub(super) fn exit_code(&self) -> u8 {
        exit_code(self.signal) as u8
    }
}

/// The error of a command. If it came to its end because a signal had come, and does not say what it kept,
/// this says that it was stopped.
pub(super) fn explained(error: anyhow::Error) -> anyhow::Error {
    if !STOP.load(Ordering::Relaxed) || error.is::<Interrupted>() {
        return error;
    }
    let was_reading = matches!(error.downcast_ref(), Some(darkqi_format::Error::Stopped))
        || matches!(error.downcast_ref(), Some(Error::Stopped));
    let kept = if was_reading { "nothing was done".to_owned() } else { format!("{error:#}") };
    Interrupted::new(kept).into()
}

fn exit_code(signal: i32) -> i32 {
    128 + if signal == SIGTERM { SIGTERM } else { SIGINT }
}

/// Makes a write beyond the limit of a file's size (`ulimit -f`) an error of that file. Otherwise the signal
/// ends the process without a word.
pub(super) fn refuse_large_files() {
    // Without a handler it ends as before.
    let _ = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// Handles the signals from now on: the first sets the returned flag, a second ends the process.
pub(super) fn watch() -> &'static AtomicBool {
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| {
        for signal in [SIGINT, SIGTERM] {
            // If no handler can be registered, the signal ends the process. Handlers run in the order
            // of registration: the conditional shutdown must see the flag before it is set.
            let _ = flag::register_conditional_shutdown(signal, exit_code(signal), &STOP)
                .and_then(|_| flag::register_usize(signal, &SIGNAL, signal as usize))
                .and_then(|_| flag::register(signal, &STOP));
        }
    });
    &STOP
}
