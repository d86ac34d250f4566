//! Information-set Monte-Carlo tree search: one tree over the mover's information sets, each
//! simulation in a determinised world (Cowling, Powley and Whitehouse, "Information Set Monte Carlo
//! Tree Search", IEEE TCIAIG 4(2), 2012: SO-ISMCTS).
//!
//! The paper's availability counts are not needed: in these games all worlds of an information set
//! have the same legal actions. Actions are selected by PUCT (Rosin, "Multi-armed bandits with
//! episode context", 2011) with priors by what they capture. Leaves are evaluated by quiescence
//! search instead of random playouts. Every seat maximises its own result (max^n: Luckhardt and
//! Irani, 1986), so the search serves any number of players.

use darkqi_env::{Action, Player, Registered, Rng, Viewer};

use super::limits::{Budget, Limits};
use super::star_minimax::{DISCOUNT, Horizon, Scratch, StarMinimax, Window};
use crate::evaluation::{Evaluation, SeatValues};

/// The root node.
const ROOT: usize = 0;

/// Weight of an action's prior that captures nothing or loses by it.
const LEAST_PRIOR: f32 = 0.2;

/// An action at a node.
#[derive(Debug)]
struct Edge {
    action: Action,
    prior: f32,
    visits: u32,
    /// Sum of the mover's results.
    total: f32,
    /// The nodes it leads to, by the fingerprint of what the searcher then knows.
    children: Vec<(u64, usize)>,
}

/// An information set of the searcher, with the path to it.
#[derive(Debug, Default)]
struct Node {
    visits: u32,
    /// Sum of the mover's results.
    total: f32,
    /// Empty before the second visit, since most nodes get one visit, and where the game is over.
    edges: Vec<Edge>,
}

/// The result of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct Visits {
    /// The action that was visited most.
    pub action: Action,
    /// The mean result of each seat over all simulations.
    pub values: SeatValues,
    /// The visited actions, ascending, each with its share of the simulations.
    pub shares: Vec<(Action, f32)>,
}

/// Information-set Monte-Carlo tree search.
#[derive(Debug)]
pub struct Ismcts {
    evaluation: Evaluation,
    simulations: u32,
    exploration: f32,
    scratch: Scratch,
    nodes: Vec<Node>,
    /// The nodes of a simulation, with the edge taken and the mover.
    path: Vec<(usize, usize, Player)>,
}

impl Clone for Ismcts {
    /// The same search, with memory of its own.
    fn clone(&self) -> Self {
        Self::new(self.evaluation.clone(), self.simulations, self.exploration)
    }
}

impl Ismcts {
    /// A search with this many simulations that evaluates leaves by `evaluation`. `exploration` is the
    /// constant of PUCT: the weight of priors against values.
    pub const fn new(evaluation: Evaluation, simulations: u32, exploration: f32) -> Self {
        Self {
            evaluation,
            simulations,
            exploration,
            scratch: Scratch::new(),
            nodes: Vec::new(),
            path: Vec::new(),
        }
    }

    /// The mover's most visited action, in a game that is not over, with the mean result of each seat
    /// and the shares of visits.
    pub fn search<G: Registered>(
        &mut self,
        rules: &G,
        view: &G::View<'_>,
        rng: &mut Rng,
    ) -> Visits {
        let Self { evaluation, simulations, exploration, scratch, nodes, path } = self;
        let searcher = G::view_to_move(view);
        let budget = Budget::new(&Limits::depth(0));
        let search = StarMinimax::new(rules, evaluation, scratch, searcher, budget);
        nodes.clear();
        let mut tree = Tree { rules, search, searcher, exploration: *exploration, nodes, path };
        tree.nodes.push(Node::default());
        tree.expand(ROOT, &rules.determinise(view, rng));
        rng.shuffle(&mut tree.nodes[ROOT].edges);
        let mut totals = SeatValues::default();
        for _ in 0..*simulations {
            let values = tree.simulate(rules.determinise(view, rng));
            totals.iter_mut().zip(values).for_each(|(total, value)| *total += value);
        }
        let edges = &tree.nodes[ROOT].edges;
        let best = edges.iter().reduce(|a, b| if b.visits > a.visits { b } else { a });
        let action = best.expect("the game goes on, so there are actions").action;
        let count = *simulations as f32;
        let visited = edges.iter().filter(|edge| edge.visits > 0);
        let mut shares: Vec<_> =
            visited.map(|edge| (edge.action, edge.visits as f32 / count)).collect();
        shares.sort_unstable_by_key(|&(action, _)| action);
        Visits { action, values: totals.map(|total| total / count), shares }
    }
}

/// A search under way.
struct Tree<'a, G: Registered> {
    rules: &'a G,
    search: StarMinimax<'a, G>,
    searcher: Player,
    exploration: f32,
    nodes: &'a mut Vec<Node>,
    path: &'a mut Vec<(usize, usize, Player)>,
}

