//! The root of a search that tries a few actions, drawn without replacement from the policy
//! (Gumbel-Top-k), and halves their number again and again (sequential halving): Danihelka et al.,
//! "Policy improvement by planning with Gumbel", ICLR 2022.

use darkqi_env::{Action, Player, Rng};

use crate::evaluation::SeatValues;

/// The visits that count for each action besides those of the most visited one, when values are
/// weighed against the policy: the paper's `c_visit`.
const VISITS: f64 = 50.0;

/// How a root chooses.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Gumbel {
    /// Scale of the noise by which actions are drawn. 0 takes the most probable ones.
    pub(crate) temperature: f64,
    /// Most actions that are tried.
    pub(crate) considered: usize,
    /// Weight of values against the policy: the paper's `c_scale`, for values from 0 to 1.
    pub(crate) scale: f64,
}

/// The result of a search for a position.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Improved {
    /// The action that won.
    pub(crate) action: Action,
    /// The expected result of each seat if the mover plays by the policy.
    pub(crate) values: SeatValues,
    /// The improved policy: all actions, ascending, and their probabilities.
    pub(crate) policy: Vec<(Action, f32)>,
}

/// The root of a search under way.
pub(super) struct GumbelRoot {
    gumbel: Gumbel,
    mover: Player,
    /// The net's expected result of each seat.
    values: SeatValues,
    candidates: Vec<Candidate>,
    halving: Halving,
    /// The candidate of the simulation under way.
    current: usize,
}

/// An action at the root.
struct Candidate {
    action: Action,
    /// The policy's probability.
    prior: f64,
    /// Its logarithm, with the noise: actions are drawn by it.
    score: f64,
    visits: u32,
    /// Sums of the results of all seats.
    totals: SeatValues,
}

impl Candidate {
    /// The mean result of a seat, if the action was visited.
    fn mean(&self, seat: Player) -> Option<f64> {
        (self.visits > 0).then(|| f64::from(self.totals[seat]) / f64::from(self.visits))
    }
}

impl GumbelRoot {
    /// A root without simulations. `values` are the net's, `policy` has the actions, ascending, with
    /// the net's probabilities.
    pub(super) fn new(
        gumbel: Gumbel,
        simulations: u32,
        mover: Player,
        values: SeatValues,
        policy: impl Iterator<Item = (Action, f32)>,
        rng: &mut Rng,
    ) -> Self {
        let candidate = |(action, prior): (Action, f32)| {
            let noise = match gumbel.temperature {
                0.0 => 0.0,
                temperature => temperature * standard_gumbel(rng),
            };
            let prior = f64::from(prior);
            let score = libm::log(prior) + noise;
            Candidate { action, prior, score, visits: 0, totals: SeatValues::default() }
        };
        let candidates: Vec<_> = policy.map(candidate).collect();
        let halving = Halving::new(candidates.len().min(gumbel.considered), simulations);
        Self { gumbel, mover, values, candidates, halving, current: 0 }
    }

    /// Selects an action for the next simulation: its place among all.
    pub(super) fn select(&mut self) -> usize {
        let visits = self.halving.next_visits();
        self.current = self.best(visits).expect("as many candidates were visited as often");
        self.current
    }

    /// Ends the simulation with what it gives each seat.
    pub(super) fn back_up(&mut self, values: SeatValues) {
        let candidate = &mut self.candidates[self.current];
        candidate.visits += 1;
        candidate.totals.iter_mut().zip(values).for_each(|(total, value)| *total += value);
    }

    /// The result of at least one simulation.
    pub(super) fn improved(&self) -> Improved {
        let best = self.best(self.most_visits()).expect("one is visited most");
        let (weight, unknown) = (self.weight(), self.mixed_value(self.mover));
        let logit = |candidate: &Candidate| {
            let value = candidate.mean(self.mover).unwrap_or(unknown);
            libm::log(candidate.prior) + weight * (value + 1.0)
        };
        let logits: Vec<f64> = self.candidates.iter().map(logit).collect();
        let greatest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = logits.iter().map(|logit| libm::exp(logit - greatest)).collect();
        let all: f64 = weights.iter().sum();
        let values = std::array::from_fn(|seat| {
            let unknown = self.mixed_value(seat);
            let known = |one: &Candidate| one.mean(seat).unwrap_or(unknown);
            let terms = self.candidates.iter().zip(&weights);
            terms.map(|(one, weight)| (weight / all * known(one)) as f32).sum()
        });
        let entries = self.candidates.iter().zip(&weights);
        let policy = entries.map(|(one, weight)| (one.action, (weight / all) as f32)).collect();
        Improved { action: self.candidates[best].action, values, policy }
    }

