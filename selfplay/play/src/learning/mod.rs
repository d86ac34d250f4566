//! What value nets are fitted to: positions of logged games.

mod positions;

pub use positions::{Positions, Sampling, value_positions};
