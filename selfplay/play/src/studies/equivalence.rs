//! Whether scores are shown to be even.

use darkqi_analysis as analysis;
use darkqi_analysis::Estimate;
use darkqi_analysis::statistics::{holm, students_tail};
use serde::Serialize;

/// A test whether a score lies within a margin of the even one: two one-sided tests (Schuirmann, "A
/// comparison of the two one-sided tests procedure", 1987).
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Equivalence {
    /// The margin.
    pub margin: f64,
    /// Of the hypothesis that the score is the margin or more from the even one.
    pub p_value: f64,
    /// Adjusted for all sets (Holm).
    pub p_holm: f64,
}

/// The tests of these scores, given the even score and the degrees of freedom of each.
///
/// A score's error is never 0 ([`Estimate::deviation`]): a few games that all end alike show nothing.
///
/// # Errors
/// If a figure is not finite.
pub(super) fn equivalence(
    scores: &[Estimate],
    even: &[f64],
    degrees: &[f64],
    margin: f64,
) -> Result<Vec<Equivalence>, analysis::Error> {
    let p_value = |((score, even), &degrees): ((&Estimate, &f64), &f64)| {
        let [low, high] = [even - margin, even + margin].map(|end| score.deviation(end));
        students_tail(low.min(-high), degrees)
    };
    let p_values: Vec<f64> = scores.iter().zip(even).zip(degrees).map(p_value).collect();
    let tests = p_values.iter().zip(holm(&p_values)?);
    Ok(tests.map(|(&p_value, p_holm)| Equivalence { margin, p_value, p_holm }).collect())
}

#[cfg(test)]
mod tests {
    use darkqi_analysis::Estimate;
    use darkqi_analysis::statistics::MeanScore;
    use darkqi_env::{Rng, Stream};
    use rand::RngExt as _;

    use super::equivalence;

    const MARGIN: f64 = 0.02;

    /// In how many of 1,000 runs some of seven sets with this score is called even.
    fn called_even(score: f64, games: u32, rng: &mut Rng) -> u32 {
        let mut called = 0;
        for _ in 0..1000 {
            // The number of wins, by the normal approximation: 12 uniform numbers have variance 1.
            let mut set = || {
                let normal = (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
                let count = f64::from(games);
                let error = (score * (1.0 - score) / count).sqrt();
                MeanScore::independent(score + error * normal, error * error, count).estimate()
            };
            let scores: Vec<Estimate> = (0..7).map(|_| set()).collect();
            let tests = equivalence(&scores, &[0.5; 7], &[f64::from(games); 7], MARGIN)
                .expect("all is finite");
            called += u32::from(tests.iter().any(|test| test.p_holm < 0.05));
        }
        called
    }

    #[test]
    fn uneven_sets_are_rarely_called_even_and_even_ones_are() {
        let rng = &mut Rng::new(4, Stream::Sample);
        for score in [0.5 + MARGIN, 0.5 - MARGIN, 0.55] {
            let wrong = called_even(score, 8000, rng);
            assert!(wrong <= 64, "{score}: {wrong}");
        }
        let right = called_even(0.5, 20_000, rng);
        assert!(right > 990, "{right}");
    }

    #[test]
    fn few_equal_games_show_nothing() {
        let level = MeanScore::independent(0.5, 0.0, 10.0).estimate();
        let tests = equivalence(&[level], &[0.5], &[9.0], MARGIN).expect("all is finite");
        assert!(tests[0].p_value > 0.3, "{tests:?}");
    }
}
