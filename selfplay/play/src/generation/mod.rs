//! Runs of games.
//!
//! - `job`: what is played and where it is written, of self-play, matches and studies alike, and the options by
//!   which people give it; whether two jobs are the same;
//! - `schedule`: the deal and the players of each game, a pure function of the job and a number; `seats`:
//!   those of two agents in a match;
//! - `workers`: threads that play games; `lockstep`: the loop in which one of them plays;
//! - `folder`: what a run's folder holds, and how shards and parts are written to it;
//! - `run`: what is played, handed on in order, and counted;
//! - `inspect`: whether a shard is sound; `fault`: what is wrong with one;
//! - `finish`: one dataset of the shards of several processes;
//! - `selfplay`, `summary`: self-play and its results.

mod fault;
mod finish;
mod folder;
mod inspect;
mod job;
mod lockstep;
mod run;
mod schedule;
mod seats;
mod selfplay;
mod summary;
mod workers;

pub use fault::Fault;
pub(crate) use fault::{Faults, MAX_NAMED};
pub use finish::{Finished, Surveyed, finish, list, survey};
pub(crate) use inspect::{Inspector, ShardFindings};
pub(crate) use job::Seating;
pub use job::{Job, Lines, SHARD_GAMES};
pub(crate) use run::{Ran, Tally, run};
pub(crate) use schedule::{Schedule, check_games, pairs};
pub(crate) use seats::PairSeats;
pub use selfplay::{kept_games, prepare, selfplay};
pub use summary::{Lengths, Standing, Summary};
pub(crate) use workers::Ended;
