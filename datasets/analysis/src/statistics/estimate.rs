//! Estimates with their uncertainty, and Elo.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

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
    /// A difference with the signs of all, `+0.0120 (-0.0040 to +0.0280)`; without its interval if that has
    /// no end.
    pub fn signed(self) -> String {
        let Self { value, low, high } = self;
        if !low.is_finite() {
            return format!("{value:+.4}");
        }
        format!("{value:+.4} ({low:+.4} to {high:+.4})")
    }

    /// Half the width of the interval.
    pub fn half_width(self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// The standard error that a normal interval of this width has.
    pub fn standard_error(self) -> f64 {
        self.half_width() / Z
    }

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

    /// The Elo difference of a score: the score and its ends by the logistic model.
    pub fn elo(self) -> Self {
        let [value, low, high] = [self.value, self.low, self.high].map(elo_of_score);
        Self { value, low, high }
    }

    /// How many standard errors the estimate of a [`MeanScore`] lies above `null`, if that is the mean: the
    /// score test, of which Wilson's interval has the means that are not rejected. Infinite if no mean is `null`.
    pub fn deviation(self, null: f64) -> f64 {
        if null <= 0.0 || null >= 1.0 {
            return if null <= 0.0 { f64::INFINITY } else { f64::NEG_INFINITY };
        }
        (self.value - null) / (null * (1.0 - null) / self.trials(self.half_width())).sqrt()
    }

    /// The trials of a proportion with this value whose interval by Wilson has a half-width.
    pub fn trials(self, half_width: f64) -> f64 {
        // With n trials and half-width w: w² (n + Z²)² = Z² (p (1 - p) n + Z² / 4).
        let square = Z * Z;
        let a = half_width.powi(2);
        let b = square * (2.0 * a - self.value * (1.0 - self.value));
        let c = square * square * (a - 0.25);
        ((b * b - 4.0 * a * c).max(0.0).sqrt() - b) / (2.0 * a)
    }
}

/// A mean of observations between 0 and 1 in clusters, such as scores of games that share a deal.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MeanScore {
    /// The mean.
    pub mean: f64,
    /// The variance of the mean as the clusters tell it. 0 or not finite if they do not vary.
    pub variance: f64,
    /// The number of clusters.
    pub clusters: f64,
    /// The number of clusters that are not level: whose own mean is not `even`.
    pub uneven: f64,
    /// The number of observations.
    pub observations: f64,
    /// The value of an observation that is not decisive, such as a draw: above 0 and below 1.
    pub even: f64,
}

/// The number of decisive observations, or of clusters, from which on the variance is known well enough.
const ENOUGH: f64 = 20.0;

/// The number of decisive observations, or of clusters, that are added to those that are known.
pub(super) fn added(known: f64) -> f64 {
    Z * Z * (1.0 - known / ENOUGH).max(0.0)
}

impl MeanScore {
    /// A mean of observations that do not depend on one another, of two seats.
    pub const fn independent(mean: f64, variance: f64, observations: f64) -> Self {
        let (clusters, uneven) = (observations, observations);
        Self { mean, variance, clusters, uneven, observations, even: 0.5 }
    }

    /// The mean with Wilson's interval ("Probable inference, the law of succession, and statistical
    /// inference", 1927) for the [trials](Self::trials) of a proportion. It stays within 0 and 1 and is never
    /// empty.
    pub fn estimate(self) -> Estimate {
        let (mean, trials) = (self.mean, self.trials());
        let shrink = 1.0 / (1.0 + Z * Z / trials);
        let centre = shrink * (mean + Z * Z / (2.0 * trials));
        let half =
            shrink * Z * (mean * (1.0 - mean) / trials + (Z / (2.0 * trials)).powi(2)).sqrt();
        // Rounding must not keep the interval from 0 or 1.
        let low = if mean == 0.0 { 0.0 } else { (centre - half).max(0.0) };
        let high = if mean == 1.0 { 1.0 } else { (centre + half).min(1.0) };
        Estimate { value: mean, low, high }
    }

    /// The variance of the mean, given its [trials](Self::trials).
    pub fn careful_variance(self) -> f64 {
        self.mean * (1.0 - self.mean) / self.trials()
    }

