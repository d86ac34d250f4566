//! Training positions of value nets, from logged games.

mod positions;

pub use positions::{Positions, Sampling, value_positions};
