//! Strength from block scores: score, Elo, normalised Elo, likelihood of superiority.
//!
//! One observation is the mean score of one block, because games on one deal are not independent.
//! For two sides this is the pentanomial estimate of Van den Bergh, "Normalized Elo practical"
//! (<https://www.cantate.be/Fishtest/normalized_elo_practical.pdf>), which fishtest uses.
//! All intervals are normal approximations, and rough with fewer than about thirty blocks.

use std::f64::consts::LN_10;

use darkqi_analysis::Estimate;
use darkqi_analysis::statistics::{MeanScore, Z};
use statrs::distribution::{ContinuousCDF, Normal};

/// Normalised Elo per unit of the mean over the standard deviation, chosen so that it agrees with
/// Elo where two equal players never draw.
const NORMALIZED: f64 = 800.0 / LN_10;

/// Moments of block scores.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moments {
    /// The number of blocks.
    count: u64,
    /// The number of games of a block.
    games: usize,
    /// The number of blocks with another score than 1/2.
    uneven: u64,
    mean: f64,
    /// The sample variance: its divisor is one less than the count. 0 if all scores are equal.
    variance: f64,
    skewness: f64,
    /// 3 for a normal distribution.
    kurtosis: f64,
}

impl Moments {
    /// The moments of block scores, ascending, each with its number of blocks, which is not 0. `games` is
    /// the number of games of a block.
    pub(super) fn of(cells: &[(f64, u64)], games: usize) -> Option<Self> {
        let count: u64 = cells.iter().map(|&(_, count)| count).sum();
        let (first, last) = (cells.first()?, cells.last()?);
        let uneven =
            cells.iter().filter(|cell| (cell.0 - 0.5).abs() > 1e-9).map(|cell| cell.1).sum();
        let n = count as f64;
        let mean = |value: &dyn Fn(f64) -> f64| {
            cells.iter().map(|&(score, count)| value(score) * count as f64).sum::<f64>() / n
        };
        if first.0 == last.0 {
            // Not computed: rounding would give a small variance.
            let [variance, skewness, kurtosis] = [0.0; 3];
            let mean = first.0;
            return Some(Self { count, games, uneven, mean, variance, skewness, kurtosis });
        }
        let centre = mean(&|score| score);
        let variance = mean(&|score| (score - centre).powi(2)) * n / (n - 1.0);
        let deviation = variance.sqrt();
        Some(Self {
            count,
            games,
            uneven,
            mean: centre,
            variance,
            skewness: mean(&|score| ((score - centre) / deviation).powi(3)),
            kurtosis: mean(&|score| ((score - centre) / deviation).powi(4)),
        })
    }

    /// The mean score.
    pub(super) fn score(&self) -> Estimate {
        self.mean_score().estimate()
    }

    fn mean_score(&self) -> MeanScore {
        let clusters = self.count as f64;
        let observations = clusters * self.games as f64;
        let (variance, uneven) = (self.variance / clusters, self.uneven as f64);
        MeanScore { mean: self.mean, variance, clusters, uneven, observations, even: 0.5 }
    }

    /// The Elo difference.
    pub(super) fn elo(&self) -> Estimate {
        self.score().elo()
    }

    /// The normalised Elo difference, by the mean over the standard deviation of one game. None without
    /// spread among the blocks, or with too few of them.
    ///
    /// The interval is that of a ratio whose denominator is estimated too: Mertens, "Comments on
    /// variance of the IID estimator in Lo (2002)".
    pub(super) fn normalized_elo(&self) -> Option<Estimate> {
        if self.variance == 0.0 {
            return None;
        }
        let ratio = (self.mean - 0.5) / self.variance.sqrt();
        let spread = 1.0 - self.skewness * ratio + (self.kurtosis - 1.0) * ratio * ratio / 4.0;
        if self.count < 3 {
            return None;
        }
        // Few blocks that are not level say too little of the moments.
        let variance = self.variance / self.count as f64;
        let careful = (self.mean_score().careful_variance() / variance).max(1.0);
        let half = Z * (careful * spread.max(1.0) / self.count as f64).sqrt();
        let scale = NORMALIZED / (self.games as f64).sqrt();
        let [value, low, high] = [ratio, ratio - half, ratio + half].map(|ratio| ratio * scale);
        Some(Estimate { value, low, high })
    }

    /// The likelihood of superiority: the probability that the expected score exceeds 1/2, by the score
    /// test.
    pub(super) fn los(&self) -> f64 {
        Normal::standard().cdf(self.score().deviation(0.5))
    }
}

#[cfg(test)]
mod tests {
    use super::{Estimate, Moments, NORMALIZED};

    fn pentanomial(counts: [u64; 5]) -> Moments {
        let cells: Vec<_> = (0..)
            .zip(counts)
            .filter(|&(_, count)| count > 0)
            .map(|(halves, count)| (f64::from(halves) / 4.0, count))
            .collect();
        Moments::of(&cells, 2).expect("there are blocks")
    }

