//! Verification by several processes.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use darkqi_format::{Dataset, Shard};
use serde::{Deserialize, Serialize};

use super::verification::{Verification, conclude, inspect, spec_of};
use crate::error::Error;
use crate::generation::ShardFindings;
use crate::reporting::Progress;
use crate::threads::thread_pool;

/// The findings of one process in some shards.
#[derive(Serialize, Deserialize)]
struct Part {
    software_version: String,
    shards: Vec<Shard>,
    found: Vec<ShardFindings>,
}

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
    let listed = dataset.shards().get(shards.clone()).ok_or_else(|| Error::ShardRange {
        found: shards.start as u64..shards.end as u64,
        shards: dataset.shards().len() as u64,
    })?;
    let spec = spec_of(dataset)?;
    let found = pool.install(|| inspect(&spec, dataset, shards, progress, stop))?;
    let software_version = env!("CARGO_PKG_VERSION").to_owned();
    let part = Part { software_version, shards: listed.to_vec(), found };
    serde_json::to_vec(&part).map_err(|cause| Error::Part { fault: cause.to_string() })
}

/// Puts together what [`verify_part`] gives for all shards of a dataset: the result of
/// [`verify`](super::verify).
#[derive(Debug)]
pub struct VerificationParts {
    dataset: Dataset,
    found: Vec<ShardFindings>,
}

impl VerificationParts {
    /// Waits for the first shard. The dataset is the one that `dataset.json` describes now.
    ///
    /// # Errors
    /// If `dataset.json` cannot be parsed.
    pub fn new(dir: &Path) -> Result<Self, Error> {
        Ok(Self { dataset: Dataset::open_unchecked(dir)?, found: Vec::new() })
    }

    /// Adds the part of the next shards.
    ///
    /// # Errors
    /// If it is not of the next shards, or of another version of darkqi.
    pub fn add(&mut self, part: &[u8]) -> Result<(), Error> {
        let fault = |fault: String| Error::Part { fault };
        let part: Part = serde_json::from_slice(part).map_err(|cause| fault(cause.to_string()))?;
        let expected = env!("CARGO_PKG_VERSION");
        if part.software_version != expected {
            let found = part.software_version;
            return Err(fault(format!(
                "expected one by darkqi {expected}, as this process is, found {found}"
            )));
        }
        let next = self.found.len();
        let listed = self.dataset.shards().get(next..next + part.shards.len());
        if part.found.len() != part.shards.len() || listed != Some(&part.shards) {
            return Err(fault(format!(
                "expected shards from place {next} on, as `dataset.json` listed them at the start; a \
                 writer may have changed them"
            )));
        }
        self.found.extend(part.found);
        Ok(())
    }

    /// All that was found, once all shards are there.
    ///
    /// # Errors
    /// If shards are missing, and as [`verify`](super::verify).
    pub fn finish(self, threads: NonZeroUsize, stop: &AtomicBool) -> Result<Verification, Error> {
        let Self { dataset, found } = self;
        let (seen, whole) = (found.len(), dataset.shards().len());
        if seen < whole {
            return Err(Error::Part { fault: format!("shards {seen} to {whole} are missing") });
        }
        let spec = spec_of(&dataset)?;
        let pool = thread_pool(threads)?;
        pool.install(|| conclude(&spec, &dataset, found, stop))
    }
}
