//! Verification of datasets: files, numbering, and every game played again.
//!
//! - `manifest`: the list of shards in `dataset.json`;
//! - `shard`: one shard, file by file and game by game;
//! - `agent_files`: the copies of files that agents read;
//! - `fault`: what is wrong, and where;
//! - `verification`: all of that; `parts`: by several processes.

mod agent_files;
mod fault;
mod manifest;
mod parts;
mod shard;
mod verification;

pub use fault::Fault;
pub use parts::{VerificationParts, verify_part};
pub use verification::{Verification, verify};
