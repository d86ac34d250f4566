//! Self-play into datasets.
//!
//! - `config`, `plan`: what is played, and what follows from it for each game and shard;
//! - `check`: whether a logged game is that of the plan;
//! - `shard`: the games of a shard, played by the driver;
//! - `journal`: games that are kept before their shard is finished;
//! - `generate`: shard after shard, written while the next is played;
//! - `resume`: what a dataset already holds;
//! - `summary`: the results.

mod check;
mod config;
mod generate;
mod journal;
mod plan;
mod resume;
mod shard;
mod summary;

pub(crate) use check::differences;
pub use config::{Config, SHARD_GAMES};
pub use generate::selfplay;
pub(crate) use plan::Plan;
pub use resume::kept_games;
pub use summary::{Lengths, Standing, Summary};
