//! Mean scores with confidence intervals.

use darkqi_analysis::Estimate;
use darkqi_analysis::statistics::elo_of_score;

/// Adds up observations between 0 and 1.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ScoreSum {
    count: u64,
    sum: f64,
    squares: f64,
}

impl ScoreSum {
    pub(crate) fn add(&mut self, score: f64) {
        self.count += 1;
        self.sum += score;
        self.squares += score * score;
    }

    /// None without observations.
    pub(crate) fn score(&self) -> Option<Estimate> {
        let count = self.count as f64;
        let mean = self.sum / count;
        let variance = (self.squares - self.sum * mean) / (count - 1.0);
        (self.count > 0).then(|| score(mean, variance, self.count))
    }
}

/// The mean score of `count` observations between 0 and 1 with this mean and sample variance. The
/// variance is 0 if all are equal, and NaN of one observation.
///
/// The interval is Wilson's for the effective sample size: the number of trials at which a proportion
/// has the observed variance, as far as decisive games tell it. Draws narrow it. It stays within 0 and 1
/// and is never empty. The games of a deal are one observation.
pub(crate) fn score(mean: f64, variance: f64, count: u64) -> Estimate {
    let count = count as f64;
    Estimate::of_mean(mean, variance / count, count)
}

/// The Elo difference of a score: the score and its interval by the logistic model.
pub(crate) fn elo(score: Estimate) -> Estimate {
    let [value, low, high] = [score.value, score.low, score.high].map(elo_of_score);
    Estimate { value, low, high }
}

#[cfg(test)]
mod tests {
    use super::ScoreSum;

    fn interval(scores: &[(f64, usize)]) -> [f64; 3] {
        let mut sum = ScoreSum::default();
        for &(score, count) in scores {
            (0..count).for_each(|_| sum.add(score));
        }
        let score = sum.score().expect("there are observations");
        [score.value, score.low, score.high].map(|value| (value * 1e4).round() / 1e4)
    }

    #[test]
    fn without_observations_there_is_no_score() {
        assert_eq!(ScoreSum::default().score(), None);
    }

    #[test]
    fn draws_narrow_the_interval() {
        let [mean, low, high] = interval(&[(1.0, 100), (0.5, 800), (0.0, 100)]);
        assert_eq!(mean, 0.5);
        // Standard error sqrt(0.05 / 1000) = 0.00707, times 1.96.
        assert!((high - 0.5139).abs() < 2e-4 && (low - 0.4861).abs() < 2e-4, "{low} {high}");
    }
}
