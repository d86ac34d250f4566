//! The score while games are played, with an interval that is valid at any stopping time.

use std::sync::atomic::{AtomicBool, Ordering};

use darkqi_env::{Hides, Spec};
use serde::{Deserialize, Serialize};

use crate::analysis::games::{Beginnings, check, is_repetitive, only_agent, score, seat};
use crate::analysis::{ConfidenceSequence, Error, Estimate, Result, WeightedSum};
use crate::format::options_from_json;
use crate::{Dataset, GameRecord, Metadata};

/// The score of the player who makes the first reveal or, in games without covered pieces, the
/// first move.
///
/// Deals are the observations. The mean scores of their games are independent, lie between 0 and 1
/// and have one expectation, as [`ConfidenceSequence`] requires. Its interval is valid at all
/// times, so play may stop as soon as it is narrow enough and the deals begin differently enough:
/// deals that begin alike are counted as few.
#[derive(Clone, Debug)]
pub struct RunningScore {
    mean: ConfidenceSequence,
    half_width: f64,
    deal: Deal,
    beginnings: Beginnings,
}

/// The scores of the deals of a shard, and how these begin: what a [`RunningScore`] needs of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct DealScores {
    scores: Vec<f64>,
    beginnings: Beginnings,
}

/// The deal whose games are being added.
#[derive(Clone, Debug)]
struct Deal {
    hides: Hides,
    pair_id: Option<u64>,
    sum: WeightedSum,
}

impl Deal {
    fn new(hides: Hides) -> Self {
        Self { hides, pair_id: None, sum: WeightedSum::default() }
    }

    /// Whether the game is the first of another deal, which is then the current one.
    fn begins_with(&mut self, game: &GameRecord) -> bool {
        self.pair_id.replace(game.pair_id) != Some(game.pair_id)
    }

    fn add(&mut self, game: &GameRecord) -> Result<()> {
        let who = match &game.first_reveal {
            Some(first) => Some(first.player),
            // Without a reveal, the game counts for nobody.
            None => (self.hides == Hides::Nothing).then_some(game.first_player),
        };
        if let Some(player) = who {
            let fault = |fault| Error::Game { game_id: game.game_id, fault };
            let seat = seat(player, game.rewards.len()).map_err(fault)?;
            self.sum.add(score(game, seat).into(), 1.0);
        }
        Ok(())
    }

    /// The mean score of its games; None if none counts.
    fn take_score(&mut self) -> Option<f64> {
        let WeightedSum { sum, weight } = std::mem::take(&mut self.sum);
        (weight > 0.0).then(|| sum / weight)
    }
}

impl DealScores {
    /// Those of a shard, by its index in [`Dataset::shards`].
    pub(super) fn of_shard(dataset: &Dataset, shard: usize, stop: &AtomicBool) -> Result<Self> {
        let metadata = dataset.metadata();
        let agent = only_agent(metadata)?;
        let mut deal = Deal::new(hides(metadata)?);
        let mut all = Self::default();
        for game in dataset.shard_replays(shard) {
            let game = checked(game, agent, stop)?;
            if deal.begins_with(&game) {
                all.scores.extend(deal.take_score());
                all.beginnings.add(&game);
            }
            deal.add(&game)?;
        }
        all.scores.extend(deal.take_score());
        Ok(all)
    }
}

/// A game that was read, checked to be one of the agent against itself.
fn checked(game: crate::Result<GameRecord>, agent: &str, stop: &AtomicBool) -> Result<GameRecord> {
    if stop.load(Ordering::Relaxed) {
        return Err(Error::Stopped);
    }
    let game = game?;
    let fault = |fault| Error::Game { game_id: game.game_id, fault };
    check(&game, game.rewards.len(), agent).map_err(fault)?;
    Ok(game)
}

/// What the pieces of a dataset's game hide.
fn hides(metadata: &Metadata) -> Result<Hides> {
    Ok(Spec::new(&metadata.game, &options_from_json(&metadata.options)?)?.hides)
}

