//! Reports of self-play and the arena: progress, figures as text, settings that differ.

pub mod figures;
mod mismatch;

use std::path::Path;

use serde::Serializer;

pub use mismatch::Mismatch;

/// A path as text, for `serialize_with`: bytes that are not UTF-8 are replaced.
pub(crate) fn as_text<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

/// Follows a run. Called from all playing threads.
pub trait Progress: Sync {
    /// A run of `games` games begins. `finished` of them were played before.
    fn begin(&self, _games: u64, _finished: u64) {}

    /// A game of this many plies has ended.
    fn played(&self, plies: u16);

    /// The state of the run, in a few words.
    fn standing(&self, _text: &str) {}

    /// The runs of this agent begin.
    fn agent(&self, _name: &str) {}

    /// This part of what the agent plays is done, as far as it can be told.
    fn advanced(&self, _share: f64) {}

    /// What is to be known is known to this half-width.
    fn narrowed(&self, half_width: f64) {
        self.standing(&format!("± {half_width:.4}"));
    }
}

/// No progress is shown.
impl Progress for () {
    fn played(&self, _: u16) {}
}
