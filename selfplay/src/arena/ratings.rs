//! One rating per agent from the scores of all pairs: Bradley-Terry by maximum likelihood.
//!
//! The model expects agent i to score `s_i / (s_i + s_j)` against agent j, a draw counting as half
//! a win and half a loss; a rating is `400 log10 s_i`. Strengths are found by the iteration of
//! Hunter, "MM algorithms for generalized Bradley-Terry models" (2004), section 3.
//!
//! Errors are those of an estimator whose model need not hold (Huber's sandwich, 1967): `H^-1 J
//! H^-1` with the information `H` of the model and the covariances `J` of the agents' points
//! between blocks. A block is played by all pairs on the same deal, so the points of different
//! pairs in it depend on one another (cluster-robust errors; Liang and Zeger, "Longitudinal data
//! analysis using generalized linear models", 1986).

use std::collections::BTreeMap;

use nalgebra::{DMatrix, DVector};
use serde::Serialize;

/// The iteration has converged when no strength changes by a larger fraction than this.
const TOLERANCE: f64 = 1e-14;

/// A bound for the case that rounding delays the convergence, which Hunter proves.
const ROUNDS: usize = 1_000_000;

/// Whether a rating is a number, and if not, why.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RatingKind {
    /// The rating is a number.
    Finite,
    /// The likelihood grows without bound as the rating rises: no chain of scored points leads from the
    /// first agent to this one.
    PlusInfinity,
    /// The likelihood grows without bound as the rating falls: no chain of scored points leads from
    /// this agent to the first.
    MinusInfinity,
    /// No chain of scored points leads either way.
    Unknown,
}

/// A rating in Elo above the first agent, if it is a number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Rating {
    pub(super) elo: Option<f64>,
    /// Its standard error; None unless finite and above 0, as for the first agent.
    pub(super) error: Option<f64>,
    pub(super) kind: RatingKind,
}

/// The covariances between agents of the points that they have in all blocks. Each of the pairs comes
/// with its first agent's points in each block, by the number of the block.
pub(super) fn covariances<P>(
    agents: usize,
    pairs: impl Iterator<Item = ([usize; 2], P)>,
) -> DMatrix<f64>
where
    P: Iterator<Item = (u64, f64)> + Clone,
{
    let mut deviations: BTreeMap<u64, DVector<f64>> = BTreeMap::new();
    for ([first, second], points) in pairs {
        let blocks = points.clone().count() as f64;
        let mean = points.clone().map(|(_, points)| points).sum::<f64>() / blocks;
        // The mean is that of the same blocks.
        let correction = (blocks / (blocks - 1.0)).sqrt();
        for (block, points) in points {
            let deviation = correction * (points - mean);
            let of_block = deviations.entry(block).or_insert_with(|| DVector::zeros(agents));
            of_block[first] += deviation;
            of_block[second] -= deviation;
        }
    }
    let mut sums = DMatrix::zeros(agents, agents);
    deviations.values().for_each(|of_block| sums.ger(1.0, of_block, of_block, 1.0));
    sums
}

/// Rates agents by `scores`: row i holds the points of agent i against each other agent. `covariances`
/// are those of [`covariances`].
pub(super) fn rate(scores: &[Vec<f64>], covariances: &DMatrix<f64>) -> Vec<Rating> {
    let reach = reach(scores);
    let kind = |agent: usize| match (reach[agent][0], reach[0][agent]) {
        (true, true) => RatingKind::Finite,
        (true, false) => RatingKind::PlusInfinity,
        (false, true) => RatingKind::MinusInfinity,
        (false, false) => RatingKind::Unknown,
    };
    // Agents that are linked both ways have a finite maximum among themselves (Ford, 1957). Games
    // against the others do not change it.
    let linked: Vec<usize> =
        (0..scores.len()).filter(|&agent| kind(agent) == RatingKind::Finite).collect();
    let strengths = strengths(scores, &linked);
    let errors = errors(scores, covariances, &linked, &strengths);
    let rating = |agent| {
        let place = linked.iter().position(|&other| other == agent);
        let elo = place.map(|place| 400.0 * (strengths[place] / strengths[0]).log10());
        let error = place.map(|place| errors[place]);
        let error = error.filter(|&error| error > 0.0 && error.is_finite());
        Rating { elo, error, kind: kind(agent) }
    };
    (0..scores.len()).map(rating).collect()
}

/// Which agents have scored against which, directly or through others. Each reaches itself.
fn reach(scores: &[Vec<f64>]) -> Vec<Vec<bool>> {
    let agents = scores.len();
    let mut reach: Vec<Vec<bool>> =
        scores.iter().map(|row| row.iter().map(|&score| score > 0.0).collect()).collect();
    (0..agents).for_each(|agent| reach[agent][agent] = true);
    // Warshall's transitive closure.
    for via in 0..agents {
        let beyond = reach[via].clone();
        for row in reach.iter_mut().filter(|row| row[via]) {
            row.iter_mut().zip(&beyond).for_each(|(to, &reached)| *to |= reached);
        }
    }
    reach
}