    /// The action of the highest score among those with this number of visits.
    fn best(&self, visits: u32) -> Option<usize> {
        let weight = self.weight();
        let value =
            |one: &Candidate| one.mean(self.mover).map_or(0.0, |mean| weight * (mean + 1.0));
        let among = self.candidates.iter().enumerate().filter(|(_, one)| one.visits == visits);
        let scored = among.map(|(place, one)| (place, one.score + value(one)));
        scored.reduce(|a, b| if b.1 > a.1 { b } else { a }).map(|(place, _)| place)
    }

    fn most_visits(&self) -> u32 {
        self.candidates.iter().map(|one| one.visits).max().unwrap_or(0)
    }

    /// The gain of a logit for each unit of value above the least value, -1: the paper's sigma, for
    /// values from 0 to 2.
    fn weight(&self) -> f64 {
        (VISITS + f64::from(self.most_visits())) * self.gumbel.scale / 2.0
    }

    /// The expected result of a seat by an action that was not visited: the net's value, and the mean
    /// of visited actions by the policy (the paper's mixed value).
    fn mixed_value(&self, seat: Player) -> f64 {
        let visited = || self.candidates.iter().filter_map(|one| Some((one, one.mean(seat)?)));
        let simulations: u32 = self.candidates.iter().map(|one| one.visits).sum();
        let priors: f64 = visited().map(|(one, _)| one.prior).sum();
        let mean = visited().map(|(one, value)| one.prior / priors * value).sum::<f64>();
        let simulations = f64::from(simulations);
        (f64::from(self.values[seat]) + simulations * mean) / (1.0 + simulations)
    }
}

/// A number of the standard Gumbel distribution.
fn standard_gumbel(rng: &mut Rng) -> f64 {
    -libm::log(-libm::log(rng.uniform().max(f64::MIN_POSITIVE)))
}

/// The order of visits: in each phase all candidates that are left get as many, and then the better
/// half of them is left. The last two stay.
struct Halving {
    simulations: u32,
    phases: u32,
    left: usize,
    /// Rounds of one visit each, until their number is halved.
    rounds: u32,
    /// The candidates visited in this round.
    place: usize,
    /// The visits of each candidate left when the round began.
    visits: u32,
}

impl Halving {
    fn new(considered: usize, simulations: u32) -> Self {
        let phases = considered.next_power_of_two().ilog2().max(1);
        let mut halving =
            Self { simulations, phases, left: considered, rounds: 0, place: 0, visits: 0 };
        halving.rounds = halving.phase();
        halving
    }

    /// Rounds of a phase.
    fn phase(&self) -> u32 {
        (self.simulations / (self.phases * self.left as u32)).max(1)
    }

    /// The visits that the next candidate is to have, before it is visited.
    fn next_visits(&mut self) -> u32 {
        let visits = self.visits;
        self.place += 1;
        if self.place == self.left {
            self.place = 0;
            self.visits += 1;
            self.rounds -= 1;
            if self.rounds == 0 {
                self.left = self.left.min((self.left / 2).max(2));
                self.rounds = self.phase();
            }
        }
        visits
    }
}

#[cfg(test)]
mod tests {
    use darkqi_env::{Action, Rng, Stream};

    use super::{Gumbel, GumbelRoot, Improved};
    use crate::search::tree::{ROOT, Tree};

