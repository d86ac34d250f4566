//! Counts of results and of game lengths.

use std::collections::BTreeMap;

use darkqi_env::Player;
use serde::{Deserialize, Serialize};

use super::results::{GameLengths, LengthBin};
use crate::games::is_won;
use crate::statistics::ClusteredSums;
use darkqi_format::GameRecord;

/// The results of one player per game, and its scores clustered by deal.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Counts {
    pub(super) wins: u64,
    pub(super) draws: u64,
    pub(super) losses: u64,
    pub(super) cut_off: u64,
    pub(super) scores: ClusteredSums,
}

impl Counts {
    pub(super) fn new(even: f64) -> Self {
        let scores = ClusteredSums::new(1, even);
        Self { wins: 0, draws: 0, losses: 0, cut_off: 0, scores }
    }

    pub(super) fn add(&mut self, game: &GameRecord, seat: Player) {
        let reward = game.rewards.get(seat).copied().unwrap_or(0.0);
        let is_won = is_won(game);
        self.wins += u64::from(reward > 0.0);
        self.losses += u64::from(is_won && reward <= 0.0);
        self.draws += u64::from(!is_won);
        self.cut_off += u64::from(!is_won && !game.terminated);
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        self.cut_off += other.cut_off;
        self.scores.merge(&other.scores);
    }
}

/// Games by their number of plies.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct LengthHistogram {
    games: BTreeMap<u16, u64>,
}

impl LengthHistogram {
    /// Counts a game.
    pub fn add(&mut self, plies: u16) {
        *self.games.entry(plies).or_default() += 1;
    }

    /// The number of games.
    pub fn count(&self) -> u64 {
        self.games.values().sum()
    }

    /// The plies of all games.
    pub fn plies(&self) -> u64 {
        self.games.iter().map(|(&plies, games)| u64::from(plies) * games).sum()
    }

    /// The median length: of an even number of games, the mean of the middle two. 0 without games.
    pub fn median(&self) -> f64 {
        let count = self.count();
        (f64::from(self.ranked(count.div_ceil(2))) + f64::from(self.ranked(count / 2 + 1))) / 2.0
    }

    /// The shortest and the longest game. None without games.
    pub fn range(&self) -> Option<(u16, u16)> {
        Some((*self.games.keys().next()?, *self.games.keys().next_back()?))
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for (&plies, games) in &other.games {
            *self.games.entry(plies).or_default() += games;
        }
    }

    fn quantile(&self, share: f64) -> u16 {
        self.ranked((share * self.count() as f64).ceil().max(1.0) as u64)
    }

    /// The length of a game by its rank, from 1 on; of the longest beyond the last one.
    fn ranked(&self, rank: u64) -> u16 {
        let mut upto = 0;
        let reached = self.games.iter().find(|&(_, games)| {
            upto += games;
            upto >= rank
        });
        reached.or(self.games.last_key_value()).map_or(0, |(&plies, _)| plies)
    }

    /// `mean`: the clustered mean length of the same games.
    pub(super) fn finish(&self, mean: &ClusteredSums) -> Option<GameLengths> {
        let mean = mean.finish();
        let mean = mean.amount(mean.overall())?;
        let [p5, p95] = [0.05, 0.95].map(|share| self.quantile(share));
        let median = self.median();
        Some(GameLengths { mean, p5, median, p95, bins: self.bins(bin_width(p95)) })
    }

    fn bins(&self, width: u16) -> Vec<LengthBin> {
        let mut bins: Vec<LengthBin> = Vec::new();
        for (&plies, &count) in &self.games {
            let from = plies - plies % width;
            match bins.last_mut() {
                Some(bin) if bin.shortest == from => bin.games += count,
                _ => bins.push(LengthBin {
                    shortest: from,
                    longest: from.saturating_add(width - 1),
                    games: count,
                }),
            }
        }
        bins
    }
}

/// The smallest round width at which about twenty bins reach `plies`.
fn bin_width(plies: u16) -> u16 {
    let widths = (0..4).flat_map(|power| [1, 2, 5].map(|digit| digit * 10_u16.pow(power)));
    widths.into_iter().find(|width| plies / width < 25).unwrap_or(5000)
}
