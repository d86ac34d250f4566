//! Verification of datasets: files, numbering, and every game played again.
//!
//! - `manifest`: the list of shards in `dataset.json`, the copies of files that agents read;
//! - `verification`: all of that; `parts`: by several processes.

mod manifest;
mod parts;
mod verification;

pub use parts::{VerificationParts, verify_part};
pub use verification::{Verification, verify};

pub use crate::generation::Fault;