    /// The effective sample size: the trials of a proportion with this mean whose mean has the variance.
    /// Draws raise it, and so do clusters whose luck cancels out.
    ///
    /// The variance is the greatest of these, as shares of that of independent decisive observations:
    ///
    /// - That of the clusters, multiplied by the square of Student's quantile over the normal one. The factor
    ///   reaches no more than the variance of clusters whose observations are all alike.
    /// - That of the clusters and a few more. A few decisive observations among draws may have far too small a
    ///   variance. Up to `Z²` decisive clusters are added, as many as the intervals of Wilson and of Agresti and
    ///   Coull ("Approximate is better than 'exact' for interval estimation of binomial proportions", 1998) add
    ///   to a proportion. They have two observations at least, if clusters do, as many as a deal with its return
    ///   game, or as many as those that were seen. A won game among seven equal seats counts as several lost
    ///   ones. The more decisive clusters there are, the fewer are added, from [`ENOUGH`] on none.
    /// - That of a few decisive observations among the clusters, because few clusters may agree by chance.
    fn trials(self) -> f64 {
        let Self { mean, variance, clusters, uneven, observations, even } = self;
        let independent = mean * (1.0 - mean) / observations;
        if independent <= 0.0 || clusters < 2.0 {
            return clusters;
        }
        let share = variance / independent;
        let share = if share.is_finite() { share.max(0.0) } else { 0.0 };
        let student = share * students_factor(clusters - 1.0).powi(2);
        let of_clusters = share.max(student.min(observations / clusters));
        // Squares of what clusters differ from the mean by, in units of the variance of an observation that is
        // always decisive: of all, of a single observation, and of a decisive cluster.
        let decisive = share * observations;
        let one = (even * even + (1.0 - even).powi(2)) / (2.0 * even * (1.0 - even));
        let seen = if uneven > 0.0 { decisive / uneven } else { 0.0 };
        let square = seen.max(one * (observations / clusters).min(2.0).powi(2));
        let added_of_decisive = added(uneven.min(decisive / one)) * square.sqrt();
        let of_decisive =
            (decisive + added_of_decisive * square.sqrt()) / (observations + added_of_decisive);
        let of_chance = added(clusters) / (clusters + added(clusters));
        observations / of_clusters.max(of_decisive).max(of_chance)
    }
}

/// With more degrees of freedom Student's distribution is the normal one for what it is used for here.
const MANY: f64 = 1000.0;