/// The maximum-likelihood strengths of agents that are linked both ways. The first is agent 0.
fn strengths(scores: &[Vec<f64>], linked: &[usize]) -> Vec<f64> {
    let points: Vec<f64> =
        linked.iter().map(|&i| linked.iter().map(|&j| scores[i][j]).sum()).collect();
    let mut strengths = vec![1.0; linked.len()];
    if linked.len() == 1 {
        return strengths;
    }
    for _ in 0..ROUNDS {
        let mut change = 0.0_f64;
        for (place, &i) in linked.iter().enumerate() {
            let games_by_strength: f64 = linked
                .iter()
                .zip(&strengths)
                .filter(|&(&j, _)| j != i)
                .map(|(&j, strength)| (scores[i][j] + scores[j][i]) / (strengths[place] + strength))
                .sum();
            let strength = points[place] / games_by_strength;
            change = change.max((strength / strengths[place] - 1.0).abs());
            strengths[place] = strength;
        }
        // Only ratios matter. Without this, all strengths could drift out of range.
        let first = strengths[0];
        strengths.iter_mut().for_each(|strength| *strength /= first);
        if change < TOLERANCE {
            break;
        }
    }
    strengths
}

/// The standard errors of ratings in Elo relative to the first of the linked agents, which has 0. They
/// are NaN if the covariances determine none.
fn errors(
    scores: &[Vec<f64>],
    covariances: &DMatrix<f64>,
    linked: &[usize],
    strengths: &[f64],
) -> DVector<f64> {
    let others = linked.len() - 1;
    let of_pair = |one: usize, other: usize| {
        let (i, j) = (linked[one], linked[other]);
        let expected = strengths[one] / (strengths[one] + strengths[other]);
        (scores[i][j] + scores[j][i]) * expected * (1.0 - expected)
    };
    // Agents after the first, by place.
    let information = DMatrix::from_fn(others, others, |row, column| {
        if row == column {
            (0..=others).filter(|&other| other != row + 1).map(|o| of_pair(row + 1, o)).sum()
        } else {
            -of_pair(row + 1, column + 1)
        }
    });
    // Games against other agents do not vary: one side has all the points.
    let variance = DMatrix::from_fn(others, others, |row, column| {
        covariances[(linked[row + 1], linked[column + 1])]
    });
    let mut errors = DVector::from_element(linked.len(), f64::NAN);
    errors[0] = 0.0;
    if let Some(inverse) = information.try_inverse() {
        let covariance = &inverse * variance * &inverse;
        for place in 0..others {
            let per_strength = covariance[(place, place)].sqrt();
            errors[place + 1] = 400.0 / std::f64::consts::LN_10 * per_strength;
        }
    }
    errors
}

#[cfg(test)]
mod tests {
    use darkqi_env::{Rng, Stream};
    use rand::RngExt as _;

    use nalgebra::DMatrix;

    use super::{Rating, RatingKind, covariances, rate};

    /// Two agents, with the points of each against the other.
    type Result = (usize, usize, f64, f64);

    /// The ratings, with some variances.
    fn rated(agents: usize, results: &[Result]) -> Vec<Rating> {
        let points = matrix(agents, results);
        rate(&points, &DMatrix::from_element(agents, agents, 1.0))
    }

    fn matrix(agents: usize, results: &[Result]) -> Vec<Vec<f64>> {
        let mut scores = vec![vec![0.0; agents]; agents];
        for &(one, other, score, against) in results {
            scores[one][other] += score;
            scores[other][one] += against;
        }
        scores
    }

    /// Ratings found by minimising the negative log-likelihood with scipy 1.17
    /// (`optimize.minimize`, BFGS, analytic gradient). `choix.ilsr_pairwise_dense` of choix 0.4.1
    /// gives the same to 2e-7.
    #[test]
    fn ratings_agree_with_scipy_and_choix() {
        let cases: [(&[f64], &[Result]); 4] = [
            (
                &[0.0, -157.34982610, -255.14476881],
                &[(0, 1, 12.5, 7.5), (0, 2, 18.0, 2.0), (1, 2, 11.0, 9.0)],
            ),
            (
                &[0.0, -919.54123057, -1839.08246113, -2758.62369169],
                &[(0, 1, 99.5, 0.5), (1, 2, 99.5, 0.5), (2, 3, 99.5, 0.5)],
            ),
            (
                &[0.0, -71.23117770, -169.01076883, -33.74062643, -362.84439760],
                &[
                    (0, 1, 60.0, 40.0),
                    (0, 2, 71.5, 28.5),
                    (0, 3, 55.0, 45.0),
                    (0, 4, 90.0, 10.0),
                    (1, 2, 65.0, 35.0),
                    (1, 3, 47.0, 53.0),
                    (1, 4, 80.5, 19.5),
                    (2, 3, 30.0, 70.0),
                    (2, 4, 77.0, 23.0),
                    (3, 4, 88.0, 12.0),
                ],
            ),
            (&[0.0, 0.0, 0.0], &[(0, 1, 9.0, 1.0), (1, 2, 9.0, 1.0), (2, 0, 9.0, 1.0)]),
        ];
        for (expected, results) in cases {
            let ratings = rated(expected.len(), results);
            for (rating, expected) in ratings.iter().zip(expected) {
                let elo = rating.elo.expect("all are linked");
                assert!((elo - expected).abs() < 1e-6, "{elo}, expected {expected}");
            }
        }
    }

