//! The generalised sequential probability ratio test.
//!
//! The log-likelihood ratio compares the maximum-likelihood distributions of block scores with the
//! means of the two hypotheses: Van den Bergh, "A practical introduction to the GSPRT"
//! (<https://www.cantate.be/Fishtest/GSPRT_approximation.pdf>), computed exactly by proposition 1.1
//! of <https://www.cantate.be/Fishtest/support_MLE_multinomial.pdf>, as fishtest does. The bounds
//! are Wald's, without fishtest's correction for overshooting them: errors are slightly rarer than
//! asked, and tests slightly longer.

use darkqi_analysis::statistics::score_of_elo;
use serde::Serialize;

use crate::error::Error;

/// The greatest magnitude of a hypothesis, in Elo.
pub const MAX_ELO: f64 = 1000.0;

/// The weight, in blocks, of a score that no block had.
const EMPTY: f64 = 1e-3;

/// A sequential test: the first agent is `elo0` better (H0) or `elo1` better (H1).
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Sprt {
    /// The difference of H0, in logistic Elo.
    pub elo0: f64,
    /// The difference of H1, which is greater.
    pub elo1: f64,
    /// The greatest probability of accepting H1 although H0 is true.
    pub alpha: f64,
    /// The greatest probability of accepting H0 although H1 is true.
    pub beta: f64,
}

/// The decision of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// H0 is accepted.
    H0,
    /// H1 is accepted.
    H1,
    /// More blocks are needed.
    Undecided,
}

/// The state of a test.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Verdict {
    /// The test.
    #[serde(flatten)]
    pub test: Sprt,
    /// H0 is accepted when the log-likelihood ratio falls to this.
    pub lower: f64,
    /// H1 is accepted when it rises to this.
    pub upper: f64,
    /// The log-likelihood ratio after the last block that counted; where blocks begin alike, that of their
    /// effective number.
    pub llr: f64,
    /// The decision.
    pub decision: Decision,
}

impl Sprt {
    /// A test with error probabilities of 5 %.
    pub const fn new(elo0: f64, elo1: f64) -> Self {
        Self { elo0, elo1, alpha: 0.05, beta: 0.05 }
    }

    /// # Errors
    /// If the differences or probabilities cannot be used.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let Self { elo0, elo1, alpha, beta } = *self;
        let in_range = |elo: f64| elo.abs() <= MAX_ELO;
        if !(in_range(elo0) && in_range(elo1) && elo0 < elo1) {
            let expected =
                format!("two Elo differences from -{MAX_ELO} to {MAX_ELO}, the lower one first");
            return Err(Error::config("sprt", expected, format!("{elo0},{elo1}")));
        }
        for (field, value) in [("alpha", alpha), ("beta", beta)] {
            if !(1e-9..0.5).contains(&value) {
                let expected = "a probability from 1e-9 to below 0.5";
                return Err(Error::config(field, expected, value));
            }
        }
        Ok(())
    }

    /// The state of the test after these block scores, each with its number of blocks, of which so many
    /// count as one because they begin alike: copies of a game say no more than the game.
    pub(super) fn evaluate(&self, cells: &[(f64, u64)], repetition: f64) -> Verdict {
        let lower = (self.beta / (1.0 - self.alpha)).ln();
        let upper = ((1.0 - self.beta) / self.alpha).ln();
        let llr = llr(cells, self.elo0, self.elo1) / repetition;
        let decision = if llr >= upper {
            Decision::H1
        } else if llr <= lower {
            Decision::H0
        } else {
            Decision::Undecided
        };
        Verdict { test: *self, lower, upper, llr, decision }
    }
}

