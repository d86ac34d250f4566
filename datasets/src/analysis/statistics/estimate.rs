//! Estimates with their uncertainty, and Elo.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal};

/// 97.5 % point of the normal distribution.
pub const Z: f64 = 1.959_963_984_540_054;

/// An estimate with its 95 % interval. Ends may be infinite but not NaN.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl Estimate {
    /// What it says of a seat as its score, given the score of equal seats.
    pub fn verdict(self, even: f64) -> &'static str {
        if self.low > even {
            "an advantage"
        } else if self.high < even {
            "a disadvantage"
        } else {
            "no significant advantage or disadvantage"
        }
    }

    /// A mean between 0 and 1 with Wilson's interval ("Probable inference, the law of succession,
    /// and statistical inference", 1927).
    ///
    /// The number of trials is the effective sample size: that of a proportion whose mean has the
    /// variance `variance`. Draws narrow the interval accordingly. It stays within 0 and 1 and is
    /// never empty. If the observations do not vary, so that `variance` is 0 or not finite, the
    /// trials are the `independent` observations.
    pub fn of_mean(mean: f64, variance: f64, independent: f64) -> Self {
        // Without variation the data do not determine the variance; that of a proportion is the
        // largest.
        let trials = if variance > 0.0 && variance.is_finite() {
            mean * (1.0 - mean) / variance
        } else {
            independent
        };
        let shrink = 1.0 / (1.0 + Z * Z / trials);
        let centre = shrink * (mean + Z * Z / (2.0 * trials));
        let half =
            shrink * Z * (mean * (1.0 - mean) / trials + (Z / (2.0 * trials)).powi(2)).sqrt();
        // Rounding must not keep the interval from 0 or 1.
        let low = if mean == 0.0 { 0.0 } else { (centre - half).max(0.0) };
        let high = if mean == 1.0 { 1.0 } else { (centre + half).min(1.0) };
        Self { value: mean, low, high }
    }
}

/// An estimate with its standard error, which is infinite if the data do not determine it.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Measurement {
    /// The estimate.
    pub value: f64,
    /// The standard error.
    pub error: f64,
}

impl Measurement {
    /// The estimate with the normal 95 % interval.
    pub fn estimate(self) -> Estimate {
        let half = Z * self.error;
        Estimate { value: self.value, low: self.value - half, high: self.value + half }
    }

    /// The two-sided p-value of the null hypothesis 0 (Wald test).
    ///
    /// An estimate of 0 gives 1, even if its error is 0 too.
    pub fn p_value(self) -> f64 {
        if self.value == 0.0 {
            return 1.0;
        }
        2.0 * Normal::standard().sf((self.value / self.error).abs())
    }
}

/// The Elo difference at which a score between 0 and 1 is expected; infinite at the ends.
pub fn elo_of_score(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// The score expected at an Elo difference, the inverse of [`elo_of_score`].
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

#[cfg(test)]
mod tests {
    use super::{Estimate, Measurement, elo_of_score, score_of_elo};

    fn close(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() <= tolerance, "{found}, expected {expected}");
    }

    #[test]
    fn elo_and_score_are_inverse() {
        for (elo, score) in [(0.0, 0.5), (400.0, 10.0 / 11.0), (-400.0, 1.0 / 11.0)] {
            close(score_of_elo(elo), score, 1e-15);
            close(elo_of_score(score), elo, 1e-10);
        }
        assert_eq!(elo_of_score(1.0), f64::INFINITY);
        assert_eq!(elo_of_score(0.0), f64::NEG_INFINITY);
        assert!(elo_of_score(0.5).is_sign_positive());
    }

    #[test]
    fn wilsons_interval_agrees_with_newcombe() {
        // Newcombe (1998), table I: 81 of 263.
        let mean = 81.0 / 263.0;
        let Estimate { low, high, .. } =
            Estimate::of_mean(mean, mean * (1.0 - mean) / 263.0, 263.0);
        close(low, 0.2553, 5e-5);
        close(high, 0.3662, 5e-5);
    }

    #[test]
    fn without_spread_no_interval_is_empty() {
        for variance in [0.0, f64::NAN, f64::INFINITY] {
            let Estimate { value, low, high } = Estimate::of_mean(1.0, variance, 10.0);
            assert_eq!((value, high), (1.0, 1.0));
            close(low, 0.7225, 5e-5);
        }
    }

    #[test]
    fn walds_test_is_the_normal_tail() {
        let p_value = |value, error| Measurement { value, error }.p_value();
        close(p_value(-super::Z, 1.0), 0.05, 1e-10);
        close(p_value(8.0, 1.0), 1.244192114854e-15, 1e-22);
        assert_eq!(p_value(0.0, 0.0), 1.0);
        assert_eq!(p_value(1.0, 0.0), 0.0);
        assert_eq!(p_value(1.0, f64::INFINITY), 1.0);
    }
}
