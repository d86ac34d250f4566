//! Cycles of agents that no rating orders.

use darkqi_analysis::statistics::{SIGNIFICANT, holm};
use serde::Serialize;

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

#[cfg(test)]
mod tests {
    use super::cycles;

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
}
