//! The game driver: the one loop in which games are played.
//!
//! - `episode`: one game: its legal actions, its end, the check of an action;
//! - `observer`: what is told of each ply;
//! - `lockstep`: many games in flight, whose positions agents see together;
//! - `transcript`: an observer that writes a game's record.

mod episode;
mod lockstep;
mod observer;
mod transcript;

pub(crate) use episode::{Episode, IllegalAction};
pub(crate) use lockstep::{Driver, Interrupt, Seat, Seats, Setup, Workload};
pub(crate) use observer::{Observer, Ply};
pub(crate) use transcript::{GameLabel, MoveNames, Transcript};
