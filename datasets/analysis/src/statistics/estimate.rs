//! Estimates with their uncertainty, and Elo.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
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
    /// The verdict on a seat whose score it is, given the score of equal seats.
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
    /// variance `variance`, as far as the `independent` observations tell it. Draws narrow the
    /// interval accordingly. It stays within 0 and 1 and is never empty. If the observations do not
    /// vary, `variance` is 0 or not finite.
    pub fn of_mean(mean: f64, variance: f64, independent: f64) -> Self {
        let trials = trials(mean, variance, independent);
        let shrink = 1.0 / (1.0 + Z * Z / trials);
        let centre = shrink * (mean + Z * Z / (2.0 * trials));
        let half =
            shrink * Z * (mean * (1.0 - mean) / trials + (Z / (2.0 * trials)).powi(2)).sqrt();
        // Rounding must not keep the interval from 0 or 1.
        let low = if mean == 0.0 { 0.0 } else { (centre - half).max(0.0) };
        let high = if mean == 1.0 { 1.0 } else { (centre + half).min(1.0) };
        Self { value: mean, low, high }
    }

    /// How many standard errors an [`Estimate::of_mean`] lies above `null`, if that is the mean: the score
    /// test, of which Wilson's interval has the means that are not rejected. Infinite if no mean is `null`.
    pub fn deviation(self, null: f64) -> f64 {
        if null <= 0.0 || null >= 1.0 {
            return if null <= 0.0 { f64::INFINITY } else { f64::NEG_INFINITY };
        }
        // The trials n that give half the width w: w² (n + Z²)² = Z² (p (1 - p) n + Z² / 4).
        let (square, half) = (Z * Z, (self.high - self.low) / 2.0);
        let a = half * half;
        let b = square * (2.0 * a - self.value * (1.0 - self.value));
        let c = square * square * (a - 0.25);
        let trials = ((b * b - 4.0 * a * c).max(0.0).sqrt() - b) / (2.0 * a);
        (self.value - null) / (null * (1.0 - null) / trials).sqrt()
    }
}

/// With so many decisive observations, the variance between the observations is known well enough.
const ENOUGH_DECISIVE: f64 = 20.0;

/// The trials of a proportion with this mean that have the variance of the mean.
///
/// A mean of draws alone would have no variance, and one of a few decisive games among them a variance
/// that those few decide, which may be far too small. Therefore the share of the greatest possible
/// variance, that of observations which are all decisive, is taken with up to `Z²` decisive observations
/// more: as many as Wilson's interval and that of Agresti and Coull ("Approximate is better than 'exact'
/// for interval estimation of binomial proportions", 1998) add to a proportion. The more decisive
/// observations there are, the fewer are added, from [`ENOUGH_DECISIVE`] on none.
fn trials(mean: f64, variance: f64, independent: f64) -> f64 {
    let most = mean * (1.0 - mean);
    if most <= 0.0 {
        return independent;
    }
    let share = independent * variance / most;
    let share = if share.is_finite() { share.max(0.0) } else { 0.0 };
    if share >= 1.0 {
        return independent / share;
    }
    let decisive = share * independent;
    let more = Z * Z * (1.0 - decisive / ENOUGH_DECISIVE).max(0.0);
    independent * (independent + more) / (decisive + more)
}

/// The variance of a mean of observations between 0 and 1, with the trials of [`Estimate::of_mean`].
pub fn careful_variance(mean: f64, variance: f64, independent: f64) -> f64 {
    mean * (1.0 - mean) / trials(mean, variance, independent)
}

/// An estimate with its standard error, which is infinite if the data do not determine it.
#[derive(Clone, Copy, PartialEq, Debug)]
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

