//! What self-play and the arena report: progress, scores, and settings that differ.

mod mismatch;
mod progress;
mod score;

pub use mismatch::Mismatch;
pub use progress::{Bar, Progress};
pub use score::Score;
pub(crate) use score::ScoreSum;
