//! The luck of reveals in a match, and the score without it.

use std::collections::BTreeMap;

use darkqi_analysis::statistics::{ControlVariates, WeightedSum};
use darkqi_analysis::{DEALS_PER_COVARIATE, Estimate, RevealLuck};
use darkqi_env::{Spec, game::Hides};
use darkqi_format::GameRecord;
use serde::Serialize;

use crate::generation::PairSeats;

/// The score of the first agent of a pair without the luck of reveals (control variates).
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct LuckAdjusted {
    /// Points per game with their 95 % interval.
    pub score: Estimate,
    /// The Elo difference of that score.
    pub elo: Estimate,
    /// The relative reduction of the variance; negative if the adjustment costs more than it explains.
    pub reduction: f64,
}

/// Computes the luck of games whose pieces are covered.
pub(super) struct Luck(RevealLuck);

impl Luck {
    /// None where nothing is covered.
    pub(super) fn new(spec: &Spec) -> Option<Self> {
        (spec.hides != Hides::Nothing).then(|| Self(RevealLuck::new(spec)))
    }

    pub(super) fn width(&self) -> usize {
        self.0.width()
    }

    /// Adds the luck of a game of a block to that of its first agent.
    ///
    /// The covariates have mean 0 for the player who makes the first reveal, and so have their
    /// negatives for the other.
    ///
    /// # Errors
    /// The fault, in words: the game, which a file may hold, contradicts the rules.
    pub(super) fn add(
        &self,
        sums: &mut [f64],
        seats: PairSeats,
        number: usize,
        game: &GameRecord,
    ) -> Result<(), String> {
        let mut own = vec![0.0; self.width()];
        self.0.covariates(game, &mut own)?;
        let first = game.first_reveal.as_ref().and_then(|first| usize::try_from(first.player).ok());
        let sign = match first.map(|seat| seats.agent(number, seat)) {
            Some(0) => 1.0,
            _ => -1.0,
        };
        sums.iter_mut().zip(&own).for_each(|(sum, own)| *sum += sign * own);
        Ok(())
    }
}

/// The blocks of a pair: the first agent's points, and its luck.
#[derive(Clone, Debug, Default)]
pub(super) struct LuckyBlocks {
    /// By number, so that sums do not depend on the order in which blocks are finished.
    blocks: BTreeMap<u64, (WeightedSum, Vec<f32>)>,
}

impl LuckyBlocks {
    pub(super) fn add(&mut self, block: u64, points: f64, games: usize, luck: Vec<f32>) {
        let score = WeightedSum { sum: points, weight: games as f64 };
        self.blocks.insert(block, (score, luck));
    }

    /// The first agent's points in each block, by its number.
    pub(super) fn points(&self) -> impl Iterator<Item = (u64, f64)> + Clone {
        self.blocks.iter().map(|(&block, (score, _))| (block, score.sum))
    }

    /// None below [`DEALS_PER_COVARIATE`] blocks for each of this number of covariates that varies.
    pub(super) fn adjusted(&self, covariates: usize) -> Option<LuckAdjusted> {
        let mut sums = ControlVariates::new(covariates, 0.5);
        let mut luck = vec![0.0; covariates];
        for (&block, (score, known)) in &self.blocks {
            luck.iter_mut().zip(known).for_each(|(luck, &known)| *luck = known.into());
            sums.add(block, *score, &luck).expect("all luck is finite");
        }
        let found = sums.finish()?;
        let is_enough =
            found.covariates > 0 && found.clusters >= DEALS_PER_COVARIATE * found.covariates as u64;
        is_enough.then(|| {
            let score = found.score;
            LuckAdjusted { score, elo: score.elo(), reduction: found.reduction }
        })
    }
}
