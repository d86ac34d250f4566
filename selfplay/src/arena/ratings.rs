//! One rating per agent from the scores of all pairs: Bradley-Terry by maximum likelihood.
//!
//! The model expects agent i to score `s_i / (s_i + s_j)` against agent j, a draw counting as half
//! a win and half a loss; a rating is `400 log10 s_i`. Strengths are found by the iteration of
//! Hunter, "MM algorithms for generalized Bradley-Terry models" (2004), section 3.

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
    pub(super) kind: RatingKind,
}

/// Rates agents by `scores`: row i holds the points of agent i against each other agent.
pub(super) fn rate(scores: &[Vec<f64>]) -> Vec<Rating> {
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
    let rating = |agent| {
        let place = linked.iter().position(|&other| other == agent);
        let elo = place.map(|place| 400.0 * (strengths[place] / strengths[0]).log10());
        Rating { elo, kind: kind(agent) }
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

#[cfg(test)]
mod tests {
    use super::{RatingKind, rate};

    /// Two agents, with the points of each against the other.
    type Result = (usize, usize, f64, f64);

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
            let ratings = rate(&matrix(expected.len(), results));
            for (rating, expected) in ratings.iter().zip(expected) {
                let elo = rating.elo.expect("all are linked");
                assert!((elo - expected).abs() < 1e-6, "{elo}, expected {expected}");
            }
        }
    }

    #[test]
    fn two_agents_are_rated_by_their_score() {
        let ratings = rate(&matrix(2, &[(0, 1, 1.0, 10.0)]));
        assert_eq!(ratings[0].elo, Some(0.0));
        assert!((ratings[1].elo.expect("both scored") - 400.0).abs() < 1e-9);
    }

    #[test]
    fn clean_sweeps_are_infinite() {
        let results = [(0, 1, 10.0, 0.0), (1, 2, 6.0, 4.0), (0, 2, 10.0, 0.0), (3, 0, 10.0, 0.0)];
        let ratings = rate(&matrix(5, &results));
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
        let alone = rate(&matrix(2, &[(0, 1, 12.5, 7.5)]));
        let with_third =
            rate(&matrix(3, &[(0, 1, 12.5, 7.5), (0, 2, 10.0, 0.0), (1, 2, 10.0, 0.0)]));
        assert_eq!(alone[1], with_third[1]);
        assert_eq!(with_third[2].kind, RatingKind::MinusInfinity);
    }
}
