//! Self-play into datasets.
//!
//! - `config`, `plan`: what is played, and what follows from it for each game and shard;
//! - `check`: whether a logged game is that of the plan;
//! - `shard`: the games of a shard, played by the driver;
//! - `journal`: games that are kept before their shard is finished;
//! - `settings`: what a run writes about itself, and whether two runs are the same;
//! - `listing`: whether the list of shards fits the plan and the files;
//! - `survey`: which shards are in a folder;
//! - `pipeline`: playing while writing;
//! - `generate`: shard after shard, written while the next is played;
//! - `shards`: some shards, while other processes play others; `finish`: one dataset of them all;
//! - `resume`: what a dataset already holds;
//! - `summary`: the results.

mod check;
mod config;
mod finish;
mod generate;
mod journal;
mod listing;
mod pipeline;
mod plan;
mod resume;
mod settings;
mod shard;
mod shards;
mod summary;
mod survey;

pub(crate) use check::differences;
pub use config::{Config, SHARD_GAMES};
pub use finish::{Finished, Surveyed, finish, list, survey};
pub use generate::{prepare, selfplay};
pub(crate) use plan::Plan;
pub use resume::kept_games;
pub use summary::{Lengths, Standing, Summary};
