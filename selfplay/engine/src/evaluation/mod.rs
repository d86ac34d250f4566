//! Static evaluation: the value of a position and of its pieces, without search.
//!
//! - `piece_values`, `weights`: the parameters, read by `game_tables` from TOML;
//! - `linear`: the evaluation of a position, which a `value_net` corrects;
//! - `sharing`: what each seat gets of a result; `centipawns`: results as scores;
//! - `gain`: the material that an action is expected to capture.

mod centipawns;
mod gain;
mod game_tables;
mod linear;
mod piece_values;
mod sharing;
mod value_net;
mod weights;

pub use centipawns::centipawns_of_value;
pub(crate) use centipawns::value_of_centipawns;
pub(crate) use gain::Gain;
pub use game_tables::EvaluationFileError;
pub(crate) use linear::{Duel, SeatValues};
pub use linear::{Evaluation, Prior};
pub(crate) use piece_values::BUILT_IN_VALUES;
pub use piece_values::PieceValues;
pub(crate) use sharing::share;
pub(crate) use value_net::{Accumulator, each_input};
pub use value_net::{ValueNet, input_count, reflections};
pub(crate) use weights::BUILT_IN_WEIGHTS;
pub use weights::Weights;
