//! The settings of a sampler: what it reads, and in which order.

use darkqi_env::Format;

use crate::error::{Error, Result};
use crate::threads;

/// The contents of an epoch, and their order.
#[derive(Clone, Debug)]
pub struct SamplerConfig {
    /// The format of observations.
    pub format: Format,
    /// Whether games and rows come in random order; otherwise in the order of the log.
    pub shuffle: bool,
    /// The seed of the order.
    pub seed: u64,
    /// The epoch's number. Each epoch has its own order.
    pub epoch: u64,
    /// Whether rows have the logged values and policies, as targets.
    pub targets: bool,
    /// The number of this worker, from 0. Each game belongs to one worker.
    pub worker: u64,
    /// The number of workers that share the epoch.
    pub num_workers: u64,
    /// The size of the shuffle buffer in rows, at least: whole games are added until it is reached.
    /// Without shuffling it is the number of rows that are recomputed at a time.
    pub buffer_size: usize,
    /// Number of threads: `None` for one per core, 1 for the calling thread alone. A process that is
    /// forked later goes on with the calling thread alone.
    pub threads: Option<usize>,
}

impl Default for SamplerConfig {
    fn default() -> Self {
        Self {
            format: Format::Planes,
            shuffle: true,
            seed: 0,
            epoch: 0,
            targets: false,
            worker: 0,
            num_workers: 1,
            buffer_size: 1 << 16,
            threads: None,
        }
    }
}

impl SamplerConfig {
    pub(super) fn check(&self) -> Result<()> {
        let refuse = |name, expected: &str, found: String| {
            Err(Error::Argument { name, expected: expected.into(), found })
        };
        if self.num_workers == 0 || self.num_workers > u32::MAX.into() {
            return refuse(
                "num_workers",
                "a number from 1 that fits 32 bits",
                self.num_workers.to_string(),
            );
        }
        if self.worker >= self.num_workers {
            let expected = format!("a number below the {} workers", self.num_workers);
            return refuse("worker", &expected, self.worker.to_string());
        }
        if self.buffer_size == 0 {
            return refuse("buffer_size", "at least 1 row", self.buffer_size.to_string());
        }
        threads::check(self.threads)
    }
}
