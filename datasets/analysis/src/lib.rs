//! First-reveal advantage and piece values from self-play, each figure with its uncertainty.
//!
//! These questions are asked of a [`Dataset`](darkqi_format::Dataset):
//!
//! - [`first_reveal()`]: what is the first reveal worth? [`RunningScore`] tells when enough games
//!   have been played. [`first_reveal_judged`] takes more luck out of the score.
//! - [`Comparison`]: do datasets differ, by agent or by rules? [`PairedDifferences`] tells when enough
//!   games have been played.
//! - [`piece_values()`]: what is each piece worth? [`piece_values_by_phase`]: early and late in games?
//!   [`piece_values_by_region`]: in which part of the board?
//!
//! Several processes share the work: each computes a part, [`first_reveal_part`] or
//! [`piece_values_part`](piece_values::piece_values_part), and one puts them together,
//! [`FirstRevealParts`] or [`PieceValueParts`](piece_values::PieceValueParts).
//!
//! [`Evidence`] decides whether figures may be shown, are warned of or are withheld.
//!
//! [`statistics`] has the estimators, which know no games and no files. Their figures are an
//! [`Estimate`], with its 95 % interval, or a [`Measurement`], with its standard error.
//!
//! Games on one deal are not independent. They form a *cluster*. Clusters are independent of one
//! another, and standard errors come from the differences between clusters.

mod comparison;
mod error;
mod evidence;
mod first_reveal;
mod games;
mod paired_differences;
pub mod parts;
pub mod piece_values;
pub mod statistics;

pub use comparison::{Comparison, Difference, Equality, Quantity};
pub use error::{Error, Result};
pub use evidence::{Doubt, Evidence, FitEvidence, Judgement, count, counted};
pub use first_reveal::{
    DEALS_PER_COVARIATE, Effect, Effects, FirstRevealParts, FirstRevealValue, GameLengths,
    Heterogeneity, LengthBin, LengthHistogram, Outcomes, RevealJudge, RevealLuck, Revealer,
    RunningScore, Settled, SettledScores, first_reveal, first_reveal_judged, first_reveal_part,
    is_failed_capture, labels, settled_scores, square_classes,
};
pub use games::{Beginnings, score};
pub use paired_differences::{PairedDifferences, SettledDifference, SettledDifferences};
pub use piece_values::{
    PhasedValues, PieceValues, RegionalValues, piece_values, piece_values_by_phase,
    piece_values_by_region, piece_values_in,
};
pub use statistics::{Estimate, Measurement, SIGNIFICANT};
