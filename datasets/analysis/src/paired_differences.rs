//! Differences between datasets while games are played, with intervals that are valid at any stopping
//! time.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

use crate::games::{Beginnings, check, only_agent, revealer, score};
use crate::statistics::ConfidenceSequence;
use crate::{Error, Estimate, Result};
use darkqi_format::{Dataset, GameRecord};

/// The error probability of all intervals together.
const ALPHA: f64 = 0.05;

/// How far from 0 the mean of a difference is expected. The nearer, the fewer deals are needed; the
/// intervals hold for any mean.
const EXPECTED: f64 = 0.1;

/// The differences in score between every two datasets with common deals: of the player who makes the
/// first reveal or, where nothing is covered, the first move. A deal on which nobody makes a first reveal in one
/// of the two does not count.
///
/// Deals are the observations. For two datasets the difference of deal k is the score of its game
/// in one less that in the other. Over deals these are independent, lie between -1 and 1 and have
/// one expectation, as [`ConfidenceSequence`] requires; what is common luck of a deal cancels out.
/// Each of the m differences has an error probability of 0.05 / m (Bonferroni), so that **all
/// intervals hold at all times** with probability 0.95. Play may stop as soon as all are narrow
/// enough, and the reader may pick any pair. One dataset alone has no difference: its score is followed.
#[derive(Clone, Debug)]
pub struct PairedDifferences {
    half_width: f64,
    /// By pair, in the order of [`pairs`].
    means: Vec<ConfidenceSequence>,
    /// The score of a single dataset.
    single: Option<ConfidenceSequence>,
    /// By dataset, how its deals begin.
    beginnings: Vec<Beginnings>,
    deals: u64,
}

/// Differences at which a comparison stops, or up to which it has come.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SettledDifferences {
    /// The target half-width.
    pub half_width: f64,
    /// Whether all have reached it; of one dataset alone, its score.
    pub is_reached: bool,
    /// The number of deals: of games of each dataset.
    pub deals: u64,
    /// The greatest half-width, where deals begin alike multiplied by the square root of deals over
    /// effective deals: what is compared with the target.
    pub widest: f64,
    /// By pair. The intervals hold together at 95 %, and remain valid although they decide when to
    /// stop.
    pub differences: Vec<SettledDifference>,
    /// The score of one dataset alone, with such an interval.
    pub score: Option<Estimate>,
}

/// The difference in score between two datasets.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct SettledDifference {
    /// The place of the first dataset among those compared.
    pub first: usize,
    /// The place of the second.
    pub second: usize,
    /// That of the second less that of the first.
    pub difference: Estimate,
}

/// Every two of a number of datasets.
pub(crate) fn pairs(datasets: usize) -> impl Iterator<Item = (usize, usize)> {
    (1..datasets).flat_map(|second| (0..second).map(move |first| (first, second)))
}

impl PairedDifferences {
    /// Intervals that aim at this half-width, for a number of datasets.
    ///
    /// # Errors
    /// If the half-width is not above 0 and at most 1/2.
    pub fn new(datasets: usize, half_width: f64) -> Result<Self> {
        let count = pairs(datasets).count().max(1);
        let alpha = ALPHA / count as f64;
        let mean =
            ConfidenceSequence::within(alpha, half_width, [-1.0, 1.0], [-EXPECTED, EXPECTED])?;
        let beginnings = vec![Beginnings::default(); datasets];
        let means = vec![mean; pairs(datasets).count()];
        let single = (datasets == 1).then(|| ConfidenceSequence::new(ALPHA, half_width));
        Ok(Self { half_width, means, single: single.transpose()?, beginnings, deals: 0 })
    }

    /// Adds a deal by the score of its game in each dataset, if it has one.
    ///
    /// # Errors
    /// If there are more or fewer scores than datasets, or one is not from 0 to 1. Nothing is added then.
    fn add(&mut self, scores: &[Option<f64>]) -> Result<()> {
        Error::check_equal("scores", self.beginnings.len(), scores.len())?;
        let is_none = |score: &&f64| !(0.0..=1.0).contains(*score);
        if let Some(&found) = scores.iter().flatten().find(is_none) {
            return Err(Error::Value { what: "score", expected: "a number from 0 to 1", found });
        }
        for ((first, second), mean) in pairs(scores.len()).zip(&mut self.means) {
            if let (Some(first), Some(second)) = (scores[first], scores[second]) {
                mean.add(second - first)?;
            }
        }
        if let (Some(single), Some(score)) = (&mut self.single, scores[0]) {
            single.add(score)?;
        }
        self.deals += 1;
        Ok(())
    }

    /// Adds the deals of this range, by number, which follow those added before.
    ///
    /// # Errors
    /// If a dataset cannot be read, has several agents, lacks one of the deals or has several games on
    /// one, or `stop` becomes true.
    pub fn extend(
        &mut self,
        datasets: &[Dataset],
        deals: Range<u64>,
        stop: &AtomicBool,
    ) -> Result<()> {
        Error::check_equal("datasets", self.beginnings.len(), datasets.len())?;
        let agents = datasets.iter().map(|dataset| only_agent(dataset.metadata()));
        let agents: Vec<&str> = agents.collect::<Result<_>>()?;
        let mut games: Vec<_> = datasets.iter().map(|dataset| from(dataset, deals.start)).collect();
        let mut scores = vec![None; datasets.len()];
        for deal in deals {
            for (place, (games, agent)) in games.iter_mut().zip(&agents).enumerate() {
                if stop.load(Ordering::Relaxed) {
                    return Err(Error::Stopped);
                }
                let game = games.next().transpose()?.filter(|game| game.deal_id == deal);
                let game = game.ok_or(Error::MissingDeal { deal, dataset: place })?;
                scores[place] = score_of(&game, agent)?;
                self.beginnings[place].add(&game);
            }
            self.add(&scores)?;
        }
        Ok(())
    }

    /// The differences and whether they are known as well as they should be.
    pub fn settled(&self) -> SettledDifferences {
        let wider: Vec<f64> = self.beginnings.iter().map(|one| one.repetition().sqrt()).collect();
        let score = self.single.as_ref().map(ConfidenceSequence::estimate);
        let mut widest = score.map_or(0.0, |score| score.half_width() * wider[0]);
        let differences = pairs(wider.len()).zip(&self.means).map(|((first, second), mean)| {
            let difference = mean.estimate();
            widest = widest.max(difference.half_width() * wider[first].max(wider[second]));
            SettledDifference { first, second, difference }
        });
        let differences = differences.collect();
        let is_reached = widest <= self.half_width;
        SettledDifferences {
            half_width: self.half_width,
            is_reached,
            deals: self.deals,
            widest,
            differences,
            score,
        }
    }
}

/// The games of a dataset from this one on.
fn from(
    dataset: &Dataset,
    first: u64,
) -> impl Iterator<Item = darkqi_format::Result<GameRecord>> + use<> {
    let is_later = |shard: &&darkqi_format::Shard| shard.last_game_id >= first;
    let shards = dataset.shards().iter().filter(is_later).cloned().collect();
    let games = dataset.with_shards(shards).replays();
    games.skip_while(move |game| game.as_ref().is_ok_and(|game| game.game_id < first))
}

/// Of the revealer.
fn score_of(game: &GameRecord, agent: &str) -> Result<Option<f64>> {
    let fault = |fault| Error::Game { game_id: game.game_id, fault };
    check(game, game.rewards.len(), agent).map_err(fault)?;
    let seat = revealer(game).map_err(fault)?;
    Ok(seat.map(|seat| score(game, seat).into()))
}

#[cfg(test)]
mod tests;
