//! The game driver: the one loop in which games are played.
//!
//! - `lockstep`: many games in flight, whose positions agents see together;
//! - `transcript`: the record of a game, ply by ply.

mod lockstep;
mod transcript;

pub(crate) use lockstep::{Driver, IllegalAction, Interrupt, Seat, Seats, Setup, Workload};
pub(crate) use transcript::{GameLabel, Names, Transcript};