/// The 97.5 % point of Student's distribution over [`Z`]: how much wider an interval is whose error is
/// estimated with these degrees of freedom.
pub(super) fn students_factor(degrees: f64) -> f64 {
    // The library's search for the quantile does not end at millions. This is the expansion of Cornish and
    // Fisher (1938), with an error below 2e-6.
    if degrees > MANY {
        return 1.0 + (Z * Z + 1.0) / (4.0 * degrees);
    }
    StudentsT::new(0.0, 1.0, degrees).expect("degrees are positive").inverse_cdf(0.975) / Z
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

    /// The 95 % interval, and the two-sided p-value of the null hypothesis 0, by Student's distribution.
    pub fn student(self, degrees: f64) -> (Estimate, f64) {
        let wide = Self { error: self.error * students_factor(degrees), ..self };
        let deviation = if self.value == 0.0 { 0.0 } else { (self.value / wide.error).abs() };
        (wide.estimate(), 2.0 * students_tail(deviation, degrees))
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

/// The probability that Student's distribution exceeds the deviation. The deviation is in errors of an interval
/// whose ends have 97.5 % points of that distribution: 1.96 of them are its quantile.
pub fn students_tail(deviation: f64, degrees: f64) -> f64 {
    if degrees > MANY {
        return Normal::standard().sf(deviation);
    }
    let student = StudentsT::new(0.0, 1.0, degrees).expect("degrees are positive");
    student.sf(deviation * students_factor(degrees))
}

/// The Elo difference at which a score between 0 and 1 is expected; infinite at the ends.
fn elo_of_score(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// The score expected at an Elo difference, the inverse of [`Estimate::elo`].
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

#[cfg(test)]
mod tests {
    use darkqi_env::{Rng, Stream};
    use rand::RngExt as _;

    use super::{Estimate, MeanScore, Measurement, elo_of_score, score_of_elo, students_factor};

    fn close(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() <= tolerance, "{found}, expected {expected}");
    }

    fn proportion(mean: f64, trials: f64) -> Estimate {
        MeanScore::independent(mean, mean * (1.0 - mean) / trials, trials).estimate()
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
        let Estimate { low, high, .. } = proportion(mean, 263.0);
        close(low, 0.2553, 5e-5);
        close(high, 0.3662, 5e-5);
    }

    #[test]
    fn what_an_interval_leaves_out_is_rejected() {
        let level = proportion(0.5, 1.0);
        assert_eq!([0.0, 1.0].map(|null| level.deviation(null).is_sign_positive()), [true, false]);
        for (mean, trials) in [(0.0, 1.0), (1.0, 3.0), (0.5, 1.0), (0.3, 40.0), (0.52, 1e5)] {
            let found = proportion(mean, trials);
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
            let Estimate { value, low, high } =
                MeanScore::independent(1.0, variance, 10.0).estimate();
            assert_eq!((value, high), (1.0, 1.0));
            close(low, 0.7225, 5e-5);
        }
    }

    /// The share of 4,000 samples of games whose interval contains the true mean. On average `won` games are
    /// won and `lost` are lost; the others are even.
    fn coverage(games: u32, even: f64, won: f64, lost: f64, rng: &mut Rng) -> f64 {
        let mut covered = 0;
        for _ in 0..4000 {
            let (mut wins, mut losses) = (0.0, 0.0);
            for _ in 0..games {
                let place = rng.random::<f64>() * f64::from(games);
                wins += f64::from(u8::from(place < won));
                losses += f64::from(u8::from(place >= won && place < won + lost));
            }
            let count = f64::from(games);
            let uneven = wins + losses;
            let mean = even + (wins * (1.0 - even) - losses * even) / count;
            let squares = wins * (1.0 - even).powi(2) + losses * even.powi(2);
            let squares = squares - count * (mean - even).powi(2);
            let variance = squares / (count * (count - 1.0));
            let independent = MeanScore::independent(mean, variance, count);
            let found = MeanScore { uneven, even, ..independent }.estimate();
            let truth = even + (won * (1.0 - even) - lost * even) / count;
            covered += u32::from(found.low <= truth && truth <= found.high);
        }
        f64::from(covered) / 4000.0
    }

    #[test]
    fn few_decisive_games_have_honest_intervals() {
        let rng = &mut Rng::new(3, Stream::Sample);
        for (games, seats) in [(60, 2.0), (300, 2.0), (60, 7.0), (300, 7.0)] {
            for decisive in [0.3, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 40.0] {
                for won in [1.0, 0.75, 0.5, 1.0 / seats] {
                    let (won, lost) = (won * decisive, (1.0 - won) * decisive);
                    let share = coverage(games, 1.0 / seats, won, lost, rng);
                    let text = format!("{games} games, {seats} seats, {won} won, {lost} lost");
                    assert!(share > 0.93, "{text}: {share}");
                }
            }
        }
        // A single decisive game neither proves nor hides anything.
        let level = MeanScore::independent(0.5, 0.0, 300.0).estimate();
        let one = MeanScore::independent(0.5 + 1.0 / 600.0, 0.25 / 300.0 / 300.0, 300.0).estimate();
        close(level.low, 0.4936, 5e-5);
        close(level.high, 0.5064, 5e-5);
        close(one.low, 0.4946, 5e-4);
        close(one.high, 0.5087, 5e-4);
        // Where games are decisive, it is Wilson's interval as it always was.
        let mean: f64 = 0.4;
        let variance = mean * (1.0 - mean) / 30.0;
        let careful = MeanScore::independent(mean, variance, 30.0).careful_variance();
        close(careful, variance, 1e-15);
    }

    /// Observations in clusters: each is a win with a probability that differs between clusters by `spread`
    /// at most, or a draw.
    struct Clustered {
        clusters: u32,
        each: u32,
        spread: f64,
        draws: f64,
    }

    impl Clustered {
        fn draw(&self, rng: &mut Rng) -> MeanScore {
            let mut cluster = || {
                let won = 0.5 + self.spread * (2.0 * rng.random::<f64>() - 1.0);
                let mut game = || match rng.random::<f64>() {
                    drawn if drawn < self.draws => 0.5,
                    _ => f64::from(u8::from(rng.random::<f64>() < won)),
                };
                (0..self.each).map(|_| game()).sum::<f64>()
            };
            let sums: Vec<f64> = (0..self.clusters).map(|_| cluster()).collect();
            let (clusters, observations) =
                (sums.len() as f64, sums.len() as f64 * f64::from(self.each));
            let mean = sums.iter().sum::<f64>() / observations;
            let centred = sums.iter().map(|sum| (sum - f64::from(self.each) * mean).powi(2));
            let squares = centred.sum::<f64>() * clusters / (clusters - 1.0);
            let variance = squares / (observations * observations);
            let independent = MeanScore::independent(mean, variance, clusters);
            // None is level but by chance.
            MeanScore { observations, ..independent }
        }

        /// The share of 4,000 intervals with the true mean, and their mean width in standard errors.
        fn intervals(&self, rng: &mut Rng) -> [f64; 2] {
            let each = f64::from(self.each);
            let between = self.spread * self.spread / 3.0;
            let decisive = 1.0 - self.draws;
            let shared = decisive * decisive * between;
            let variance = (shared + (decisive / 4.0 - shared) / each) / f64::from(self.clusters);
            let mut found = [0.0; 2];
            for _ in 0..4000 {
                let Estimate { low, high, .. } = self.draw(rng).estimate();
                found[0] += f64::from(u8::from(low <= 0.5 && 0.5 <= high)) / 4000.0;
                found[1] += (high - low) / (4000.0 * variance.sqrt());
            }
            found
        }
    }

    #[test]
    fn intervals_of_clusters_cover_and_are_no_wider_than_the_clusters_demand() {
        let rng = &mut Rng::new(5, Stream::Sample);
        // The last number is a bound for the width in standard errors: about twice Student's quantile.
        for (clusters, each, spread, draws, width) in [
            (5, 2, 0.0, 0.0, 6.0),
            (10, 2, 0.0, 0.0, 4.7),
            (40, 2, 0.3, 0.5, 4.2),
            (2, 200, 0.0, 0.0, f64::INFINITY),
            (5, 200, 0.0, 0.0, 5.6),
            (10, 200, 0.0, 0.0, 4.6),
            (10, 200, 0.2, 0.0, 4.6),
            (10, 1000, 0.0, 0.99, f64::INFINITY),
            (30, 14, 0.0, 0.0, 4.2),
            (100, 14, 0.2, 0.9, 4.1),
        ] {
            let [covered, wide] = Clustered { clusters, each, spread, draws }.intervals(rng);
            let text = format!("{clusters} of {each}, {spread}, {draws}: {covered}, {wide}");
            assert!(covered > 0.937 && wide < width, "{text}");
        }
    }

    #[test]
    fn students_factor_is_that_of_tables_and_falls_to_1() {
        for (degrees, quantile) in [(1.0, 12.7062), (9.0, 2.2622), (120.0, 1.9799)] {
            close(students_factor(degrees) * super::Z, quantile, 5e-5);
        }
        close(students_factor(1000.0), students_factor(1000.1), 2e-6);
        close(students_factor(1e12), 1.0, 1e-9);
    }

    /// Blocks of games, as of a game and its return game, which are level but for a few that are won whole.
    #[test]
    fn few_blocks_that_are_not_level_have_honest_intervals() {
        let rng = &mut Rng::new(6, Stream::Sample);
        for (blocks, each, decisive) in [
            (30, 2.0, 2.0),
            (100, 2.0, 2.0),
            (300, 2.0, 2.0),
            (300, 2.0, 10.0),
            (30, 14.0, 5.0),
            (300, 14.0, 5.0),
            (300, 200.0, 10.0),
        ] {
            let clusters = f64::from(blocks);
            let truth = 0.5 + 0.5 * decisive / clusters;
            let mut covered = 0;
            for _ in 0..4000 {
                let won = |_: &u32| rng.random::<f64>() < decisive / clusters;
                let uneven = (0..blocks).filter(won).count() as f64;
                let share = uneven / clusters;
                let variance = 0.25 * share * (1.0 - share) / (clusters - 1.0);
                let (mean, observations) = (0.5 + 0.5 * share, each * clusters);
                let found = MeanScore { mean, variance, clusters, uneven, observations, even: 0.5 };
                let found = found.estimate();
                covered += u32::from(found.low <= truth && truth <= found.high);
            }
            assert!(covered > 3720, "{blocks} blocks of {each}, {decisive}: {covered}");
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
