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
//! - [`ClusteredSums`]: means of groups of observations that come in clusters, and contrasts between them.
//! - [`ControlVariates`]: such a mean, made more precise by what is known to be 0 on average.
//! - [`ConfidenceSequence`]: a mean whose interval may be looked at after every observation.
//! - [`holm`], [`shrink`]: many figures at once.
//! - [`regression`]: outcomes explained by columns.
//! - [`Calibration`]: how good predictions are.
//!
//! Observations on one deal are not independent. They form a *cluster*; clusters are independent of one another, and
//! what counts for an error is how these differ.

mod error;
mod first_reveal;
mod games;
mod piece_values;
mod statistics;

pub use error::{Error, Result};
pub(crate) use first_reveal::square_classes;
pub use first_reveal::{
    Effect, Effects, FirstRevealValue, GameLengths, Heterogeneity, LengthBin, Outcomes, Revealer,
    RunningScore, Settled, first_reveal, settled_score,
};
pub use piece_values::{
    FormPair, HeldOut, OrderedCuts, POSITIONS_PER_GAME, PieceValues, Term, ValueByThreats,
    piece_values,
};
pub use statistics::{
    Adjusted, Bin, Calibration, ClusteredMeans, ClusteredSums, ConfidenceSequence, ControlVariates,
    DroppedColumn, Estimate, Measurement, Quality, Shrinkage, WeightedSum, Z, elo_of_score, holm,
    regression, score_of_elo, shrink,
};
