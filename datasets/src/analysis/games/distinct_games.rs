//! The number of distinct games.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use twox_hash::XxHash64;

use crate::GameRecord;

/// The number of smallest hashes that are kept. Up to this many games are counted exactly, more to
/// about 3 %.
const KEPT: usize = 1024;

/// Counts games that differ in their deal or in an action, in constant memory.
///
/// A k-minimum-values sketch: the k-th smallest of n uniform hashes lies at about k / n of the
/// range (Bar-Yossef et al., "Counting distinct elements in a data stream", 2002). The unbiased
/// estimate (k - 1) / share is that of Beyer et al. (2007).
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(in crate::analysis) struct DistinctGames {
    least: BTreeSet<u64>,
}

impl DistinctGames {
    /// Adds a game with its plies.
    pub(in crate::analysis) fn add(&mut self, game: &GameRecord) {
        let actions = game.moves.iter().flat_map(|ply| ply.action.to_le_bytes());
        let bytes: Vec<u8> = game.deal.bytes().chain(actions).collect();
        self.insert(XxHash64::oneshot(0, &bytes));
    }

    fn insert(&mut self, hash: u64) {
        let is_low = self.least.len() < KEPT || self.least.last().is_some_and(|&last| hash < last);
        if is_low && self.least.insert(hash) && self.least.len() > KEPT {
            self.least.pop_last();
        }
    }

    /// Adds the games of another count.
    pub(in crate::analysis) fn merge(&mut self, other: &Self) {
        other.least.iter().for_each(|&hash| self.insert(hash));
    }

    /// The estimated number of distinct games.
    pub(in crate::analysis) fn count(&self) -> u64 {
        match self.least.last() {
            Some(&last) if self.least.len() == KEPT => {
                let share = last as f64 / 2.0_f64.powi(64);
                ((KEPT - 1) as f64 / share).round() as u64
            }
            _ => self.least.len() as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use darkqi_env::{Rng, Stream};

    use super::DistinctGames;

    #[test]
    fn few_games_are_counted_exactly_and_many_approximately() {
        for (distinct, copies) in [(1, 50), (700, 3), (20_000, 1), (20_000, 2)] {
            let mut halves = [DistinctGames::default(), DistinctGames::default()];
            for copy in 0..copies {
                let mut rng = Rng::new(distinct, Stream::Sample);
                (0..distinct).for_each(|_| halves[copy % 2].insert(rng.next_u64()));
            }
            let [mut all, other] = halves;
            all.merge(&other);
            let found = all.count() as f64 / distinct as f64;
            let tolerance = if distinct < 1024 { 0.0 } else { 0.1 };
            assert!((found - 1.0).abs() <= tolerance, "{} of {distinct}", all.count());
        }
    }
}
