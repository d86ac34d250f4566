//! Exact counts of deals and games, a few bytes each.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use twox_hash::XxHash64;

use crate::{Error, Result};
use darkqi_format::GameRecord;

/// How many plies of each seat belong to the beginning of a game.
const PLIES_PER_SEAT: usize = 5;

/// The numbers of deals, to check that the games of each are adjacent. Cluster-robust errors are valid
/// only if no deal is split.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct DealSet(BTreeSet<u64>);

impl DealSet {
    /// Adds a deal whose games start now.
    ///
    /// # Errors
    /// [`Error::SplitDeal`] if it is in the set already.
    pub(crate) fn begin(&mut self, deal: u64) -> Result<()> {
        if self.0.insert(deal) { Ok(()) } else { Err(Error::SplitDeal { deal_id: deal }) }
    }

    /// Adds the deals of another part of the dataset.
    ///
    /// # Errors
    /// [`Error::SplitDeal`] if one is in the set already.
    pub(crate) fn merge(&mut self, other: &Self) -> Result<()> {
        other.0.iter().try_for_each(|&deal| self.begin(deal))
    }
}

/// Games that differ in their deal or in an action, by their hashes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct DistinctGames(BTreeSet<u64>);

impl DistinctGames {
    /// Adds a game with its plies.
    pub(crate) fn add(&mut self, game: &GameRecord) {
        self.0.insert(hash(&game.deal, game.moves.iter().map(|ply| ply.action)));
    }

    /// Adds the games of another count.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.0.extend(&other.0);
    }

    /// The number of distinct games.
    pub(crate) fn count(&self) -> u64 {
        self.0.len() as u64
    }
}

fn hash(deal: &str, actions: impl Iterator<Item = u16>) -> u64 {
    let bytes: Vec<u8> = deal.bytes().chain(actions.flat_map(u16::to_le_bytes)).collect();
    XxHash64::oneshot(0, &bytes)
}

/// Deals by how their first games begin. The beginning of a game is the deal and the first five plies of
/// each seat.
///
/// The effective number of deals is the inverse of the share of pairs that begin alike: the number of
/// equally frequent beginnings with as many such pairs (Simpson, "Measurement of diversity", 1949;
/// Hill's number of order 2).
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Beginnings {
    deals: u64,
    /// How often each beginning occurs.
    counts: BTreeMap<u64, u64>,
    /// The sum of the squares of these numbers.
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
        hash(deal, actions)
    }

    /// Adds a deal by [`Beginnings::hash`].
    pub fn insert(&mut self, hash: u64) {
        self.insert_many(hash, 1);
    }

    fn insert_many(&mut self, hash: u64, deals: u64) {
        let count = self.counts.entry(hash).or_default();
        let before = u128::from(*count).pow(2);
        *count += deals;
        self.squares += u128::from(*count).pow(2) - before;
        self.deals += deals;
    }

    /// Adds the deals of another count.
    pub(crate) fn merge(&mut self, other: &Self) {
        other.counts.iter().for_each(|(&hash, &deals)| self.insert_many(hash, deals));
    }

    /// The number of deals.
    pub const fn deals(&self) -> u64 {
        self.deals
    }

    /// The effective number of deals, at most their number.
    pub fn effective(&self) -> u64 {
        let deals = self.deals as f64;
        if self.deals == 0 { 0 } else { (deals * deals / self.squares as f64).round() as u64 }
    }

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
pub(crate) fn is_repetitive(effective: u64, deals: u64) -> bool {
    (effective as f64) < 0.9 * deals as f64
}

#[cfg(test)]
mod tests {
    use super::{Beginnings, DealSet};

    #[test]
    fn a_deal_is_accepted_once() {
        let (mut deals, mut others) = (DealSet::default(), DealSet::default());
        for deal in [5, 3, u64::MAX] {
            deals.begin(deal).expect("it is new");
            let found = deals.begin(deal).expect_err("it is a repetition").to_string();
            assert!(found.starts_with(&format!("deal {deal}: ")), "{found}");
        }
        others.begin(4).expect("it is new");
        deals.merge(&others).expect("it is new");
        assert!(deals.merge(&others).is_err());
    }

    #[test]
    fn the_effective_number_is_that_of_equally_frequent_beginnings() {
        let effective = |groups: &[u64]| {
            let mut halves = [Beginnings::default(), Beginnings::default()];
            for (hash, &deals) in (0..).zip(groups) {
                (0..deals).for_each(|deal| halves[deal as usize % 2].insert(hash));
            }
            let [mut all, other] = halves;
            all.merge(&other);
            assert_eq!(all.deals(), groups.iter().sum::<u64>());
            all.effective()
        };
        assert_eq!(effective(&[]), 0);
        assert_eq!(effective(&[1]), 1);
        for (groups, each) in [(1, 500), (20, 50), (1000, 1), (500, 40)] {
            assert_eq!(effective(&vec![each; groups]), groups as u64, "{groups} of {each}");
        }
        // Six openings share 1,200 of 2,000 deals: 2,000 squared by 6 * 200 squared and 800.
        let mut groups = vec![200; 6];
        groups.extend([1; 800]);
        assert_eq!(effective(&groups), 17);
    }
}
