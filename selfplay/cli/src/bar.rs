//! Progress as a bar in a terminal.

use std::fmt::Write;

use darkqi_play::reporting::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

/// A progress bar with rate and remaining time. If it is shown, it draws to standard error where that
/// is a terminal, and disappears when dropped.
#[derive(Debug)]
pub struct Bar(ProgressBar);

impl Bar {
    /// A bar for this many games.
    pub fn new(games: u64, is_shown: bool) -> Self {
        let target = ProgressDrawTarget::stderr();
        let target = if is_shown { target } else { ProgressDrawTarget::hidden() };
        let style = ProgressStyle::with_template(
            "{elapsed_precise} {wide_bar} {human_pos}/{human_len} games, {rate}, ETA {eta}{msg}",
        );
        let style = style.expect("the template is well formed");
        let rate = |state: &ProgressState, out: &mut dyn Write| {
            let rate = state.per_sec();
            let decimals = if rate < 10.0 { 1 } else { 0 };
            // A bar without a rate is still a bar.
            let _ = write!(out, "{rate:.decimals$} games/s");
        };
        let bar = ProgressBar::with_draw_target(Some(games), target);
        Self(bar.with_style(style.with_key("rate", rate)))
    }
}

impl Progress for Bar {
    fn begin(&self, games: u64, finished: u64) {
        self.0.set_length(games);
        self.0.set_position(finished);
        // The rate counts only the games of this run.
        self.0.reset_eta();
    }

    fn played(&self, _: u16) {
        self.0.inc(1);
    }

    fn standing(&self, text: &str) {
        self.0.set_message(format!(", {text}"));
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
