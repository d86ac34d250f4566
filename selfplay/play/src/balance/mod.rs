//! Piece values by self-play.
//!
//! - `config`: what is played;
//! - `rounds`: play, fit, play with the fitted values, until they converge; then a test;
//! - `scaled`: fitted values as files for agents.

mod config;
mod error;
mod rounds;
mod scaled;

pub use config::Balance;
pub use error::Error;
pub use rounds::{Balanced, Round, RoundValue, balance};
pub use scaled::{Scaled, save};
