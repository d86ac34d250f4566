//! Self-play into datasets.
//!
//! - `config`, `plan`: what is played, and what follows from it for each game and shard;
//! - `shard`: the games of a shard, played by the driver;
//! - `generate`: shard after shard, written while the next is played;
//! - `resume`: what a dataset already holds;
//! - `summary`: the results.

mod config;
mod generate;
mod plan;
mod resume;
mod shard;
mod summary;

pub use config::{Config, SHARD_GAMES};
pub use generate::selfplay;
pub(crate) use plan::Plan;
pub use summary::{Lengths, Standing, Summary};