impl RunningScore {
    /// A 95 % interval that aims at this half-width, for a game whose pieces hide this.
    ///
    /// # Errors
    ///
    /// If the half-width is not above 0 and at most 1/2.
    pub fn new(hides: Hides, half_width: f64) -> Result<Self> {
        let mean = ConfidenceSequence::new(0.05, half_width)?;
        let (deal, beginnings) = (Deal::new(hides), Beginnings::default());
        Ok(Self { mean, half_width, deal, beginnings })
    }

    /// One of the games of a dataset.
    ///
    /// # Errors
    ///
    /// As [`RunningScore::new`], and if the dataset's game does not exist.
    pub(super) fn of(dataset: &Dataset, half_width: f64) -> Result<Self> {
        Self::new(hides(dataset.metadata())?, half_width)
    }

    /// Adds a game with its plies. The games of a deal are consecutive.
    ///
    /// # Errors
    ///
    /// If the game has an impossible seat or rewards.
    pub fn add(&mut self, game: &GameRecord) -> Result<()> {
        if self.deal.begins_with(game) {
            self.close()?;
            self.beginnings.add(game);
        }
        self.deal.add(game)
    }

    /// Adds the deals of the next shard.
    pub(super) fn extend(&mut self, deals: &DealScores) -> Result<()> {
        self.beginnings.merge(&deals.beginnings);
        deals.scores.iter().try_for_each(|&score| self.mean.add(score))
    }

    /// Ends the deal: the next game belongs to another one.
    ///
    /// # Errors
    ///
    /// As [`RunningScore::add`].
    pub fn close(&mut self) -> Result<()> {
        self.deal.take_score().map_or(Ok(()), |score| self.mean.add(score))
    }

    /// The target half-width.
    pub fn half_width(&self) -> f64 {
        self.half_width
    }

    /// The number of completed deals.
    pub fn deals(&self) -> u64 {
        self.mean.count()
    }

    /// The current score and interval.
    pub fn estimate(&self) -> Estimate {
        self.mean.estimate()
    }

    /// Whether the interval, scaled to the effective number of deals, has reached the target
    /// half-width.
    pub fn is_settled(&self) -> bool {
        let Estimate { low, high, .. } = self.estimate();
        let repetition = match self.is_repetitive() {
            true => self.beginnings.deals() as f64 / self.beginnings.effective() as f64,
            false => 1.0,
        };
        (high - low) * repetition.sqrt() <= 2.0 * self.half_width
    }

    fn is_repetitive(&self) -> bool {
        is_repetitive(self.beginnings.effective(), self.beginnings.deals())
    }
}

/// The score of a run that stops at a target precision.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Settled {
    /// The score of the player who makes the first reveal or, in games without covered pieces, the
    /// first move. The 95 % interval remains valid although it decides when to stop.
    pub score: Estimate,
    /// The target half-width.
    pub half_width: f64,
    /// Whether the target was reached.
    pub is_reached: bool,
    /// The number of deals.
    pub deals: u64,
    /// The effective number of deals, as in
    /// [`FirstRevealValue`](super::FirstRevealValue::effective_deals).
    pub effective_deals: u64,
    /// Whether deals begin alike so often that their games are no sample of different games.
    pub is_repetitive: bool,
}

impl From<&RunningScore> for Settled {
    fn from(running: &RunningScore) -> Self {
        Self {
            score: running.estimate(),
            half_width: running.half_width(),
            is_reached: running.is_settled(),
            deals: running.deals(),
            effective_deals: running.beginnings.effective(),
            is_repetitive: running.is_repetitive(),
        }
    }
}

/// The score of a dataset's games in their order, with this target half-width: the result of a run
/// that stops at it.
///
/// # Errors
///
/// If the dataset cannot be read or has several agents, the half-width is not above 0 and at most
/// 1/2, or `stop` becomes true.
pub fn settled_score(dataset: &Dataset, half_width: f64, stop: &AtomicBool) -> Result<Settled> {
    let agent = only_agent(dataset.metadata())?;
    let mut running = RunningScore::of(dataset, half_width)?;
    for game in dataset.replays() {
        running.add(&checked(game, agent, stop)?)?;
    }
    running.close()?;
    Ok(Settled::from(&running))
}
