//! What a position and its pieces are worth, without search.
//!
//! - `piece_values`, `weights`: the parameters, read by `game_tables` from TOML;
//! - `linear`: the evaluation of a position;
//! - `sharing`: what each seat gets of a result;
//! - `gain`: the material that an action is expected to capture.

mod gain;
mod game_tables;
mod linear;
mod piece_values;
mod sharing;
mod weights;

pub(crate) use gain::Gain;
pub use game_tables::TableError;
pub use linear::Evaluation;
pub(crate) use linear::SeatValues;
pub(crate) use piece_values::BUILT_IN_VALUES;
pub use piece_values::PieceValues;
pub(crate) use sharing::share;
pub(crate) use weights::BUILT_IN_WEIGHTS;
pub use weights::Weights;
