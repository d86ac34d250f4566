//! What self-play tells: the worth of first reveals and of pieces, each figure with its uncertainty.
//!
//! The two questions, asked of a [`Dataset`](crate::Dataset):
//!
//! - [`first_reveal()`]: what is the first reveal worth? [`RunningScore`] says when enough has been played.
//! - [`piece_values()`]: what is each piece worth?
//!
//! Their estimators, which know no games and no files:
//!
//! - [`Estimate`], [`Measurement`]: a figure with its 95 % interval, or with its standard error; Elo.
//! - [`ClusterMeans`]: means of groups of observations that come in clusters, and contrasts between them.
//! - [`ControlVariates`]: such a mean, made more precise by what is known to be 0 on average.
//! - [`AnytimeMean`]: a mean whose interval may be looked at after every observation.
//! - [`holm`], [`shrink`]: many figures at once.
//! - [`regression`]: outcomes explained by columns.
//! - [`Calibration`]: how good predictions are.
//!
//! Observations on one deal are not independent. They form a *cluster*; clusters are independent of one another, and
//! what counts for an error is how these differ.

mod anytime;
mod calibration;
mod clusters;
mod controls;
mod deals;
mod distinct;
mod error;
mod estimate;
mod first_reveal;
mod linear;
mod luck;
#[cfg(test)]
mod made_up;
mod many;
mod piece_values;
mod positions;
pub mod regression;
mod row_file;
mod scores;
mod squares;

pub use anytime::AnytimeMean;
pub use calibration::{Bin, Calibration, Quality};
pub use clusters::{Cell, ClusterMeans, Means};
pub use controls::{Adjusted, ControlVariates};
pub use error::{Error, Result};
pub use estimate::{Estimate, Measurement, Z, elo_of_score, score_of_elo};
pub(crate) use first_reveal::square_classes;
pub use first_reveal::{
    Effect, Effects, FirstReveal, LengthBin, Lengths, Outcomes, Revealer, RunningScore, Settled,
    Spread, first_reveal, settled_score,
};
pub use linear::Dropped;
pub use many::{Shrinkage, holm, shrink};
pub use piece_values::{
    Feared, Form, HeldOut, Ordered, POSITIONS_PER_GAME, PieceValues, Term, piece_values,
};
