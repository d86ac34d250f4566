//! Reports of self-play and the arena: progress, scores, figures as text, settings that differ.

pub mod figures;
mod mismatch;
mod paths;
mod progress;
mod score;

pub use mismatch::Mismatch;
pub(crate) use paths::as_text;
pub use progress::Progress;

pub(crate) use score::{ScoreSum, elo, score};
