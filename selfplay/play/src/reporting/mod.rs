//! Reports of self-play, the arena and replays: progress, scores, settings that differ, endings.

mod ending;
mod mismatch;
mod paths;
mod progress;
mod score;

pub(crate) use ending::counted;
pub use ending::ending;
pub use mismatch::Mismatch;
pub(crate) use paths::as_text;
pub use progress::Progress;

pub(crate) use score::{ScoreSum, elo, score};
