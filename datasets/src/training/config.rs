//! What a sampler reads, and in which order.

use darkqi_env::Format;

use crate::error::{Error, Result};

/// More threads than this are a slip: no machine has so many cores.
const MAX_THREADS: usize = 1024;

/// What is read, and in which order.
#[derive(Clone, Debug)]
pub struct SamplerConfig {
    /// How observations are written.
    pub format: Format,
    /// Whether games and rows come in random order; otherwise they come as they are logged.
    pub shuffle: bool,
    /// The seed of the order.
    pub seed: u64,
    /// The epoch's number: each has an order of its own.
    pub epoch: u64,
    /// Which of the workers this is, from 0. Each game is one worker's.
    pub worker: u64,
    /// The number of workers that share the epoch.
    pub num_workers: u64,
    /// Rows that are recomputed at a time, at least, and mixed with one another if they are shuffled: games are added until
    /// there are so many.
    pub buffer_size: usize,
    /// Number of threads: `None` for rayon's shared pool, 1 for the calling thread alone. A process that was forked must
    /// not use the pool of the one that it was forked from.
    pub num_threads: Option<usize>,
}

impl Default for SamplerConfig {
    fn default() -> Self {
        Self {
            format: Format::Planes,
            shuffle: true,
            seed: 0,
            epoch: 0,
            worker: 0,
            num_workers: 1,
            buffer_size: 1 << 16,
            num_threads: None,
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
            let expected = format!("a number below that of the workers, {}", self.num_workers);
            return refuse("worker", &expected, self.worker.to_string());
        }
        if self.buffer_size == 0 {
            return refuse("buffer_size", "at least 1 row", self.buffer_size.to_string());
        }
        match self.num_threads {
            Some(threads) if threads == 0 || threads > MAX_THREADS => {
                let expected = format!("a number from 1 to {MAX_THREADS}");
                refuse("num_threads", &expected, threads.to_string())
            }
            _ => Ok(()),
        }
    }
}
