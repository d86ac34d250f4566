//! How a run tells what it has done so far.

use indicatif::{ProgressBar, ProgressStyle};

/// Takes note of games as they end. Called from all playing threads.
pub trait Progress: Sync {
    /// A game of this many plies has ended.
    fn played(&self, plies: u16);
}

/// Nobody watches.
impl Progress for () {
    fn played(&self, _: u16) {}
}

/// A bar with rate and remaining time, which draws to standard error if that is a terminal and
/// vanishes when dropped.
#[derive(Debug)]
pub struct Bar(ProgressBar);

impl Bar {
    /// A bar for this many games.
    pub fn new(games: u64) -> Self {
        let style = ProgressStyle::with_template(
            "{elapsed_precise} {wide_bar} {human_pos}/{human_len} games, {per_sec}, ETA {eta}",
        );
        Self(ProgressBar::new(games).with_style(style.expect("the template is well formed")))
    }
}

impl Progress for Bar {
    fn played(&self, _: u16) {
        self.0.inc(1);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
