//! How fast a batch steps under random play, checked while it is measured.
//!
//! - `measure`: warm-up, timed repeats, checks;
//! - `stepped_batch`: a batch with its rows, stepped at random;
//! - `lane_games`: which game each lane plays, and how long finished ones were;
//! - `reference_games`: the same games played one at a time, and the comparison;
//! - `memory_fill`: how fast the machine writes memory;
//! - `machine`: what the figures were measured on.

mod config;
mod error;
mod lane_games;
pub(crate) mod machine;
mod measure;
mod memory_fill;
mod reference_games;
mod stepped_batch;

pub(crate) use config::Config;
pub(crate) use measure::{Measurement, Repeat, measure};
