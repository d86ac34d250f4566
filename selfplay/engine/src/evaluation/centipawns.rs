//! Expected results as the scores of UCI.

use libm::{atanh, round, tanh};

use super::linear::Evaluation;

/// Centipawns of a logit of 1: an expected result is [`Evaluation::MOST`] times `tanh(cp / 400)`. An
/// advantage of 100 is then worth 0.22, or 61 % of the points.
const LOGIT: f64 = 400.0;

/// The score of a result that is certain, apart from reveals on the way.
const CERTAIN: i32 = 10_000;

/// The expected result, from -1 to 1, of a score of an engine: the inverse of [`centipawns_of_value`].
pub(crate) fn value_of_centipawns(score: i32) -> f32 {
    if score.unsigned_abs() >= CERTAIN.unsigned_abs() {
        return score.signum() as f32;
    }
    Evaluation::MOST * tanh(f64::from(score) / LOGIT) as f32
}

/// The score of an expected result of a search, which [`Evaluation::MOST`] bounds unless it is
/// certain.
pub fn centipawns_of_value(value: f32) -> i32 {
    let most = f64::from(Evaluation::MOST);
    let value = f64::from(value);
    if value.abs() > most {
        return if value > 0.0 { CERTAIN } else { -CERTAIN };
    }
    // At the bound the logit is infinite.
    let score = round(LOGIT * atanh(value / most));
    let greatest = f64::from(CERTAIN - 1);
    score.clamp(-greatest, greatest) as i32
}

#[cfg(test)]
mod tests {
    use super::{CERTAIN, Evaluation, centipawns_of_value, value_of_centipawns};

    #[test]
    fn scores_are_read_as_they_are_written() {
        for score in [-CERTAIN, -900, -100, -1, 0, 1, 100, 900, CERTAIN] {
            assert_eq!(centipawns_of_value(value_of_centipawns(score)), score);
        }
    }

    #[test]
    fn only_certain_results_have_the_greatest_score() {
        assert_eq!(centipawns_of_value(Evaluation::MOST), CERTAIN - 1);
        assert_eq!(centipawns_of_value(-Evaluation::MOST), 1 - CERTAIN);
        assert_eq!(centipawns_of_value(0.95), CERTAIN);
        assert_eq!(centipawns_of_value(-1.0), -CERTAIN);
    }
}
