//! Whether one number can order the agents: cycles, and the rank by evolutionary dynamics.

use darkqi_datasets::analysis::holm;
use nalgebra::{DMatrix, DVector};
use serde::Serialize;

/// What is reported as a cycle.
const SIGNIFICANT: f64 = 0.05;

/// Three agents, each of which beats the next and the last the first.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Cycle {
    /// The agents, from the one that comes first in the match.
    pub agents: [String; 3],
    /// The p-value of "one of the three expected scores is at most 1/2", by Holm's method for all
    /// triples of agents and both directions.
    pub p_holm: f64,
}

/// By agent and opponent: the likelihood that its expected score exceeds 1/2; None without games.
pub(super) type Superiority = [Vec<Option<f64>>];

/// The significant cycles, the surest first.
///
/// The p-value of a cycle is the greatest of its three (intersection-union test: Berger,
/// "Multiparameter hypothesis testing and acceptance sampling", 1982).
pub(super) fn cycles(names: &[String], superiority: &Superiority) -> Vec<Cycle> {
    let agents = names.len();
    let p = |one: usize, other: usize| superiority[one][other].map_or(1.0, |los| 1.0 - los);
    let triples = (0..agents).flat_map(|first| {
        let later = move |from: usize| from + 1..agents;
        let pairs = move || later(first).flat_map(move |i| later(i).map(move |j| (i, j)));
        pairs().flat_map(move |(i, j)| [[first, i, j], [first, j, i]])
    });
    let triples: Vec<[usize; 3]> = triples.collect();
    let p_values: Vec<f64> =
        triples.iter().map(|&[a, b, c]| p(a, b).max(p(b, c)).max(p(c, a))).collect();
    let p_values = holm(&p_values).expect("likelihoods are from 0 to 1");
    let mut cycles: Vec<Cycle> = triples
        .into_iter()
        .zip(p_values)
        .filter(|&(_, p_holm)| p_holm < SIGNIFICANT)
        .map(|(triple, p_holm)| Cycle { agents: triple.map(|agent| names[agent].clone()), p_holm })
        .collect();
    cycles.sort_by(|one, other| one.p_holm.total_cmp(&other.p_holm));
    cycles
}

/// The share of time that a population which learns by imitation plays each agent: alpha-rank
/// (Omidshafiei et al., "α-Rank: Multi-Agent Evaluation by Evolution", 2019) at infinite selection,
/// where a population turns to another agent exactly if that one scores more than half against it.
/// Which does is uncertain after a number of games, so a turn has its likelihood.
///
/// None if the games do not determine it.
pub(super) fn alpha_rank(superiority: &Superiority) -> Option<Vec<f64>> {
    let agents = superiority.len();
    let others = agents.checked_sub(1).filter(|&others| others > 0)? as f64;
    let turn = |from: usize, to: usize| superiority[to][from].map_or(0.0, |los| los / others);
    // The stationary distribution: what flows in equals what flows out. One equation follows from the
    // others, and makes room for that of the sum.
    let flow = DMatrix::from_fn(agents, agents, |row, column| match (row, column) {
        (0, _) => 1.0,
        (row, column) if row == column => {
            -(0..agents).filter(|&to| to != row).map(|to| turn(row, to)).sum::<f64>()
        }
        (row, column) => turn(column, row),
    });
    let mut sums = DVector::zeros(agents);
    sums[0] = 1.0;
    let shares = flow.lu().solve(&sums)?;
    let is_found = shares.iter().all(|share| share.is_finite());
    // Rounding may leave a share just below 0, or at -0, which the sum makes 0.
    is_found.then(|| shares.iter().map(|share| share.clamp(0.0, 1.0) + 0.0).collect())
}

#[cfg(test)]
mod tests {
    use super::{alpha_rank, cycles};

    /// From the likelihoods of the pairs above the diagonal.
    fn superiority(agents: usize, pairs: &[(usize, usize, f64)]) -> Vec<Vec<Option<f64>>> {
        let mut all = vec![vec![None; agents]; agents];
        for &(one, other, los) in pairs {
            all[one][other] = Some(los);
            all[other][one] = Some(1.0 - los);
        }
        all
    }

    fn names(agents: usize) -> Vec<String> {
        "abcdef".chars().take(agents).map(String::from).collect()
    }

    #[test]
    fn a_cycle_is_found_in_its_direction() {
        let sure = superiority(3, &[(0, 1, 0.0001), (1, 2, 0.0002), (0, 2, 0.9999)]);
        let found = cycles(&names(3), &sure);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].agents, ["a", "c", "b"].map(String::from));
        // Two directions of one triple: Holm's method doubles the least p-value.
        assert!((found[0].p_holm - 0.0004).abs() < 1e-12, "{}", found[0].p_holm);
    }

    #[test]
    fn what_is_uncertain_or_ordered_is_no_cycle() {
        let uncertain = superiority(3, &[(0, 1, 0.9999), (1, 2, 0.96), (0, 2, 0.0001)]);
        assert_eq!(cycles(&names(3), &uncertain), []);
        let ordered = superiority(3, &[(0, 1, 0.9999), (1, 2, 0.9999), (0, 2, 0.9999)]);
        assert_eq!(cycles(&names(3), &ordered), []);
        let unplayed = superiority(3, &[(0, 1, 0.9999), (1, 2, 0.9999)]);
        assert_eq!(cycles(&names(3), &unplayed), []);
        assert_eq!(cycles(&names(2), &superiority(2, &[(0, 1, 1.0)])), []);
    }

    #[test]
    fn the_rank_of_an_agent_that_beats_all_is_1() {
        let best = superiority(3, &[(0, 1, 0.0), (1, 2, 1.0), (0, 2, 1.0)]);
        assert_eq!(alpha_rank(&best), Some(vec![0.0, 1.0, 0.0]));
        assert_eq!(alpha_rank(&superiority(2, &[(0, 1, 0.75)])), Some(vec![0.75, 0.25]));
        for sure in [best, superiority(2, &[(0, 1, 1.0)]), superiority(2, &[(0, 1, 0.0)])] {
            let ranks = alpha_rank(&sure).expect("it is determined");
            assert!(ranks.iter().all(|rank| rank.is_sign_positive()), "{ranks:?}");
        }
    }

    /// OpenSpiel's `alpharank.compute` of rock, paper and scissors gives thirds, too.
    #[test]
    fn agents_of_a_cycle_share_the_rank() {
        let cycle = superiority(
            4,
            &[(0, 1, 1.0), (1, 2, 1.0), (0, 2, 0.0), (0, 3, 1.0), (1, 3, 1.0), (2, 3, 1.0)],
        );
        let ranks = alpha_rank(&cycle).expect("it is determined");
        for (rank, expected) in ranks.iter().zip([1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 0.0]) {
            assert!((rank - expected).abs() < 1e-12, "{ranks:?}");
        }
        assert_eq!(cycles(&names(4), &cycle).len(), 1);
    }

    #[test]
    fn without_games_there_is_no_rank() {
        assert_eq!(alpha_rank(&superiority(3, &[])), None);
        assert_eq!(alpha_rank(&superiority(1, &[])), None);
    }
}
