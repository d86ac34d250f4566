//! The score while games are played, with an interval that is valid at any stopping time.

use std::sync::atomic::AtomicBool;

use darkqi_env::{Spec, game::Hides};
use serde::{Deserialize, Serialize};

use super::adjusted_score::{AdjustedScore, LuckyDeal};
use super::rules::RuleFacts;
use crate::games::{Beginnings, checked, is_repetitive, only_agent, revealer, score};
use crate::statistics::ConfidenceSequence;
use crate::{Doubt, Error, Estimate, Evidence, Result};
use darkqi_format::{Dataset, GameRecord, in_parallel};

/// The score of the player who makes the first reveal or, in games without covered pieces, the
/// first move: as it is and, with covered pieces, luck-adjusted.
///
/// Deals are the observations. The mean scores of their games are independent, lie between 0 and 1
/// and have one expectation, as [`ConfidenceSequence`] requires. Less the luck of the deal, as deals
/// before it measure luck, they lie between -1 and 2 and have the same expectation given the deals
/// before. Both intervals are valid at all times, so play may stop as soon as the one that was chosen
/// before is narrow enough and the deals begin differently enough: deals that begin alike are counted
/// as few.
#[derive(Debug)]
pub struct RunningScore {
    mean: ConfidenceSequence,
    /// None where nothing is covered.
    adjusted: Option<AdjustedScore>,
    half_width: f64,
    luck_adjusted: bool,
    facts: RuleFacts,
    deal: OpenDeal,
    beginnings: Beginnings,
}

/// The scores and the luck of the deals of a shard, and how these begin: what a [`RunningScore`]
/// needs of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct DealScores {
    deals: Vec<LuckyDeal>,
    beginnings: Beginnings,
}

/// The deal whose games are being added.
#[derive(Clone, Debug, Default)]
struct OpenDeal {
    deal_id: Option<u64>,
    sums: LuckyDeal,
}

impl OpenDeal {
    /// Whether the game is the first of another deal, which is then the current one.
    fn begins_with(&mut self, game: &GameRecord) -> bool {
        self.deal_id.replace(game.deal_id) != Some(game.deal_id)
    }

    fn add(&mut self, facts: &RuleFacts, game: &GameRecord) -> Result<()> {
        let fault = |fault| Error::Game { game_id: game.game_id, fault };
        if let Some(seat) = revealer(game).map_err(fault)? {
            if facts.hides != Hides::Nothing {
                self.sums.luck.push(facts.luck.of(game).map_err(fault)?);
            }
            self.sums.scores.add(score(game, seat).into(), 1.0);
        }
        Ok(())
    }

    /// The sum; None if no game counts.
    fn take(&mut self) -> Option<LuckyDeal> {
        let sums = std::mem::take(&mut self.sums);
        (sums.scores.weight > 0.0).then_some(sums)
    }
}

impl DealScores {
    /// The games of a shard, by its index in [`Dataset::shards`].
    pub(super) fn of_shard(
        dataset: &Dataset,
        facts: &RuleFacts,
        shard: usize,
        stop: &AtomicBool,
    ) -> Result<Self> {
        let agent = only_agent(dataset.metadata())?;
        let mut deal = OpenDeal::default();
        let mut all = Self::default();
        for game in dataset.shard_replays(shard) {
            let game = checked(game, None, agent, stop)?;
            if deal.begins_with(&game) {
                all.deals.extend(deal.take());
                all.beginnings.add(&game);
            }
            deal.add(facts, &game)?;
        }
        all.deals.extend(deal.take());
        Ok(all)
    }
}

impl RunningScore {
    /// A 95 % interval that aims at this half-width, for a game with these rules. `luck_adjusted`:
    /// whether the luck-adjusted score decides.
    ///
    /// # Errors
    /// If the half-width is not above 0 and at most 1/2, or the luck-adjusted score of a game without
    /// covered pieces is to decide.
    pub fn new(spec: &Spec, half_width: f64, luck_adjusted: bool) -> Result<Self> {
        if luck_adjusted && spec.hides == Hides::Nothing {
            return Err(Error::NoLuck { game: spec.name });
        }
        let running = Self::of(RuleFacts::new(spec), half_width)?;
        Ok(Self { luck_adjusted, ..running })
    }

    /// One that the score itself decides.
    ///
    /// # Errors
    /// If the half-width is out of range.
    pub(super) fn of(facts: RuleFacts, half_width: f64) -> Result<Self> {
        let mean = ConfidenceSequence::new(0.05, half_width)?;
        let covered = facts.hides != Hides::Nothing;
        let adjusted = || AdjustedScore::new(half_width, facts.luck.width(), facts.even());
        let adjusted = covered.then(adjusted).transpose()?;
        let (deal, beginnings) = (OpenDeal::default(), Beginnings::default());
        Ok(Self { mean, adjusted, half_width, luck_adjusted: false, facts, deal, beginnings })
    }