    fn close(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() <= tolerance, "{found}, expected {expected}");
    }

    /// Fishtest's `stat_util.get_elo`, run on these frequencies: Elo, half its 95 % interval, and
    /// the likelihood of superiority.
    const FISHTEST: [([u64; 5], [f64; 3]); 4] = [
        ([10789, 19328, 33806, 19402, 10543], [-0.773577335917, 1.27757989573, 0.117658858033]),
        ([39, 2226, 31451, 2412, 40], [0.902981048809, 0.662531485982, 0.996222097335]),
        ([1187, 7410, 13475, 7378, 1164], [-0.442607799224, 1.72985902762, 0.308013879123]),
        ([3, 10, 40, 25, 9], [54.3514890689, 34.7647349134, 0.99911280235]),
    ];

    #[test]
    fn pentanomial_elo_agrees_with_fishtest() {
        for (counts, [elo, half, los]) in FISHTEST {
            let moments = pentanomial(counts);
            let found = moments.elo();
            close(found.value, elo, 1e-9);
            // Fishtest divides the variance by the count, and its interval is Wald's, not Wilson's.
            // Both differences vanish as one over the count.
            let pairs = counts.iter().sum::<u64>() as f64;
            close((found.high - found.low) / 2.0, half, 3.0 * half / pairs);
            close(moments.los(), los, 1.0 / pairs);
        }
    }

    /// `(mean - 1/2) / deviation / sqrt(2) * 800 / ln(10)` and 1.96 standard errors of it by
    /// Mertens' formula, computed with numpy; 200,000 bootstrap samples gave standard errors
    /// within 1.6 % of these.
    #[test]
    fn normalized_elo_agrees_with_numpy() {
        for (counts, [value, half]) in [
            ([3, 10, 40, 25, 9], [81.85089044, 54.08367828]),
            ([1187, 7410, 13475, 7378, 1164], [-0.7041297078, 2.751992394]),
            ([0, 30, 60, 150, 260], [350.8776345, 41.28935333]),
        ] {
            let found = pentanomial(counts).normalized_elo().expect("there is spread");
            close(found.value, value, 1e-6);
            // It is a little wider, with Student's quantile.
            close((found.high - found.value) / half, 1.01, 0.01);
            close(found.value - found.low, found.high - found.value, 1e-6);
        }
    }

    #[test]
    fn normalized_elo_is_elo_without_draws() {
        // Single games, slightly more than half of them won.
        let moments = Moments::of(&[(0.0, 4990), (1.0, 5010)], 1).expect("there are games");
        let normalized = moments.normalized_elo().expect("there is spread");
        close(normalized.value, moments.elo().value, 1e-3);
        close(NORMALIZED, 347.43558552260146, 1e-10);
    }

    #[test]
    fn a_clean_sweep_gives_a_bound() {
        let won = pentanomial([0, 0, 0, 0, 20]);
        let Estimate { value, low, high } = won.elo();
        assert_eq!((value, high), (f64::INFINITY, f64::INFINITY));
        // Wilson's interval of 20 out of 20 begins at 0.8389.
        close(low, 286.6, 0.2);
        assert!(won.normalized_elo().is_none());
        assert!(won.los() > 0.999 && won.los() < 1.0);
        let lost = pentanomial([20, 0, 0, 0, 0]).elo();
        assert_eq!((lost.value, lost.low), (f64::NEG_INFINITY, f64::NEG_INFINITY));
        close(lost.high, -low, 1e-9);
    }

    #[test]
    fn one_block_or_equal_blocks_give_wide_intervals() {
        let one = pentanomial([0, 0, 0, 1, 0]);
        close(one.elo().value, 190.85, 0.01);
        assert!(one.elo().low < -200.0 && one.elo().high > 400.0, "{:?}", one.elo());
        close(one.los(), 0.6915, 1e-4);
        let level = pentanomial([0, 0, 12, 0, 0]);
        assert_eq!((level.elo().value, level.los()), (0.0, 0.5));
        assert!(level.elo().high > 90.0 && level.normalized_elo().is_none());
        // A score that is not a binary fraction has no variance either.
        let third = Moments::of(&[(0.1, 1000)], 2).expect("there are blocks").score();
        assert!(third.high - third.low > 0.002, "{third:?}");
        assert!(Moments::of(&[], 2).is_none());
    }

    #[test]
    fn the_interval_has_its_nominal_coverage() {
        use darkqi_env::{Rng, Stream};
        use rand::distr::{Distribution, weighted::WeightedIndex};
        // Samples of forty pairs with these weights out of 20. The true score is 0.575.
        const WEIGHTS: [u32; 5] = [2, 3, 6, 5, 4];
        const RUNS: u32 = 4000;
        let pairs = WeightedIndex::new(WEIGHTS).expect("the weights are positive");
        let mut rng = Rng::new(11, Stream::Sample);
        let mut covered = 0;
        for _ in 0..RUNS {
            let mut counts = [0; 5];
            (0..40).for_each(|_| counts[pairs.sample(&mut rng)] += 1);
            let score = pentanomial(counts).score();
            covered += u32::from(score.low <= 0.575 && 0.575 <= score.high);
        }
        // Standard error 0.35 %.
        let share = f64::from(covered) / f64::from(RUNS);
        assert!((0.935..0.965).contains(&share), "{share}");
    }
}
