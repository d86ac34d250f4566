//! What each piece is worth.
//!
//! A logistic regression of final results on differences of piece counts: the odds of two seats to win are as
//! `exp(sum value * difference)`. Up to so many quiet positions are sampled from each game and weigh one game together;
//! errors are clustered by deal. Draws count as half a win; an ordered logit, which tells draws apart, stands beside.

mod feature;
mod fit;
mod positions;
mod results;
mod row_file;
mod sample;

pub use fit::{POSITIONS_PER_GAME, piece_values};
pub use results::{FormPair, HeldOut, OrderedCuts, PieceValues, Term, ValueByThreats};
