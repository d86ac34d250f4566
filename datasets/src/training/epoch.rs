//! Which game of a dataset comes when in an epoch, and to which worker.

use std::vec;

use darkqi_env::{Rng, Stream, game_seed};

use super::config::SamplerConfig;

/// The order in which one worker reads shards, and games within them.
///
/// All workers draw the same order of all games and share it out like cards, so that each game is one worker's and their
/// shares differ by one game at most.
#[derive(Debug)]
pub(super) struct Epoch {
    /// The shards to come, by their places in the dataset's list.
    shards: vec::IntoIter<usize>,
    /// None where everything comes as it is logged.
    rng: Option<Rng>,
    worker: u64,
    workers: u64,
    /// Games of the shards before, modulo the number of workers.
    assigned: u64,
}

impl Epoch {
    /// An epoch of so many shards.
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

    /// The worker's games of that shard, which holds so many: their rows, in the order in which they come.
    pub(super) fn worker_rows(&mut self, games: u64) -> Vec<u64> {
        let mut rows: Vec<u64> = (0..games).collect();
        if let Some(rng) = &mut self.rng {
            rng.shuffle(&mut rows);
        }
        let first = (self.worker + self.workers - self.assigned) % self.workers;
        self.assigned = (self.assigned + games) % self.workers;
        rows.into_iter().skip(first as usize).step_by(self.workers as usize).collect()
    }

    /// Leaves out the shards to come.
    pub(super) fn end(&mut self) {
        self.shards = Vec::new().into_iter();
    }
}

/// The generator of one purpose within the epoch.
pub(super) fn rng(config: &SamplerConfig, stream: Stream) -> Rng {
    Rng::new(game_seed(config.seed, config.epoch), stream)
}

#[cfg(test)]
mod tests {
    use super::Epoch;
    use crate::training::SamplerConfig;

    const SHARDS: [u64; 4] = [5, 1, 7, 4];

    /// The games of one worker as (shard, row).
    fn games(config: &SamplerConfig) -> Vec<(usize, u64)> {
        let mut epoch = Epoch::new(config, SHARDS.len());
        let mut games = Vec::new();
        while let Some(shard) = epoch.next_shard() {
            games.extend(epoch.worker_rows(SHARDS[shard]).into_iter().map(|row| (shard, row)));
        }
        games
    }

    fn config(seed: u64, epoch: u64) -> SamplerConfig {
        SamplerConfig { seed, epoch, ..SamplerConfig::default() }
    }

    #[test]
    fn workers_share_all_games_evenly() {
        let all: Vec<_> =
            (0..4).flat_map(|shard| (0..SHARDS[shard]).map(move |row| (shard, row))).collect();
        for shuffle in [false, true] {
            for workers in [1, 2, 3, 20] {
                let share = |worker| {
                    games(&SamplerConfig { shuffle, worker, num_workers: workers, ..config(7, 2) })
                };
                let shares: Vec<_> = (0..workers).map(share).collect();
                let lengths = || shares.iter().map(Vec::len);
                assert!(lengths().max() <= lengths().min().map(|least| least + 1));
                let mut together = shares.concat();
                together.sort_unstable();
                assert_eq!(together, all);
            }
        }
    }

    #[test]
    fn orders_follow_from_seed_and_epoch() {
        assert_eq!(games(&config(7, 2)), games(&config(7, 2)));
        assert_ne!(games(&config(7, 2)), games(&config(7, 3)));
        assert_ne!(games(&config(7, 2)), games(&config(8, 2)));
        let logged = games(&SamplerConfig { shuffle: false, ..config(7, 2) });
        assert!(logged.is_sorted());
    }
}