    /// Adds a game with its plies. The games of a deal are consecutive.
    ///
    /// # Errors
    /// If the game has an impossible seat or rewards, or contradicts the rules.
    pub fn add(&mut self, game: &GameRecord) -> Result<()> {
        if self.deal.begins_with(game) {
            self.close()?;
            self.beginnings.add(game);
        }
        self.deal.add(&self.facts, game)
    }

    /// Adds the deals of the next shard.
    pub(super) fn extend(&mut self, deals: &DealScores) -> Result<()> {
        self.beginnings.merge(&deals.beginnings);
        deals.deals.iter().try_for_each(|deal| self.observe(deal))
    }

    /// Ends the deal: the next game belongs to another one.
    ///
    /// # Errors
    /// As [`RunningScore::add`].
    pub fn close(&mut self) -> Result<()> {
        self.deal.take().map_or(Ok(()), |deal| self.observe(&deal))
    }

    fn observe(&mut self, deal: &LuckyDeal) -> Result<()> {
        self.mean.add(deal.scores.sum / deal.scores.weight)?;
        self.adjusted.as_mut().map_or(Ok(()), |adjusted| adjusted.add(deal))
    }

    /// The current score and interval, of the score that decides.
    pub fn estimate(&self) -> Estimate {
        self.settled().score
    }

    /// Whether the interval, scaled to the effective number of deals, has reached the target
    /// half-width.
    pub fn is_settled(&self) -> bool {
        self.settled().is_reached
    }

    /// The score that decides.
    pub fn settled(&self) -> Settled {
        let SettledScores { score, adjusted } = self.scores();
        adjusted.filter(|_| self.luck_adjusted).unwrap_or(score)
    }

    /// Both scores.
    pub(super) fn scores(&self) -> SettledScores {
        let repetition = self.beginnings.repetition();
        let settled = |score: Estimate, deals: u64, is_luck_adjusted| {
            // Those that count begin alike as often as all.
            let effective_deals = (deals as f64 / repetition).round() as u64;
            Settled {
                score,
                half_width: self.half_width,
                // Without a deal nothing is known, not even within a half.
                is_reached: deals > 0 && score.half_width() * repetition.sqrt() <= self.half_width,
                is_luck_adjusted,
                deals,
                effective_deals,
                is_repetitive: is_repetitive(effective_deals, deals),
            }
        };
        SettledScores {
            score: settled(self.mean.estimate(), self.mean.count(), false),
            adjusted: self
                .adjusted
                .as_ref()
                .map(|adjusted| settled(adjusted.estimate(), adjusted.count(), true)),
        }
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
    /// Whether the score is luck-adjusted.
    pub is_luck_adjusted: bool,
    /// The number of deals that count: with a first reveal, where something is covered.
    pub deals: u64,
    /// The effective number of deals, as in
    /// [`FirstRevealValue`](super::FirstRevealValue::effective_deals).
    pub effective_deals: u64,
    /// Whether deals begin alike so often that their games are no sample of different games.
    pub is_repetitive: bool,
}

impl Settled {
    /// Why the score may mislead.
    pub fn warnings(&self) -> Vec<Doubt> {
        Evidence::of("deal", self.deals, Some(self.effective_deals)).judge().warnings
    }
}

/// Both scores of a run that stops at a target precision of one of them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SettledScores {
    /// The score as it is.
    pub score: Settled,
    /// The luck-adjusted one; None where nothing is covered.
    pub adjusted: Option<Settled>,
}

/// The scores of a dataset's games in their order, with this target half-width: the result of a run
/// that stops at it. It uses all threads of the caller's rayon pool.
///
/// # Errors
/// If the dataset cannot be read or has several agents, the half-width is not above 0 and at most
/// 1/2, or `stop` becomes true.
pub fn settled_scores(
    dataset: &Dataset,
    half_width: f64,
    stop: &AtomicBool,
) -> Result<SettledScores> {
    let facts = RuleFacts::of(dataset.metadata())?;
    let scores = |shard| DealScores::of_shard(dataset, &facts, shard, stop);
    let deals = in_parallel(0..dataset.shards().len(), &scores)?;
    let mut running = RunningScore::of(facts, half_width)?;
    deals.iter().try_for_each(|deals| running.extend(deals))?;
    Ok(running.scores())
}
