//! A confidence sequence for a mean: an interval that is valid at any stopping time.

use super::estimate::Estimate;
use crate::error::{Error, Result};

/// A confidence sequence for the common mean of observations between 0 and 1, such as the scores of
/// deals. Each must have that mean given all before it, as independent ones do.
///
/// The predictable plug-in empirical-Bernstein confidence sequence of Waudby-Smith and Ramdas,
/// "Estimating means of bounded random variables by betting", JRSS-B 86 (2024), theorem 2, with its
/// running intersection. After t observations it is
///
/// ```text
/// sum b_i x_i / sum b_i  +-  (ln(2 / alpha) + sum 4 (x_i - m_{i-1})^2 psi(b_i)) / sum b_i
/// psi(b) = (-ln(1 - b) - b) / 4
/// m_t = (1/2 + sum x_i) / (t + 1),   s_t = (1/4 + sum (x_i - m_i)^2) / (t + 1)
/// b_t = h / (h + s_{t-1})
/// ```
///
/// It contains the mean **at all times simultaneously** with probability `1 - alpha`. For the true
/// mean, the exponentials whose logarithms are compared with `ln(2 / alpha)` are supermartingales
/// that start at 1, so by Ville's inequality each ever exceeds `2 / alpha` with probability at most
/// `alpha / 2`. The interval is therefore valid at any stopping time, for example when it is narrow
/// enough, and so is its running intersection. The proof needs each bet to be fixed before its
/// observation, which holds because `b_t` uses `s_{t-1}`. The distribution, the sample size and `h`
/// are arbitrary.
///
/// The proof (lemma 4.1 of Fan, Grama and Liu, "Exponential inequalities for martingales with
/// applications", 2015) uses of the range that no observation is further than 1 from `m_{i-1}`,
/// which may be any number that is known before. Observations of another range are therefore
/// divided by the greatest distance that they can have from `m_{i-1}`, and that is kept small by
/// keeping `m_{i-1}` near the middle ([`ConfidenceSequence::within`]).
///
/// Nothing here is asymptotic: the first observations may all be equal, and the files after which a run
/// may stop may be of any size.
///
/// The paper's bets decrease with time; these aim at the half-width `h`. With constant bets `b` and
/// variance `s` the half-width is about `(ln(2 / alpha) / t + s (-ln(1 - b) - b)) / b`. It first falls
/// to `h` with `b = h / (h + s)`, after about `ln(2 / alpha) / (h - s ln(1 + h / s))` observations, for
/// small `h` about `2 ln(2 / alpha) s / h^2`. Afterwards the half-width does not fall much below
/// `h / 2`.
#[derive(Clone, Debug)]
pub struct ConfidenceSequence {
    /// In units of `reach`, as all sums and bets.
    half_width: f64,
    /// The least and the greatest observation.
    range: [f64; 2],
    /// Between what the running mean is kept where distances from it are taken.
    centre: [f64; 2],
    /// The greatest distance of an observation from that.
    reach: f64,
    /// `ln(2 / alpha)`.
    threshold: f64,
    count: u64,
    sum: f64,
    /// The sum of squared distances from the running mean, which includes the observation.
    squares: f64,
    bets: f64,
    staked: f64,
    /// The variance terms of the interval.
    penalty: f64,
    low: f64,
    high: f64,
}

impl ConfidenceSequence {
    /// A sequence with error probability `alpha` (0.05 for 95 %) that aims at this half-width.
    ///
    /// # Errors
    /// If `alpha` is not strictly between 0 and 1, or the half-width is not above 0 and at
    /// most 1/2.
    pub fn new(alpha: f64, half_width: f64) -> Result<Self> {
        Self::within(alpha, half_width, [0.0, 1.0], [0.0, 1.0])
    }

    /// The sequence for observations of another range, whose mean is expected, but need not lie,
    /// between the two ends of `centre`, which are within the range.
    ///
    /// # Errors
    /// As [`ConfidenceSequence::new`].
    ///
    /// # Panics
    /// If the centre is not within the range.
    pub fn within(alpha: f64, half_width: f64, range: [f64; 2], centre: [f64; 2]) -> Result<Self> {
        let refuse = |what, expected, found| Err(Error::Value { what, expected, found });
        if !(alpha > 0.0 && alpha < 1.0) {
            return refuse("alpha", "a probability above 0 and below 1", alpha);
        }
        if !(half_width > 0.0 && half_width <= 0.5) {
            return refuse("half-width", "a number above 0 and at most 0.5", half_width);
        }
        let ([low, high], [least, most]) = (range, centre);
        assert!(low <= least && least <= most && most <= high, "the centre is within the range");
        let reach = (high - least).max(most - low);
        Ok(Self {
            half_width: half_width / reach,
            range,
            centre,
            reach,
            threshold: (2.0 / alpha).ln(),
            count: 0,
            sum: 0.0,
            squares: 0.0,
            bets: 0.0,
            staked: 0.0,
            penalty: 0.0,
            low,
            high,
        })
    }

    /// Adds an observation, in constant time.
    ///
    /// # Errors
    /// If it is not in the range, which is from 0 to 1 unless another one was given. Nothing is
    /// added then.
    pub fn add(&mut self, value: f64) -> Result<()> {
        let [low, high] = self.range;
        if !(low..=high).contains(&value) {
            let what = "observation";
            let expected = if self.range == [0.0, 1.0] {
                "a number from 0 to 1"
            } else {
                "a number in the range"
            };
            return Err(Error::Value { what, expected, found: value });
        }
        // Both before this observation: the interval is valid only if bets are predictable.
        let weight = self.count as f64 + 1.0;
        let mean = self.centre_of(self.sum, weight);
        let value = value / self.reach;
        let variance = (0.25 + self.squares) / weight;
        let bet = self.half_width / (self.half_width + variance);
        self.bets += bet;
        self.staked += bet * value;
        self.penalty += (value - mean).powi(2) * (-(-bet).ln_1p() - bet);

        self.count += 1;
        self.sum += value;
        let after = self.centre_of(self.sum, weight + 1.0);
        self.squares += (value - after).powi(2);

        let centre = self.reach * self.staked / self.bets;
        let half = self.reach * (self.threshold + self.penalty) / self.bets;
        let (low, high) = (self.low.max(centre - half), self.high.min(centre + half));
        // An empty intersection means that one of the intervals missed the mean. Keeping the last
        // one does not reduce the coverage.
        if low <= high {
            (self.low, self.high) = (low, high);
        }
        Ok(())
    }

    /// The running mean, begun with one observation in the middle of the range.
    fn centre_of(&self, sum: f64, weight: f64) -> f64 {
        let [low, high] = self.range;
        let mean = ((low + high) / 2.0 / self.reach + sum) / weight;
        let [least, most] = self.centre;
        mean.clamp(least / self.reach, most / self.reach)
    }

    /// The number of observations.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The mean of the observations, clamped to the interval, and the interval. Before the first
    /// observation it is the range.
    pub fn estimate(&self) -> Estimate {
        let mean = match self.count {
            0 => (self.low + self.high) / 2.0,
            count => self.reach * self.sum / count as f64,
        };
        let (low, high) = (self.low, self.high);
        Estimate { value: mean.clamp(low, high), low, high }
    }
}
