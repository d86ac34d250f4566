//! An interval for a mean that may be looked at after every observation.

use super::estimate::Estimate;
use crate::analysis::error::{Error, Result};

/// The greatest bet. Any constant below 1 is allowed; the paper has 1/2 or 3/4.
const MAX_BET: f64 = 0.75;

/// A confidence sequence for the mean of independent observations between 0 and 1 with one expectation, such as the
/// scores of deals.
///
/// The predictable plug-in empirical-Bernstein confidence sequence of Waudby-Smith and Ramdas, "Estimating means of
/// bounded random variables by betting", JRSS-B 86 (2024), theorem 2, with its running intersection. After t
/// observations it is
///
/// ```text
/// sum b_i x_i / sum b_i  +-  (ln(2 / alpha) + sum 4 (x_i - m_{i-1})^2 psi(b_i)) / sum b_i
/// psi(b) = (-ln(1 - b) - b) / 4
/// m_t = (1/2 + sum x_i) / (t + 1),   s_t = (1/4 + sum (x_i - m_i)^2) / (t + 1)
/// b_t = min(h / s_{t-1}, 3/4)
/// ```
///
/// It holds the mean **at all times at once** with probability `1 - alpha`: for the true mean, the exponentials whose
/// logarithms are compared with `ln(2 / alpha)` are supermartingales that begin at 1, so by Ville's inequality each
/// ever exceeds `2 / alpha` with probability `alpha / 2` at most. It is therefore valid at any stopping time, such as
/// "as soon as it is narrow enough" or "when I lost patience", and its running intersection is too. This rests on every
/// bet being set before its observation, which `s_{t-1}` and `m_{t-1}` see to, and on nothing else: the distribution,
/// the sample size and `h` are free.
///
/// The paper's bets shrink with time; these aim at the half-width `h`. With constant bets `b` and variance `s` the
/// half-width is about `ln(2 / alpha) / (t b) + b s / 2`, so that `b = h / s` reaches `h` after about
/// `2 ln(2 / alpha) s / h^2` observations, as few as any constant bet does. It does not fall much below `h / 2`
/// thereafter.
#[derive(Clone, Debug)]
pub struct ConfidenceSequence {
    half_width: f64,
    /// `ln(2 / alpha)`.
    threshold: f64,
    count: u64,
    sum: f64,
    /// Squared distances from the running mean, the observation included.
    squares: f64,
    bets: f64,
    staked: f64,
    /// The variance terms of the interval.
    penalty: f64,
    low: f64,
    high: f64,
}

impl ConfidenceSequence {
    /// With error probability `alpha`, 0.05 for 95 %, aiming at this half-width.
    ///
    /// # Errors
    /// If `alpha` is not between 0 and 1 or the half-width not between 0 and 1/2, ends excluded but for 1/2.
    pub fn new(alpha: f64, half_width: f64) -> Result<Self> {
        let refuse = |what, expected, found| Err(Error::Value { what, expected, found });
        if !(alpha > 0.0 && alpha < 1.0) {
            return refuse("alpha", "a probability above 0 and below 1", alpha);
        }
        if !(half_width > 0.0 && half_width <= 0.5) {
            return refuse("half-width", "a number above 0 and at most 0.5", half_width);
        }
        Ok(Self {
            half_width,
            threshold: (2.0 / alpha).ln(),
            count: 0,
            sum: 0.0,
            squares: 0.0,
            bets: 0.0,
            staked: 0.0,
            penalty: 0.0,
            low: 0.0,
            high: 1.0,
        })
    }

    /// Adds an observation, in constant time.
    ///
    /// # Errors
    /// If it is not between 0 and 1; then nothing was added.
    pub fn add(&mut self, value: f64) -> Result<()> {
        if !(0.0..=1.0).contains(&value) {
            let (what, expected) = ("observation", "a number from 0 to 1");
            return Err(Error::Value { what, expected, found: value });
        }
        // Both as they were before this observation: the interval is valid for that reason alone.
        let weight = self.count as f64 + 1.0;
        let mean = (0.5 + self.sum) / weight;
        let variance = (0.25 + self.squares) / weight;
        let bet = (self.half_width / variance).min(MAX_BET);
        self.bets += bet;
        self.staked += bet * value;
        self.penalty += (value - mean).powi(2) * (-(-bet).ln_1p() - bet);

        self.count += 1;
        self.sum += value;
        let after = (0.5 + self.sum) / (weight + 1.0);
        self.squares += (value - after).powi(2);

        let centre = self.staked / self.bets;
        let half = (self.threshold + self.penalty) / self.bets;
        let (low, high) = (self.low.max(centre - half), self.high.min(centre + half));
        // An empty intersection shows that one of the intervals missed; staying with the last one loses nothing.
        if low <= high {
            (self.low, self.high) = (low, high);
        }
        Ok(())
    }

    /// The number of observations.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The observations' mean, moved into the interval if it lies outside, and the interval, which is from 0 to 1
    /// before the first.
    pub fn estimate(&self) -> Estimate {
        let mean = if self.count == 0 { 0.5 } else { self.sum / self.count as f64 };
        let (low, high) = (self.low, self.high);
        Estimate { value: mean.clamp(low, high), low, high }
    }
}