    /// Searches a position whose actions have these probabilities, and results for seat 0. All
    /// simulations of an action give the same. Returns the visits, too.
    fn search(
        gumbel: Gumbel,
        simulations: u32,
        policy: &[f32],
        results: &[f32],
        rng: &mut Rng,
    ) -> (Improved, Vec<u32>) {
        let actions = (0..).map(Action).zip(policy.iter().copied());
        let expected = mean(policy, results);
        let values = |value: f32| [value, -value, 0.0, 0.0, 0.0, 0.0, 0.0];
        let mut root = GumbelRoot::new(gumbel, simulations, 0, values(expected), actions, rng);
        for _ in 0..simulations {
            let result = results[root.select()];
            root.back_up(values(result));
        }
        (root.improved(), root.candidates.iter().map(|one| one.visits).collect())
    }

    /// The expected result of a policy.
    fn mean(policy: &[f32], results: &[f32]) -> f32 {
        policy.iter().zip(results).map(|(probability, result)| probability * result).sum()
    }

    /// A random policy of this many actions, and their results.
    fn planted(actions: usize, rng: &mut Rng) -> (Vec<f32>, Vec<f32>) {
        let weights: Vec<_> = (0..actions).map(|_| libm::exp(3.0 * rng.uniform())).collect();
        let all: f64 = weights.iter().sum();
        let policy = weights.iter().map(|weight| (weight / all) as f32).collect();
        (policy, (0..actions).map(|_| (2.0 * rng.uniform() - 1.0) as f32).collect())
    }

    const WITHOUT_NOISE: Gumbel = Gumbel { temperature: 0.0, considered: 16, scale: 1.0 };

    fn rng(seed: u64) -> Rng {
        Rng::new(seed, Stream::Sample)
    }

    #[test]
    fn visits_follow_the_schedule_of_sequential_halving() {
        // The better an action, the higher its number: the best ones must be left.
        let results: Vec<f32> = (0..20).map(|action| action as f32 / 20.0).collect();
        let policy = [0.05; 20];
        // Four phases of 200 / (4 * left) rounds for 16, 8, 4 and 2 actions, and six visits more.
        let visits = |considered, simulations| {
            let gumbel = Gumbel { considered, ..WITHOUT_NOISE };
            search(gumbel, simulations, &policy, &results, &mut rng(1)).1
        };
        // Without noise and preferences the first actions are considered.
        let expected: Vec<u32> =
            [vec![3; 8], vec![9; 4], vec![21; 2], vec![49; 2], vec![0; 4]].concat();
        assert_eq!(visits(16, 200), expected);
        // Fewer simulations than rounds: one visit each, as far as they go.
        assert_eq!(visits(16, 16), [vec![1; 16], vec![0; 4]].concat());
        assert_eq!(visits(16, 3), [vec![1; 3], vec![0; 17]].concat());
        assert_eq!(visits(4, 16), [vec![2; 2], vec![6; 2], vec![0; 16]].concat());
        assert_eq!(visits(1, 5), [vec![5], vec![0; 19]].concat());
        // Three phases with 5, 2 and 2 actions, and three visits more.
        let (_, visits) = search(WITHOUT_NOISE, 24, &[0.2; 5], &results[..5], &mut rng(1));
        assert_eq!(visits, [1, 1, 1, 10, 11]);
    }

    #[test]
    fn the_improved_policy_expects_more_than_the_policy() {
        let mut rng = rng(2);
        let mut gains = Vec::new();
        for _ in 0..300 {
            let (policy, results) = planted(12, &mut rng);
            let gain = |gumbel, simulations, rng: &mut Rng| {
                let (improved, _) = search(gumbel, simulations, &policy, &results, rng);
                let better: Vec<f32> = improved.policy.iter().map(|&(_, share)| share).collect();
                assert!((better.iter().sum::<f32>() - 1.0).abs() < 1e-5);
                mean(&better, &results) - mean(&policy, &results)
            };
            for scale in [0.01, 0.1, 1.0] {
                // Where all actions are visited, their values are exact and it can only improve.
                let gumbel = Gumbel { scale, ..WITHOUT_NOISE };
                assert!(gain(gumbel, 12, &mut rng) > 0.0, "{policy:?} {results:?}");
            }
            // Otherwise it improves on average: the others have the mixed value.
            gains.push(gain(Gumbel { temperature: 1.0, considered: 4, scale: 0.1 }, 4, &mut rng));
        }
        let gain = gains.iter().sum::<f32>() / gains.len() as f32;
        assert!(gain > 0.2, "{gain}");
    }

