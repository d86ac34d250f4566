//! The value of each piece.
//!
//! A logistic regression of final results on differences of piece counts: the odds of winning are
//! `exp(sum value * difference)`. A fixed number of quiet positions is sampled from each game, with
//! a total weight of 1 per game. Errors are clustered by deal. Draws count as half a win; an
//! ordered logit, which treats draws as an outcome of their own, is reported beside.

mod feature;
mod fit;
mod parts;
mod phases;
mod positions;
mod regions;
mod results;
mod row_file;
mod sample;
#[cfg(test)]
mod simulation;
mod unit;

pub use fit::{POSITIONS_PER_GAME, piece_values, piece_values_in};
pub use parts::{PieceValueParts, SampledPart, answer_about_rows, piece_values_part};
pub use phases::{PhaseBy, PhaseFigures, PhasedTerm, PhasedValues, piece_values_by_phase};
pub use positions::Quiet;
pub use regions::{
    DEALS_PER_REGION, RegionDifference, RegionFigures, RegionalKind, RegionalValues, UndividedTerm,
    piece_values_by_region,
};
pub use results::{Basis, FormPair, HeldOut, OrderedCuts, PieceValues, Term, ValueByThreats};
pub use unit::Unit;
