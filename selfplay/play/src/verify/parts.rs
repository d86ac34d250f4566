//! Verification by several processes.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use darkqi_analysis::parts::{self, Parts};
use darkqi_format::Dataset;

use super::verification::{Verification, conclude, inspect};
use crate::error::Error;
use crate::generation::ShardFindings;
use crate::reporting::Progress;
use crate::threads::thread_pool;

/// What the shards are asked.
const QUESTION: &str = "the verification";

/// Looks for faults in some shards of a dataset, given by their places in its list, for
/// [`VerificationParts`] in any process: bytes.
///
/// # Errors
/// As [`verify`](super::verify), and if the dataset lists no such shards.
pub fn verify_part(
    dir: &Path,
    shards: Range<usize>,
    threads: NonZeroUsize,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<Vec<u8>, Error> {
    let pool = thread_pool(threads)?;
    let dataset = &Dataset::open_unchecked(dir)?;
    parts::check_shards(dataset, &shards)?;
    let spec = dataset.metadata().spec()?;
    let found = pool.install(|| inspect(&spec, dataset, shards.clone(), progress, stop))?;
    Ok(parts::to_bytes(dataset, QUESTION, shards, &found)?)
}

/// Puts together what [`verify_part`] gives for all shards of a dataset: the result of
/// [`verify`](super::verify).
#[derive(Debug)]
pub struct VerificationParts {
    dataset: Dataset,
    parts: Parts,
    found: Vec<ShardFindings>,
}

impl VerificationParts {
    /// Waits for the first shard. The dataset is the one that `dataset.json` describes now.
    ///
    /// # Errors
    /// If `dataset.json` cannot be parsed.
    pub fn new(dir: &Path) -> Result<Self, Error> {
        let (parts, found) = (Parts::new(QUESTION.to_owned()), Vec::new());
        Ok(Self { dataset: Dataset::open_unchecked(dir)?, parts, found })
    }

    /// Adds the part of the next shards.
    ///
    /// # Errors
    /// If it is not of the next shards, or of another version of darkqi.
    pub fn add(&mut self, part: &[u8]) -> Result<(), Error> {
        self.found.extend(self.parts.take::<ShardFindings>(&self.dataset, part)?);
        Ok(())
    }

    /// All that was found, once all shards are there.
    ///
    /// # Errors
    /// If shards are missing, and as [`verify`](super::verify).
    pub fn finish(self, threads: NonZeroUsize, stop: &AtomicBool) -> Result<Verification, Error> {
        let Self { dataset, parts, found } = self;
        parts.finish(&dataset)?;
        let spec = dataset.metadata().spec()?;
        let pool = thread_pool(threads)?;
        pool.install(|| conclude(&spec, &dataset, found, stop))
    }
}