    #[test]
    fn values_are_those_of_the_improved_policy() {
        let mut rng = rng(3);
        let (policy, results) = planted(8, &mut rng);
        let (improved, _) = search(WITHOUT_NOISE, 8, &policy, &results, &mut rng);
        let better: Vec<f32> = improved.policy.iter().map(|&(_, share)| share).collect();
        let expected = mean(&better, &results);
        assert!((improved.values[0] - expected).abs() < 1e-5);
        assert!((improved.values[1] + expected).abs() < 1e-5);
    }

    #[test]
    fn actions_without_visits_have_the_mixed_value() {
        // Two of four actions are visited twice. The net expects 0.2 * 0.4 - 0.1 * 0.3 = 0.05. The
        // mean of the visited ones is (0.4 * 0.2 - 0.3 * 0.1) / 0.7 = 1 / 14, that of the others
        // (0.05 + 4 / 14) / 5.
        let gumbel = Gumbel { considered: 2, ..WITHOUT_NOISE };
        let (policy, results) = ([0.4, 0.3, 0.2, 0.1], [0.2, -0.1, 0.0, 0.0]);
        let (improved, visits) = search(gumbel, 4, &policy, &results, &mut rng(4));
        assert_eq!(visits, [2, 2, 0, 0]);
        let mixed = (0.05 + 4.0 / 14.0) / 5.0;
        let weight = |prior: f64, value: f64| prior * libm::exp(52.0 * (value + 1.0) / 2.0);
        let weights = [weight(0.4, 0.2), weight(0.3, -0.1), weight(0.2, mixed), weight(0.1, mixed)];
        let all: f64 = weights.iter().sum();
        for ((_, share), weight) in improved.policy.iter().zip(weights) {
            assert!((f64::from(*share) - weight / all).abs() < 1e-5, "{:?}", improved.policy);
        }
    }

    #[test]
    fn few_simulations_find_better_actions_than_puct() {
        let mut rng = rng(5);
        let (mut gumbel, mut puct, mut trials) = (0.0, 0.0, 0);
        let mut best = [0; 2];
        while trials < 300 {
            let (policy, results) = planted(24, &mut rng);
            let greatest = results.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let (improved, _) = search(WITHOUT_NOISE, 16, &policy, &results, &mut rng);
            let mut tree = Tree::new(1.25);
            tree.clear();
            tree.expand(ROOT, (0..).map(Action).zip(policy.iter().copied()));
            for _ in 0..16 {
                let action = tree.select(ROOT, 0);
                let result = results[action.index()];
                tree.back_up([result, -result, 0.0, 0.0, 0.0, 0.0, 0.0]);
            }
            let found = [improved.action, tree.visits().action].map(|one| results[one.index()]);
            gumbel += found[0];
            puct += found[1];
            best[0] += u32::from(found[0] == greatest);
            best[1] += u32::from(found[1] == greatest);
            trials += 1;
        }
        assert!(gumbel > puct && best[0] > best[1], "{gumbel} {puct} {best:?}");
    }

    #[test]
    fn noise_draws_actions_by_the_policy() {
        // All actions are worth the same, so that one simulation plays the first one drawn.
        let policy = [0.5, 0.3, 0.2];
        let shares = |temperature| {
            let mut counts = [0.0; 3];
            for seed in 0..4000 {
                let gumbel = Gumbel { temperature, ..WITHOUT_NOISE };
                let (improved, _) = search(gumbel, 1, &policy, &[0.0; 3], &mut rng(seed));
                counts[improved.action.index()] += 1.0 / 4000.0;
            }
            counts
        };
        let near = |found: [f64; 3], expected: [f64; 3]| {
            // Four standard errors of a share of one half.
            found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 0.032)
        };
        assert!(near(shares(1.0), [0.5, 0.3, 0.2]), "{:?}", shares(1.0));
        // Powers of 1/2: 0.707, 0.548 and 0.447 of 1.702.
        assert!(near(shares(2.0), [0.415, 0.322, 0.263]), "{:?}", shares(2.0));
        assert_eq!(shares(0.0)[1..], [0.0; 2]);
    }
}
