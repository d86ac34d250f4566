//! What agents that look ahead share.
//!
//! - `evaluation`, `weights`: what a position is worth, without looking ahead; `gain`: what an action
//!   takes;
//! - `lookahead`, `expectimax`: the search through plies and reveals, with its `table` of positions
//!   and its `limits`;
//! - `ismcts`: the search by sampled worlds.

mod evaluation;
mod expectimax;
mod gain;
mod ismcts;
mod limits;
mod lookahead;
mod table;
pub(crate) mod weights;

pub use evaluation::Evaluation;
pub use expectimax::{Expectimax, Found};
pub(crate) use gain::Gain;
pub use ismcts::Ismcts;
pub use limits::Limits;
pub use weights::Weights;