impl<G: Registered> Tree<'_, G> {
    /// One simulation: selects down to a new node in this world, evaluates it, and backs the values
    /// up. Returns the values at the root.
    fn simulate(&mut self, mut state: G::State) -> SeatValues {
        self.path.clear();
        let mut node = ROOT;
        let mut values = loop {
            let edge = self.select(node);
            self.path.push((node, edge, self.rules.to_move(&state)));
            self.rules.play(&mut state, self.nodes[node].edges[edge].action);
            let known = self.rules.view(&state, Viewer::Player(self.searcher));
            let key = G::fingerprint(&known);
            let children = &self.nodes[node].edges[edge].children;
            let child = children.iter().find(|(other, _)| *other == key).map(|&(_, child)| child);
            let Some(child) = child else {
                let child = self.nodes.len();
                self.nodes[node].edges[edge].children.push((key, child));
                self.nodes.push(Node::default());
                break self.leaf(&state);
            };
            if self.nodes[child].edges.is_empty() && !self.expand(child, &state) {
                break self.leaf(&state);
            }
            node = child;
        };
        for &(node, edge, mover) in self.path.iter().rev() {
            values.iter_mut().for_each(|value| *value *= DISCOUNT);
            let node = &mut self.nodes[node];
            let edge = &mut node.edges[edge];
            edge.visits += 1;
            edge.total += values[mover];
            node.visits += 1;
            node.total += values[mover];
        }
        values
    }

    /// The edge of the highest PUCT score. An unvisited edge has the mean value of its node.
    fn select(&self, node: usize) -> usize {
        let Node { visits, total, edges } = &self.nodes[node];
        let mean = |total: f32, visits: u32| total / visits as f32;
        let unknown = if *visits == 0 { 0.0 } else { mean(*total, *visits) };
        // At least 1, so that the first selection follows the priors and not the actions' order.
        let urgency = self.exploration * ((*visits).max(1) as f32).sqrt();
        let score = |edge: &Edge| {
            let known = if edge.visits == 0 { unknown } else { mean(edge.total, edge.visits) };
            known + urgency * edge.prior / (1 + edge.visits) as f32
        };
        let scored = edges.iter().map(score).enumerate();
        let best = scored.reduce(|a, b| if b.1 > a.1 { b } else { a });
        best.expect("only nodes with actions are followed").0
    }

    /// Gives a node an edge per legal action. False if the game is over.
    fn expand(&mut self, node: usize, state: &G::State) -> bool {
        if self.search.list(state).is_some() {
            return false;
        }
        let candidates = self.search.candidates(state, None);
        let weight = |gain: f32| (1.0 + gain).max(LEAST_PRIOR);
        let all: f32 = candidates.iter().map(|candidate| weight(candidate.gain)).sum();
        self.nodes[node].edges = candidates
            .iter()
            .map(|candidate| Edge {
                action: candidate.action,
                prior: weight(candidate.gain) / all,
                visits: 0,
                total: 0.0,
                children: Vec::new(),
            })
            .collect();
        self.search.recycle(candidates);
        true
    }

    /// The values of a leaf: the rewards if the game is over, otherwise quiescence search with two
    /// players and the static evaluation with more.
    fn leaf(&mut self, state: &G::State) -> SeatValues {
        let mut values = SeatValues::default();
        if let Some(outcome) = self.search.list(state) {
            values[..self.rules.players()].copy_from_slice(outcome.rewards());
        } else if self.rules.players() == 2 {
            let mover = self.rules.to_move(state);
            values[mover] = self.search.search(state, Horizon::new(0, 2), Window::FULL);
            values[1 - mover] = -values[mover];
        } else {
            values = self.search.evaluate(state);
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use darkqi_env::games::flipping::Flipping;
    use darkqi_env::{AnyState, Hidden, Rng, Session, Stream, Viewer};

    use super::Ismcts;
    use crate::evaluation::Evaluation;

    #[test]
    fn the_first_simulation_tries_the_greatest_capture() {
        let rules = Flipping::default();
        // The soldier on c4 takes the king.
        let fen = "1efkfe1/3s2s/2h4/2S4/7/2S1H2/1EFKFE1 w 6 6";
        let game = Session::from_fen(rules.clone(), fen).expect("a valid FEN");
        let view = rules.view(game.state(), Viewer::Player(0));
        let mut search = Ismcts::new(Evaluation::built_in::<Flipping>(), 1, 1.0);
        for seed in 0..20 {
            let action = search.search(&rules, &view, &mut Rng::new(seed, Stream::Sample)).action;
            assert_eq!(game.action_name(action), "c4c5");
        }
    }
}
