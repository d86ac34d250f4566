//! The effective number of deals.

use serde::{Deserialize, Serialize};
use twox_hash::XxHash64;

use crate::GameRecord;

/// How many plies of each seat belong to the beginning of a game.
const PLIES_PER_SEAT: usize = 5;

/// The counters of the sketch, as a power of 2. The error of the estimate is about 1 %.
const COUNTERS: u32 = 14;

/// Counts deals by how their first games begin, in constant memory. The beginning of a game is the
/// deal and the first [`PLIES_PER_SEAT`] plies of each seat.
///
/// The effective number of deals is the inverse of the share of pairs that begin alike: the number of
/// equally frequent beginnings with as many such pairs (Simpson, "Measurement of diversity", 1949;
/// Hill's number of order 2). The sum of squared frequencies comes from a sketch of random signs in
/// buckets (Alon, Matias and Szegedy, "The space complexity of approximating the frequency moments",
/// 1996; Thorup and Zhang, "Tabulation based 4-universal hashing", 2004).
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Beginnings {
    deals: u64,
    /// Empty without deals.
    counters: Vec<i64>,
    /// The sum of their squares.
    squares: u128,
}

impl Beginnings {
    /// Adds a deal by its first game, with its plies.
    pub fn add(&mut self, game: &GameRecord) {
        let plies = Self::plies(game.rewards.len());
        self.insert(Self::hash(&game.deal, game.moves.iter().take(plies).map(|ply| ply.action)));
    }

    /// The number of plies that belong to the beginning of a game with this many seats.
    pub const fn plies(seats: usize) -> usize {
        PLIES_PER_SEAT * seats
    }

    /// A beginning, by the deal and the actions.
    pub fn hash(deal: &str, actions: impl Iterator<Item = u16>) -> u64 {
        let bytes: Vec<u8> = deal.bytes().chain(actions.flat_map(u16::to_le_bytes)).collect();
        XxHash64::oneshot(0, &bytes)
    }

    /// Adds a deal by [`Beginnings::hash`].
    pub fn insert(&mut self, hash: u64) {
        self.counters.resize(1 << COUNTERS, 0);
        let counter = &mut self.counters[(hash >> (u64::BITS - COUNTERS)) as usize];
        self.squares -= square(*counter);
        *counter += if hash & 1 == 0 { 1 } else { -1 };
        self.squares += square(*counter);
        self.deals += 1;
    }

    /// Adds the deals of another count.
    pub(in crate::analysis) fn merge(&mut self, other: &Self) {
        self.counters.resize(self.counters.len().max(other.counters.len()), 0);
        self.counters.iter_mut().zip(&other.counters).for_each(|(own, more)| *own += more);
        self.squares = self.counters.iter().copied().map(square).sum();
        self.deals += other.deals;
    }

    /// The number of deals.
    pub const fn deals(&self) -> u64 {
        self.deals
    }

    /// The estimated effective number of deals, at most their number.
    pub fn effective(&self) -> u64 {
        let deals = self.deals as f64;
        let squares = self.squares as f64;
        // Each deal is a pair with itself, which says nothing.
        let alike = ((squares - deals) / (deals * (deals - 1.0))).clamp(0.0, 1.0);
        // As many beginnings as deals would be alike in this share of pairs, and by chance in more.
        let effective = 1.0 / (alike + (1.0 - alike) / deals);
        if self.deals < 2 { self.deals } else { (effective.round() as u64).min(self.deals) }
    }
}

fn square(counter: i64) -> u128 {
    u128::from(counter.unsigned_abs()).pow(2)
}

impl Beginnings {
    /// How many deals there are for each effective one; 1 unless they begin alike so often that their
    /// games are no sample of different games.
    pub fn repetition(&self) -> f64 {
        let effective = self.effective();
        if is_repetitive(effective, self.deals) {
            self.deals as f64 / effective as f64
        } else {
            1.0
        }
    }
}

/// Whether deals begin alike so often that their games are no sample of different games.
pub(in crate::analysis) fn is_repetitive(effective: u64, deals: u64) -> bool {
    (effective as f64) < 0.9 * deals as f64
}

#[cfg(test)]
mod tests {
    use darkqi_env::{Rng, Stream};

    use super::Beginnings;

    /// The effective number of deals of which each of these numbers begins alike.
    fn effective(groups: &[u64]) -> f64 {
        let mut halves = [Beginnings::default(), Beginnings::default()];
        let mut rng = Rng::new(1, Stream::Sample);
        for &deals in groups {
            let hash = rng.next_u64();
            (0..deals).for_each(|deal| halves[deal as usize % 2].insert(hash));
        }
        let [mut all, other] = halves;
        all.merge(&other);
        all.effective() as f64
    }

    #[test]
    fn it_is_the_number_of_equally_frequent_beginnings() {
        assert_eq!(effective(&[]), 0.0);
        assert_eq!(effective(&[1]), 1.0);
        assert_eq!(effective(&[500]), 1.0);
        for (groups, each) in [(20, 50), (1000, 1), (20_000, 1), (500, 40)] {
            let found = effective(&vec![each; groups]) / groups as f64;
            assert!((found - 1.0).abs() < 0.05, "{groups} of {each}: {found}");
        }
    }

    #[test]
    fn few_frequent_beginnings_outweigh_many_rare_ones() {
        // Six openings share 1,200 of 2,000 deals.
        let mut groups = vec![200; 6];
        groups.extend([1; 800]);
        let exact = 2000.0 * 2000.0 / (6.0 * 200.0 * 200.0 + 800.0);
        let found = effective(&groups);
        assert!((found / exact - 1.0).abs() < 0.1, "{found}, expected {exact}");
    }
}