    #[test]
    fn two_agents_are_rated_by_their_score() {
        let ratings = rated(2, &[(0, 1, 1.0, 10.0)]);
        assert_eq!(ratings[0].elo, Some(0.0));
        assert!((ratings[1].elo.expect("both scored") - 400.0).abs() < 1e-9);
    }

    #[test]
    fn clean_sweeps_are_infinite() {
        let results = [(0, 1, 10.0, 0.0), (1, 2, 6.0, 4.0), (0, 2, 10.0, 0.0), (3, 0, 10.0, 0.0)];
        let ratings = rated(5, &results);
        assert_eq!(
            ratings.iter().map(|rating| rating.kind).collect::<Vec<_>>(),
            [
                RatingKind::Finite,
                RatingKind::MinusInfinity,
                RatingKind::MinusInfinity,
                RatingKind::PlusInfinity,
                RatingKind::Unknown,
            ]
        );
        assert_eq!(ratings[0].elo, Some(0.0));
        assert!(ratings[1..].iter().all(|rating| rating.elo.is_none()));
        // Agents with infinite ratings do not change finite ones.
        let alone = rated(2, &[(0, 1, 12.5, 7.5)]);
        let with_third = rated(3, &[(0, 1, 12.5, 7.5), (0, 2, 10.0, 0.0), (1, 2, 10.0, 0.0)]);
        assert_eq!(alone[1], with_third[1]);
        assert_eq!(with_third[2].kind, RatingKind::MinusInfinity);
    }

    #[test]
    fn the_error_of_two_agents_is_that_of_their_score() {
        let points = matrix(2, &[(0, 1, 30.0, 70.0)]);
        let found = rate(&points, &DMatrix::from_element(2, 2, 9.0));
        assert_eq!(found[0].error, None);
        // The score has the error 3 / 100, and Elo the slope 400 / (ln 10 s (1 - s)).
        let expected = 400.0 / std::f64::consts::LN_10 * 0.03 / 0.21;
        assert!((found[1].error.expect("it is finite") - expected).abs() < 1e-9, "{found:?}");
        let certain = rate(&points, &DMatrix::zeros(2, 2));
        assert_eq!(certain[1].error, None);
    }

    #[test]
    fn covariances_sum_over_pairs_of_a_block() {
        let pairs = [([0, 1], [(3, 2.0), (7, 0.0)]), ([0, 2], [(7, 1.0), (9, 2.0)])];
        let found =
            covariances(3, pairs.into_iter().map(|(pair, blocks)| (pair, blocks.into_iter())));
        // Deviations of 1 and 1/2, and of both in block 7, times the square root of 2.
        let [one, both, half] = [2.0_f64, 2.0 * 1.5 * 1.5, 0.5];
        assert!((found[(0, 0)] - (one + both + half)).abs() < 1e-12, "{found}");
        assert!((found[(1, 1)] - 2.0 * one).abs() < 1e-12, "{found}");
        assert!((found[(1, 2)] - 2.0 * 0.5).abs() < 1e-12, "{found}");
    }

    /// All pairs play the same deals, whose luck they share.
    #[test]
    fn intervals_cover_the_true_ratings() {
        const RUNS: u32 = 1000;
        const BLOCKS: u64 = 150;
        let rng = &mut Rng::new(4, Stream::Sample);
        let truth = [0.0, 120.0, -80.0];
        let mut covered = [0_u32; 3];
        for _ in 0..RUNS {
            let deals: Vec<f64> = (0..BLOCKS).map(|_| rng.random()).collect();
            let mut points = vec![vec![0.0; 3]; 3];
            let mut pairs = Vec::new();
            for [one, other] in [[0, 1], [0, 2], [1, 2]] {
                let expected = darkqi_datasets::analysis::score_of_elo(truth[one] - truth[other]);
                let mut game = |deal: f64| {
                    let luck = if rng.below(2) == 0 { deal } else { rng.random() };
                    f64::from(u8::from(luck < expected))
                };
                let scores: Vec<f64> = deals.iter().map(|&deal| game(deal) + game(deal)).collect();
                points[one][other] = scores.iter().sum();
                points[other][one] = 2.0 * BLOCKS as f64 - points[one][other];
                pairs.push(([one, other], (0..BLOCKS).zip(scores)));
            }
            let covariances = covariances(3, pairs.into_iter());
            for (agent, rating) in rate(&points, &covariances).iter().enumerate().skip(1) {
                let (elo, error) = rating.elo.zip(rating.error).expect("it is finite");
                covered[agent] += u32::from((elo - truth[agent]).abs() <= 1.96 * error);
            }
        }
        for covered in &covered[1..] {
            let share = f64::from(*covered) / f64::from(RUNS);
            assert!((0.93..=0.97).contains(&share), "{share}");
        }
    }
}
