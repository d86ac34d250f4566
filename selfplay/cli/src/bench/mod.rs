//! How fast a batch steps under random play.
//!
//! - `measure`: warm-up and timed repeats;
//! - `stepped_batch`: a batch with its rows, stepped at random;
//! - `lane_games`: how long the games of all lanes are;
//! - `memory_fill`: how fast the machine writes memory;
//! - `machine`: what the figures were measured on.

mod lane_games;
pub(crate) mod machine;
mod measure;
mod memory_fill;
mod stepped_batch;

pub(crate) use measure::{Config, Measurement, Repeat, measure};
