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

use darkqi_analysis::statistics::{Matrix, MeanScore};
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
    /// agents of finite ratings to this one.
    PlusInfinity,
    /// The likelihood grows without bound as the rating falls: no chain of scored points leads from
    /// this agent to those of finite ratings.
    MinusInfinity,
    /// No chain of scored points leads either way.
    Unknown,
}

/// A rating.
///
/// Agents that have scored against one another, directly or through others, are a *group*: the likelihood
/// has a maximum for them, whatever they did against others.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Rating {
    /// In Elo above the first listed agent of the agent's group; None if it is alone there, unless no
    /// group has more agents.
    pub(super) elo: Option<f64>,
    /// Its standard error; None unless finite and above 0, as for the first agent of a group.
    pub(super) error: Option<f64>,
    /// Where the agent stands to the greatest group.
    pub(super) kind: RatingKind,
    /// The number of its group, from the greatest one, 0, on.
    pub(super) group: usize,
}

/// The covariances between agents of the points that they have in all blocks, of which each has `most`
/// at most. Each of the pairs comes with its first agent's points in each block, by the number of the
/// block.
///
/// A pair's score has at least the error of its interval: where few games are decisive, or none, the
/// variance between blocks says too little.
pub(super) fn covariances<P>(
    agents: usize,
    most: f64,
    pairs: impl Iterator<Item = ([usize; 2], P)>,
) -> Matrix
where
    P: Iterator<Item = (u64, f64)> + Clone,
{
    let mut deviations: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    let mut sums = Matrix::zeros(agents);
    for ([first, second], points) in pairs {
        let blocks = points.clone().count() as f64;
        let mean = points.clone().map(|(_, points)| points).sum::<f64>() / blocks;
        // The mean is that of the same blocks.
        let correction = if blocks > 1.0 { (blocks / (blocks - 1.0)).sqrt() } else { 0.0 };
        let (mut variance, mut uneven) = (0.0, 0.0);
        for (block, points) in points {
            uneven += f64::from(u8::from(points != most / 2.0));
            let deviation = correction * (points - mean);
            variance += deviation * deviation;
            let of_block = deviations.entry(block).or_insert_with(|| vec![0.0; agents]);
            of_block[first] += deviation;
            of_block[second] -= deviation;
        }
        let scale = most * blocks;
        let score = MeanScore {
            mean: mean / most,
            variance: variance / (scale * scale),
            clusters: blocks,
            uneven,
            observations: scale,
            even: 0.5,
        };
        let score = score.estimate();
        let least = (score.standard_error() * scale).powi(2);
        let more = (least - variance).max(0.0);
        for (one, other, sign) in [
            (first, first, 1.0),
            (second, second, 1.0),
            (first, second, -1.0),
            (second, first, -1.0),
        ] {
            // Without blocks there is no variance.
            sums[(one, other)] += if more.is_finite() { sign * more } else { 0.0 };
        }
    }
    deviations.values().for_each(|of_block| sums.add_outer(of_block));
    sums
}

/// Rates agents by `scores`: row i holds the points of agent i against each other agent. `covariances`
/// are those of [`covariances`]. What is finite, and by how much agents differ, does not depend on their
/// order.
pub(super) fn rate(names: &[String], scores: &[Vec<f64>], covariances: &Matrix) -> Vec<Rating> {
    let reach = reach(scores);
    let groups = groups(names, scores, &reach);
    let main = groups.first().map_or(0, |group| group[0]);
    let kind = |agent: usize| match (reach[agent][main], reach[main][agent]) {
        (true, true) => RatingKind::Finite,
        (true, false) => RatingKind::PlusInfinity,
        (false, true) => RatingKind::MinusInfinity,
        (false, false) => RatingKind::Unknown,
    };
    let none = Rating { elo: None, error: None, kind: RatingKind::Unknown, group: 0 };
    let mut ratings = vec![none; scores.len()];
    for (number, group) in groups.iter().enumerate() {
        // Agents that are linked both ways have a finite maximum among themselves (Ford, 1957). Games
        // against the others do not change it.
        let strengths = strengths(scores, group);
        let errors = errors(scores, covariances, group, &strengths);
        for (place, &agent) in group.iter().enumerate() {
            let elo = 400.0 * (strengths[place] / strengths[0]).log10();
            let known = Some(errors[place]).filter(|&error| error > 0.0 && error.is_finite());
            let error = if place == 0 { Some(0.0) } else { known };
            let elo = (group.len() > 1 || number == 0).then_some(elo);
            ratings[agent] = Rating { elo, error, kind: kind(agent), group: number };
        }
    }
    ratings
}