/// With the ends of its interval, so that all estimates have one form.
impl Serialize for Measurement {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Estimate { value, low, high } = self.estimate();
        let mut fields = serializer.serialize_struct("Measurement", 4)?;
        fields.serialize_field("value", &value)?;
        fields.serialize_field("low", &low)?;
        fields.serialize_field("high", &high)?;
        fields.serialize_field("error", &self.error)?;
        fields.end()
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
    use darkqi_env::{Rng, Stream};
    use rand::RngExt as _;

    use super::{Estimate, Measurement, careful_variance, elo_of_score, score_of_elo};

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
    fn what_an_interval_leaves_out_is_rejected() {
        let level = Estimate::of_mean(0.5, 0.25, 1.0);
        assert_eq!([0.0, 1.0].map(|null| level.deviation(null).is_sign_positive()), [true, false]);
        for (mean, trials) in [(0.0, 1.0), (1.0, 3.0), (0.5, 1.0), (0.3, 40.0), (0.52, 1e5)] {
            let found = Estimate::of_mean(mean, mean * (1.0 - mean) / trials, trials);
            for null in [0.05, 0.3, 0.5, 0.9] {
                let expected = (mean - null) / (null * (1.0 - null) / trials).sqrt();
                close(found.deviation(null), expected, 1e-6 * expected.abs().max(1.0));
                let is_in = found.low <= null && null <= found.high;
                assert_eq!(is_in, found.deviation(null).abs() <= super::Z, "{mean} {null}");
            }
        }
    }

    #[test]
    fn without_spread_no_interval_is_empty() {
        for variance in [0.0, f64::NAN, f64::INFINITY] {
            let Estimate { value, low, high } = Estimate::of_mean(1.0, variance, 10.0);
            assert_eq!((value, high), (1.0, 1.0));
            close(low, 0.7225, 5e-5);
        }
    }

    /// The share of 4,000 samples of games, of which so many are won and lost on average, whose interval
    /// contains the true mean.
    fn coverage(games: u32, won: f64, lost: f64, rng: &mut Rng) -> f64 {
        let mut covered = 0;
        for _ in 0..4000 {
            let (mut wins, mut losses) = (0.0, 0.0);
            for _ in 0..games {
                let place = rng.random::<f64>() * f64::from(games);
                wins += f64::from(u8::from(place < won));
                losses += f64::from(u8::from(place >= won && place < won + lost));
            }
            let count = f64::from(games);
            let mean = 0.5 + (wins - losses) / (2.0 * count);
            let squares = (wins + losses) / 4.0 - count * (mean - 0.5).powi(2);
            let found = Estimate::of_mean(mean, squares / (count * (count - 1.0)), count);
            let truth = 0.5 + (won - lost) / (2.0 * count);
            covered += u32::from(found.low <= truth && truth <= found.high);
        }
        f64::from(covered) / 4000.0
    }

    #[test]
    fn few_decisive_games_have_honest_intervals() {
        let rng = &mut Rng::new(3, Stream::Sample);
        for games in [60, 300] {
            for decisive in [0.3, 1.0, 3.0, 5.0, 10.0, 20.0, 40.0] {
                for won in [1.0, 0.75, 0.5] {
                    let share = coverage(games, won * decisive, (1.0 - won) * decisive, rng);
                    assert!(share > 0.93, "{games} games, {decisive} decisive, {won}: {share}");
                }
            }
        }
        // A single decisive game neither proves nor hides anything.
        let level = Estimate::of_mean(0.5, 0.0, 300.0);
        let one = Estimate::of_mean(0.5 + 1.0 / 600.0, 0.25 / 300.0 / 300.0, 300.0);
        close(level.low, 0.4936, 5e-5);
        close(level.high, 0.5064, 5e-5);
        close(one.low, 0.4946, 5e-4);
        close(one.high, 0.5087, 5e-4);
        // Where games are decisive, it is Wilson's interval as it always was.
        let mean: f64 = 0.4;
        let variance = mean * (1.0 - mean) / 30.0;
        close(careful_variance(mean, variance, 30.0), variance, 1e-15);
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
