//! The order of the games in an epoch, and the worker that reads each.

use std::vec;

use darkqi_env::{Rng, Stream, rng::game_seed};

use super::config::SamplerConfig;

/// The order in which one worker reads shards, and games within them.
///
/// All workers sample the same order of all games and take turns, so that each game belongs to one
/// worker and the numbers of games differ by at most one.
#[derive(Debug)]
pub(super) struct Epoch {
    /// The remaining shards, by their index in the dataset's list.
    shards: vec::IntoIter<usize>,
    /// None without shuffling.
    ///
    /// [`Rng::shuffle`] is used instead of the `rand` crate's: the order of an epoch must never
    /// change, so that a training run can be repeated with a later version.
    rng: Option<Rng>,
    worker: u64,
    workers: u64,
    /// The number of games in earlier shards, modulo the number of workers.
    assigned: u64,
}

impl Epoch {
    /// An epoch over this number of shards.
    pub(super) fn new(config: &SamplerConfig, shards: usize) -> Self {
        let mut rng = config.shuffle.then(|| rng(config, Stream::GameOrder));
        let mut shards: Vec<usize> = (0..shards).collect();
        if let Some(rng) = &mut rng {
            rng.shuffle(&mut shards);
        }
        let SamplerConfig { worker, num_workers: workers, .. } = *config;
        Self { shards: shards.into_iter(), rng, worker, workers, assigned: 0 }
    }

    /// The next shard.
    pub(super) fn next_shard(&mut self) -> Option<usize> {
        self.shards.next()
    }

    /// The rows of this worker's games in the next shard, which holds `games`, in reading order.
    pub(super) fn worker_rows(&mut self, games: u64) -> Vec<u64> {
        let mut rows: Vec<u64> = (0..games).collect();
        if let Some(rng) = &mut self.rng {
            rng.shuffle(&mut rows);
        }
        let first = (self.worker + self.workers - self.assigned) % self.workers;
        self.assigned = (self.assigned + games) % self.workers;
        rows.into_iter().skip(first as usize).step_by(self.workers as usize).collect()
    }

    /// Drops the remaining shards.
    pub(super) fn end(&mut self) {
        self.shards = Vec::new().into_iter();
    }
}

/// The random stream of one purpose within the epoch.
pub(super) fn rng(config: &SamplerConfig, stream: Stream) -> Rng {
    Rng::new(game_seed(config.seed, config.epoch), stream)
}