/// The log-likelihood ratio of two Elo differences. `cells` holds every score that a block can
/// have, or at least 0, 1 and those that occurred, with their numbers of blocks.
fn llr(cells: &[(f64, u64)], elo0: f64, elo1: f64) -> f64 {
    if cells.iter().all(|&(_, count)| count == 0) {
        return 0.0;
    }
    let weights: Vec<(f64, f64)> = cells
        .iter()
        .map(|&(score, count)| (score, if count == 0 { EMPTY } else { count as f64 }))
        .collect();
    let [s0, s1] = [elo0, elo1].map(score_of_elo);
    let [x0, x1] = [s0, s1].map(|mean| multiplier(&weights, mean));
    let ratio = |score: f64| (x0 * (score - s0)).ln_1p() - (x1 * (score - s1)).ln_1p();
    weights.iter().map(|&(score, weight)| weight * ratio(score)).sum()
}

/// The Lagrange multiplier x of the maximum-likelihood distribution with a given mean: its
/// probabilities are the frequencies divided by `1 + x (score - mean)`.
fn multiplier(weights: &[(f64, f64)], mean: f64) -> f64 {
    let slack = |x: f64| -> f64 {
        weights.iter().map(|&(score, w)| w * (score - mean) / (1.0 + x * (score - mean))).sum()
    };
    // The slack falls from infinity to minus infinity between the poles of the extreme scores.
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    loop {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            return middle;
        }
        if slack(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Decision, Sprt, llr};

    const BOUNDS: [(f64, f64); 4] = [(0.0, 5.0), (-3.0, 1.0), (0.0, 20.0), (-50.0, 50.0)];

    /// Fishtest's `LLRcalc.LLR_logistic(elo0, elo1, frequencies)`, run with scipy 1.17, at each of
    /// `BOUNDS`.
    const PENTANOMIAL: [([u64; 5], [f64; 4]); 11] = [
        (
            [10789, 19328, 33806, 19402, 10543],
            [-38.5144084734, 2.13106781179, -505.250231408, -178.865636508],
        ),
        (
            [39, 2226, 31451, 2412, 40],
            [-68.718701726, 65.9735852971, -1245.78561327, 207.607939396],
        ),
        (
            [1187, 7410, 13475, 7378, 1164],
            [-18.8774710858, 2.86152718059, -265.839699576, -52.9740576498],
        ),
        ([3, 10, 40, 25, 9], [0.746765368797, 0.628265770928, 2.62340348192, 14.4069905188]),
        ([0, 0, 1, 0, 0], [-0.0112819214036, 0.00473125986343, -0.0547509305245, 0.0]),
        ([0, 1, 5, 4, 0], [0.142363648489, 0.115165527081, 0.537687906281, 2.46102248153]),
        ([0, 0, 0, 0, 20], [0.285780515949, 0.230944390849, 1.11828244712, 5.75703825231]),
        ([7, 0, 0, 0, 0], [-0.101492120631, -0.0803814023857, -0.414665579404, -2.0153372414]),
        ([1, 1, 1, 1, 1], [-0.00103544835023, 0.000331358566992, -0.0165483498825, 0.0]),
        ([5, 0, 3, 0, 12], [0.116147717835, 0.0955790085519, 0.436013533826, 2.36727390701]),
        ([0, 0, 12, 0, 0], [-0.168234606871, 0.0683912447056, -0.703693025283, 0.0]),
    ];

    /// The log-likelihood ratio by frequencies of losses, draws and wins.
    const TRINOMIAL: [([u64; 3], [f64; 4]); 4] = [
        ([5019, 15699, 5026], [-6.57221912747, 2.39258391679, -107.79624614, 4.96387630645]),
        ([10, 20, 31], [0.441024346258, 0.362452449297, 1.6597467821, 8.94927247591]),
        ([0, 0, 10], [0.142875867061, 0.11546068269, 0.559083659948, 2.87823130789]),
        ([3, 0, 4], [0.013668163709, 0.0117465905784, 0.0459780611337, 0.287863978251]),
    ];

    fn cells(counts: &[u64]) -> Vec<(f64, u64)> {
        let last = (counts.len() - 1) as f64;
        counts.iter().enumerate().map(|(cell, &count)| (cell as f64 / last, count)).collect()
    }

    #[test]
    fn log_likelihood_ratios_agree_with_fishtest() {
        let pentanomial = PENTANOMIAL.iter().map(|(counts, expected)| (&counts[..], expected));
        let trinomial = TRINOMIAL.iter().map(|(counts, expected)| (&counts[..], expected));
        for (counts, expected) in pentanomial.chain(trinomial) {
            for ((elo0, elo1), expected) in BOUNDS.into_iter().zip(expected) {
                let found = llr(&cells(counts), elo0, elo1);
                let tolerance = 1e-9 * expected.abs().max(1.0);
                assert!(
                    (found - expected).abs() < tolerance,
                    "{counts:?}, {elo0}, {elo1}: {found}, expected {expected}"
                );
            }
        }
    }

    #[test]
    fn decisions_fall_at_walds_bounds() {
        let judge = |counts: [u64; 5]| Sprt::new(0.0, 20.0).evaluate(&cells(&counts), 1.0);
        let verdict = judge([3, 10, 40, 25, 9]);
        // ln(0.05 / 0.95) and ln(0.95 / 0.05).
        assert!((verdict.upper - 2.944438979166).abs() < 1e-12);
        assert!((verdict.lower + 2.944438979166).abs() < 1e-12);
        assert_eq!(verdict.decision, Decision::Undecided);
        assert_eq!(judge([3, 10, 40, 32, 9]).decision, Decision::H1);
        assert_eq!(judge([9, 25, 40, 10, 3]).decision, Decision::H0);
        let nothing = judge([0; 5]);
        assert_eq!((nothing.llr, nothing.decision), (0.0, Decision::Undecided));
    }

    #[test]
    fn errors_are_as_rare_as_asked() {
        use darkqi_env::{Rng, Stream};
        use rand::distr::{Distribution, weighted::WeightedIndex};
        // Pairs of games with these probabilities in percent: scores 0.5 and 0.64, Elo 0 and 99.95.
        let cases = [([10_u32, 20, 40, 20, 10], Decision::H1), ([4, 12, 30, 32, 22], Decision::H0)];
        const RUNS: u32 = 4000;
        let test = Sprt::new(0.0, 100.0);
        let mut rng = Rng::new(5, Stream::Sample);
        for (weights, wrong) in cases {
            let pairs = WeightedIndex::new(weights).expect("the weights are positive");
            let mut errors = 0;
            for _ in 0..RUNS {
                let mut counts = [0; 5];
                let decision = loop {
                    counts[pairs.sample(&mut rng)] += 1;
                    match test.evaluate(&cells(&counts), 1.0).decision {
                        Decision::Undecided => {}
                        decision => break decision,
                    }
                };
                errors += u32::from(decision == wrong);
            }
            // 200 would be 5 %, with a standard error of 14. Ten times as many runs gave 4.0 % and
            // 4.8 %.
            assert!((100..242).contains(&errors), "{errors} of {RUNS}");
        }
    }

    #[test]
    fn faulty_tests_are_named() {
        let fault = |test: Sprt| test.check().expect_err("it is faulty").to_string();
        let expected = "expected two Elo differences from -1000 to 1000, the lower one first";
        assert_eq!(fault(Sprt::new(5.0, 0.0)), format!("sprt: {expected}, got 5,0"));
        assert_eq!(fault(Sprt::new(0.0, 0.0)), format!("sprt: {expected}, got 0,0"));
        assert_eq!(fault(Sprt::new(0.0, 2000.0)), format!("sprt: {expected}, got 0,2000"));
        assert_eq!(fault(Sprt::new(f64::NAN, 1.0)), format!("sprt: {expected}, got NaN,1"));
        let expected = "expected a probability from 1e-9 to below 0.5";
        let test = Sprt::new(0.0, 5.0);
        assert_eq!(fault(Sprt { alpha: 0.0, ..test }), format!("alpha: {expected}, got 0"));
        assert_eq!(fault(Sprt { beta: 0.5, ..test }), format!("beta: {expected}, got 0.5"));
        assert!(test.check().is_ok());
    }
}
