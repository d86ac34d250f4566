//! The tree of a search over information sets, for any way of evaluating its leaves.
//!
//! Each simulation is played in a determinized world, and a node is what one seat has seen since the
//! root: the searcher alone, or whoever moves there (Cowling, Powley and Whitehouse, "Information Set
//! Monte Carlo Tree Search", IEEE TCIAIG 4(2), 2012: SO-ISMCTS and MO-ISMCTS). The paper's
//! availability counts are not needed: in these games all worlds of an information set have the same
//! legal actions. Actions are selected by PUCT (Rosin, "Multi-armed
//! bandits with episode context", 2011). Every seat maximises its own result (max^n: Luckhardt and
//! Irani, 1986), so the tree serves any number of players.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use darkqi_env::{Action, Player};

use super::star_minimax::DISCOUNT;
use crate::evaluation::SeatValues;

/// The root node.
pub(super) const ROOT: usize = 0;

/// An action at a node.
#[derive(Debug)]
struct Edge {
    action: Action,
    prior: f32,
    visits: u32,
    /// Sum of the mover's results.
    total: f32,
}

/// All that a seat has seen since the root, as a hash. Equal in worlds that the seat cannot tell
/// apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(super) struct Seen(u64);

impl Seen {
    /// The same with an action, and the fingerprint of the seat's view after it.
    pub(super) fn then(self, action: Action, fingerprint: u64) -> Self {
        let hash = BuildHasherDefault::<DefaultHasher>::default();
        Self(hash.hash_one((self.0, action.0, fingerprint)))
    }
}

/// An information set.
#[derive(Debug, Default)]
struct Node {
    visits: u32,
    /// Sum of the mover's results.
    total: f32,
    /// Empty before the node is expanded, and where the game is over.
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

/// A tree, and the simulation under way in it.
#[derive(Debug)]
pub(super) struct Tree {
    /// The constant of PUCT: the weight of priors against values.
    exploration: f32,
    nodes: Vec<Node>,
    /// The places of all nodes but the root.
    places: HashMap<Seen, usize>,
    /// The nodes of the simulation, with the edge taken and the mover.
    path: Vec<(usize, usize, Player)>,
    /// Sums over all simulations.
    totals: SeatValues,
    simulations: u32,
}

impl Tree {
    pub(super) fn new(exploration: f32) -> Self {
        Self {
            exploration,
            nodes: Vec::new(),
            places: HashMap::new(),
            path: Vec::new(),
            totals: [0.0; darkqi_env::game::MAX_PLAYERS],
            simulations: 0,
        }
    }

    pub(super) const fn exploration(&self) -> f32 {
        self.exploration
    }

    /// Leaves nothing but the root, which is to be expanded first.
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.nodes.push(Node::default());
        self.places.clear();
        self.path.clear();
        self.totals = SeatValues::default();
        self.simulations = 0;
    }

    pub(super) fn is_expanded(&self, node: usize) -> bool {
        !self.nodes[node].edges.is_empty()
    }

    /// Gives a node an edge per action, with its prior.
    pub(super) fn expand(&mut self, node: usize, actions: impl Iterator<Item = (Action, f32)>) {
        let edge = |(action, prior)| Edge { action, prior, visits: 0, total: 0.0 };
        self.nodes[node].edges = actions.map(edge).collect();
    }

    /// Puts the root's edges in this order; the first of equal ones is selected.
    pub(super) fn shuffle_root(&mut self, rng: &mut darkqi_env::Rng) {
        rng.shuffle(&mut self.nodes[ROOT].edges);
    }

    /// The root's actions, with their priors.
    pub(super) fn root_policy(&self) -> impl Iterator<Item = (Action, f32)> {
        self.nodes[ROOT].edges.iter().map(|edge| (edge.action, edge.prior))
    }

    /// Selects an action at an expanded node and adds it to the simulation's path.
    pub(super) fn select(&mut self, node: usize, mover: Player) -> Action {
        self.follow(node, self.best(node), mover)
    }

    /// Adds an action, by its place at an expanded node, to the simulation's path.
    pub(super) fn follow(&mut self, node: usize, edge: usize, mover: Player) -> Action {
        self.path.push((node, edge, mover));
        self.nodes[node].edges[edge].action
    }

    /// The edge of the highest PUCT score. An unvisited edge has the mean value of its node.
    fn best(&self, node: usize) -> usize {
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

    /// The node of an information set after the root, and whether it is new.
    pub(super) fn node(&mut self, seen: Seen) -> (usize, bool) {
        let next = self.nodes.len();
        let place = *self.places.entry(seen).or_insert(next);
        if place == next {
            self.nodes.push(Node::default());
        }
        (place, place == next)
    }

    /// Ends the simulation with the values of its leaf, and returns what they are worth at the root.
    pub(super) fn back_up(&mut self, mut values: SeatValues) -> SeatValues {
        for (node, edge, mover) in self.path.drain(..).rev() {
            values.iter_mut().for_each(|value| *value *= DISCOUNT);
            let node = &mut self.nodes[node];
            let edge = &mut node.edges[edge];
            edge.visits += 1;
            edge.total += values[mover];
            node.visits += 1;
            node.total += values[mover];
        }
        self.totals.iter_mut().zip(values).for_each(|(total, value)| *total += value);
        self.simulations += 1;
        values
    }

    /// The result of at least one simulation.
    pub(super) fn visits(&self) -> Visits {
        let edges = &self.nodes[ROOT].edges;
        let best = edges.iter().reduce(|a, b| if b.visits > a.visits { b } else { a });
        let action = best.expect("the game goes on, so there are actions").action;
        let count = self.simulations as f32;
        let visited = edges.iter().filter(|edge| edge.visits > 0);
        let mut shares: Vec<_> =
            visited.map(|edge| (edge.action, edge.visits as f32 / count)).collect();
        shares.sort_unstable_by_key(|&(action, _)| action);
        Visits { action, values: self.totals.map(|total| total / count), shares }
    }
}
