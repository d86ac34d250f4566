//! The luck-adjusted score while games are played, with an interval that is valid at any stopping time.

use serde::{Deserialize, Serialize};

use super::luck::GameLuck;
use crate::statistics::{ConfidenceSequence, PastCoefficients, WeightedSum};
use crate::{Estimate, Result};

/// The most that the luck of a game may add to its score or take from it. More is seldom reached, and a
/// greater bound costs deals.
const BOUND: f64 = 1.0;

/// How far from the even score the mean is expected. The nearer, the fewer deals are needed; the
/// interval holds for any mean.
const EXPECTED: f64 = 0.1;

/// The deals for each covariate from which on coefficients are fitted. They are shrunk, so few do
/// no harm.
const DEALS: u64 = 2;

/// A deal: the scores of its games and their luck, game by game.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct LuckyDeal {
    pub(super) scores: WeightedSum,
    pub(super) luck: Vec<GameLuck>,
}

/// The mean of the deals' scores less their luck.
///
/// The luck of a deal is [`GameLuck::bounded_sum`], averaged over its games, with coefficients
/// fitted to the deals before it. Given these, it has mean 0 and lies between the bounds, so that
/// the adjusted score of each deal has the expectation of the score and a known range, from -1 to
/// 2: what [`ConfidenceSequence`] requires. Nothing is asymptotic.
#[derive(Clone, Debug)]
pub(super) struct AdjustedScore {
    mean: ConfidenceSequence,
    past: PastCoefficients,
    /// The covariates of a deal, and of a game.
    sums: Vec<f64>,
    own: Vec<f64>,
}

impl AdjustedScore {
    /// `covariates`: their number; `even`: about what scores are.
    pub(super) fn new(half_width: f64, covariates: usize, even: f64) -> Result<Self> {
        let centre = [(even - EXPECTED).max(0.0), (even + EXPECTED).min(1.0)];
        Ok(Self {
            mean: ConfidenceSequence::within(0.05, half_width, RANGE, centre)?,
            past: PastCoefficients::new(covariates, even, DEALS),
            sums: vec![0.0; covariates],
            own: vec![0.0; covariates],
        })
    }

    /// Adds a deal that counts.
    pub(super) fn add(&mut self, deal: &LuckyDeal) -> Result<()> {
        let WeightedSum { sum, weight } = deal.scores;
        self.sums.fill(0.0);
        let mut luck = 0.0;
        for game in &deal.luck {
            luck += game.bounded_sum(self.past.coefficients(), BOUND) / weight;
            game.covariates(&mut self.own);
            self.sums.iter_mut().zip(&self.own).for_each(|(sum, own)| *sum += own);
        }
        // Only rounding leaves the range.
        self.mean.add((sum / weight - luck).clamp(RANGE[0], RANGE[1]))?;
        // After this observation: its coefficients must not depend on it.
        self.past.add(deal.scores, &self.sums)
    }

    /// The number of deals.
    pub(super) fn count(&self) -> u64 {
        self.mean.count()
    }

    /// The mean and its interval, within 0 and 1.
    pub(super) fn estimate(&self) -> Estimate {
        let Estimate { value, low, high } = self.mean.estimate();
        let [value, low, high] = [value, low, high].map(|end| end.clamp(0.0, 1.0));
        Estimate { value, low, high }
    }
}

/// The range of adjusted scores.
const RANGE: [f64; 2] = [-BOUND, 1.0 + BOUND];

#[cfg(test)]
mod tests;
