//! Estimators of what self-play tells, each with its uncertainty. They know no games and no files.
//!
//! - [`Estimate`], [`Measurement`]: a figure with its 95 % interval, or with its standard error; Elo.

mod estimate;

pub use estimate::{Estimate, Measurement, Z, elo_of_score, score_of_elo};