/// The groups of agents that reach one another, each in the order of the agents. The greatest comes first;
/// of equal ones that with more points per game, and then the one whose names come first.
fn groups(names: &[String], scores: &[Vec<f64>], reach: &[Vec<bool>]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (agent, reached) in reach.iter().enumerate() {
        if !groups.iter().any(|group| group.contains(&agent)) {
            let is_linked = |&other: &usize| reached[other] && reach[other][agent];
            groups.push((agent..reach.len()).filter(is_linked).collect());
        }
    }
    let share = |group: &[usize]| {
        let points: f64 = group.iter().flat_map(|&agent| &scores[agent]).sum();
        let against: f64 =
            group.iter().map(|&a| scores.iter().map(|row| row[a]).sum::<f64>()).sum();
        if points + against > 0.0 { points / (points + against) } else { 0.0 }
    };
    let first_name = |group: &[usize]| group.iter().map(|&agent| &names[agent]).min();
    groups.sort_by(|one, other| {
        let by_size = other.len().cmp(&one.len());
        let by_points = share(other).total_cmp(&share(one));
        by_size.then(by_points).then_with(|| first_name(one).cmp(&first_name(other)))
    });
    groups
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

/// The maximum-likelihood strengths of agents that are linked both ways. That of the first is 1.
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
    covariances: &Matrix,
    linked: &[usize],
    strengths: &[f64],
) -> Vec<f64> {
    let others = linked.len() - 1;
    let of_pair = |one: usize, other: usize| {
        let (i, j) = (linked[one], linked[other]);
        let expected = strengths[one] / (strengths[one] + strengths[other]);
        (scores[i][j] + scores[j][i]) * expected * (1.0 - expected)
    };
    // Agents after the first, by place.
    let information = Matrix::from_fn(others, |row, column| {
        if row == column {
            (0..=others).filter(|&other| other != row + 1).map(|o| of_pair(row + 1, o)).sum()
        } else {
            -of_pair(row + 1, column + 1)
        }
    });
    // Games against other agents do not vary: one side has all the points.
    let variance =
        Matrix::from_fn(others, |row, column| covariances[(linked[row + 1], linked[column + 1])]);
    let mut errors = vec![f64::NAN; linked.len()];
    errors[0] = 0.0;
    if let Some(decomposed) = information.cholesky() {
        let inverse = decomposed.inverse();
        let covariance = inverse.times(&variance).times(&inverse);
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

    use super::{Matrix, MeanScore, Rating, RatingKind, covariances, rate};

    /// Two agents, with the points of each against the other.
    type Result = (usize, usize, f64, f64);

    /// The ratings, with some variances.
    fn rated(agents: usize, results: &[Result]) -> Vec<Rating> {
        let points = matrix(agents, results);
        rate(&names(agents), &points, &equal(agents, 1.0))
    }

    fn equal(size: usize, value: f64) -> Matrix {
        Matrix::from_fn(size, |_, _| value)
    }

    fn names(agents: usize) -> Vec<String> {
        "abcdefgh".chars().take(agents).map(String::from).collect()
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
        let above = RatingKind::PlusInfinity;
        let finite = RatingKind::Finite;
        assert_eq!(
            ratings.iter().map(|rating| rating.kind).collect::<Vec<_>>(),
            [above, finite, finite, above, RatingKind::Unknown]
        );
        assert_eq!(ratings[1].elo, Some(0.0));
        assert!((ratings[2].elo.expect("it has scored") + 70.43650).abs() < 1e-4, "{ratings:?}");
        assert!([0, 3, 4].iter().all(|&agent| ratings[agent].elo.is_none()));
        // Agents with infinite ratings do not change finite ones.
        let alone = rated(2, &[(0, 1, 12.5, 7.5)]);
        let with_third = rated(3, &[(0, 1, 12.5, 7.5), (0, 2, 10.0, 0.0), (1, 2, 10.0, 0.0)]);
        assert_eq!(alone[1], with_third[1]);
        assert_eq!(with_third[2].kind, RatingKind::MinusInfinity);
        // Of two agents of which one has all the points, that one is the reference in any order.
        for (place, results) in [(0, [(0, 1, 3.0, 0.0)]), (1, [(0, 1, 0.0, 3.0)])] {
            let two = rated(2, &results);
            assert_eq!((two[place].elo, two[1 - place].elo), (Some(0.0), None));
            assert_eq!(two[1 - place].kind, RatingKind::MinusInfinity);
        }
    }

    #[test]
    fn ratings_do_not_depend_on_the_order_of_the_list() {
        // Two groups of equal size, of which the second never scores against the first, and one agent
        // that never scores at all.
        let results = [
            (0, 1, 6.0, 4.0),
            (2, 3, 7.0, 3.0),
            (0, 2, 10.0, 0.0),
            (0, 3, 10.0, 0.0),
            (1, 2, 10.0, 0.0),
            (1, 3, 10.0, 0.0),
            (0, 4, 10.0, 0.0),
            (3, 4, 10.0, 0.0),
        ];
        let expected = rated(5, &results);
        assert_eq!(expected.iter().map(|one| one.group).collect::<Vec<_>>(), [0, 0, 1, 1, 2]);
        let gap = |ratings: &[Rating], one: usize, other: usize| {
            ratings[one].elo.expect("it is finite") - ratings[other].elo.expect("it is finite")
        };
        for order in [[4, 3, 2, 1, 0], [2, 3, 4, 0, 1], [1, 4, 0, 3, 2]] {
            let place =
                |agent: usize| order.iter().position(|&one| one == agent).expect("it is there");
            let moved = results
                .map(|(one, other, points, against)| (place(one), place(other), points, against));
            let names: Vec<String> = order.iter().map(|&one| names(5)[one].clone()).collect();
            let cov = equal(5, 1.0);
            let found = rate(&names, &matrix(5, &moved), &cov);
            for (agent, expected) in expected.iter().enumerate() {
                let found = found[place(agent)];
                assert_eq!((found.kind, found.group), (expected.kind, expected.group), "{order:?}");
            }
            for (one, other) in [(0, 1), (2, 3)] {
                let found = gap(&found, place(one), place(other));
                assert!((found - gap(&expected, one, other)).abs() < 1e-9, "{order:?}: {found}");
            }
        }
    }

    #[test]
    fn a_single_block_rates_no_agent_exactly() {
        let pairs = [([0, 1], vec![(0, 1.5)].into_iter())];
        let found = covariances(2, 2.0, pairs.into_iter());
        let ratings = rate(&names(2), &matrix(2, &[(0, 1, 1.5, 0.5)]), &found);
        // One block of two games tells next to nothing.
        assert!(ratings[1].error.is_some_and(|error| error > 100.0), "{ratings:?}");
    }

    #[test]
    fn the_error_of_two_agents_is_that_of_their_score() {
        let points = matrix(2, &[(0, 1, 30.0, 70.0)]);
        let found = rate(&names(2), &points, &equal(2, 9.0));
        assert_eq!(found[0].error, Some(0.0));
        // The score has the error 3 / 100, and Elo the slope 400 / (ln 10 s (1 - s)).
        let expected = 400.0 / std::f64::consts::LN_10 * 0.03 / 0.21;
        assert!((found[1].error.expect("it is finite") - expected).abs() < 1e-9, "{found:?}");
        let certain = rate(&names(2), &points, &Matrix::zeros(2));
        assert_eq!(certain[1].error, None);
    }

    #[test]
    fn covariances_sum_over_pairs_of_a_block() {
        let pairs = [([0, 1], [(3, 2.0), (7, 0.0)]), ([0, 2], [(7, 1.0), (9, 2.0)])];
        let found =
            covariances(3, 2.0, pairs.into_iter().map(|(pair, blocks)| (pair, blocks.into_iter())));
        // Deviations of 1 and 1/2, and of both in block 7, times the square root of 2.
        let [one, both, half] = [2.0_f64, 2.0 * 1.5 * 1.5, 0.5];
        assert!((found[(0, 0)] - (one + both + half)).abs() < 1e-12, "{found:?}");
        assert!((found[(1, 1)] - 2.0 * one).abs() < 1e-12, "{found:?}");
        assert!((found[(1, 2)] - 2.0 * 0.5).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn ratings_of_few_decisive_games_have_the_error_of_the_score() {
        // A win in 300 blocks of two games.
        let blocks = (0..300).map(|block| (block, if block == 7 { 1.5 } else { 1.0 }));
        let found = covariances(2, 2.0, [([0, 1], blocks)].into_iter());
        let score = MeanScore {
            mean: 300.5 / 600.0,
            variance: 0.0625 / 300.0 / 300.0,
            clusters: 300.0,
            uneven: 1.0,
            observations: 600.0,
            even: 0.5,
        };
        let score = score.estimate();
        let expected = ((score.high - score.low) / (2.0 * 1.959964) * 600.0).powi(2);
        assert!((found[(0, 0)] / expected - 1.0).abs() < 1e-5, "{found:?} {expected}");
        assert!(found[(0, 0)] > 3.0 * 0.25 && found[(0, 1)] == -found[(0, 0)], "{found:?}");
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
                let expected = darkqi_analysis::statistics::score_of_elo(truth[one] - truth[other]);
                let mut game = |deal: f64| {
                    let luck = if rng.below(2) == 0 { deal } else { rng.random() };
                    f64::from(u8::from(luck < expected))
                };
                let scores: Vec<f64> = deals.iter().map(|&deal| game(deal) + game(deal)).collect();
                points[one][other] = scores.iter().sum();
                points[other][one] = 2.0 * BLOCKS as f64 - points[one][other];
                pairs.push(([one, other], (0..BLOCKS).zip(scores)));
            }
            let covariances = covariances(3, 2.0, pairs.into_iter());
            for (agent, rating) in rate(&names(3), &points, &covariances).iter().enumerate().skip(1)
            {
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
