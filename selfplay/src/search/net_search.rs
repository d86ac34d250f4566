//! Search guided by a net: a `Tree` whose priors are the net's policy and whose leaves have its values
//! (AlphaZero: Silver et al., "A general reinforcement learning algorithm that masters chess, shogi,
//! and Go through self-play", Science 362, 2018), over determinised worlds.
//!
//! The searches of several games advance together, a simulation each at a time, so that the net sees
//! full blocks.

use std::sync::atomic::Ordering;

use darkqi_env::{Action, GameExt, Player, Registered, Viewer};

use super::tree::{ROOT, Tree, Visits};
use crate::driver::{AgentFailure, Request};
use crate::evaluation::SeatValues;
use crate::nets::{Block, Evaluations, Net, policy, seat_values};

/// Searches of several games, guided by a net with values.
pub(crate) struct NetSearch {
    net: Box<dyn Net>,
    simulations: u32,
    exploration: f32,
    block: Block,
    evaluations: Evaluations,
    /// One for each game that was ever searched at the same time.
    trees: Vec<Tree>,
}

/// A node to be evaluated.
struct Leaf<G: Registered> {
    /// The place of its request.
    request: usize,
    node: usize,
    state: G::State,
    legal: Vec<Action>,
}

impl NetSearch {
    /// Searches with at least one simulation. `exploration` is the constant of PUCT. `block` is an
    /// empty block of the net's shape.
    pub(crate) fn new(net: Box<dyn Net>, simulations: u32, exploration: f32, block: Block) -> Self {
        let evaluations = Evaluations::default();
        Self { net, simulations, exploration, block, evaluations, trees: Vec::new() }
    }

    /// Number of rows in a block.
    pub(crate) fn rows(&self) -> usize {
        self.block.rows()
    }

    /// The same searches, with memory of their own.
    pub(crate) fn another(&self) -> Self {
        Self::new(self.net.boxed_clone(), self.simulations, self.exploration, self.block.clone())
    }

    /// Searches all positions and adds a result for each, in their order.
    ///
    /// # Errors
    /// If the net cannot be computed, or gives what is no number.
    pub(crate) fn search<G: Registered>(
        &mut self,
        rules: &G,
        requests: &mut [Request<'_, G>],
        results: &mut Vec<Visits>,
    ) -> Result<(), AgentFailure> {
        let exploration = self.exploration;
        self.trees.resize_with(requests.len().max(self.trees.len()), || Tree::new(exploration));
        let root = |(place, request): (usize, &mut Request<'_, G>)| Leaf {
            request: place,
            node: ROOT,
            state: rules.determinise(&request.view, request.rng),
            legal: request.legal.to_vec(),
        };
        let roots: Vec<_> = requests.iter_mut().enumerate().map(root).collect();
        self.trees[..requests.len()].iter_mut().for_each(Tree::clear);
        self.evaluate(rules, &roots, |_, _| ())?;
        for _ in 0..self.simulations {
            let mut leaves = Vec::with_capacity(requests.len());
            for (place, request) in requests.iter_mut().enumerate() {
                let world = rules.determinise(&request.view, request.rng);
                let searcher = G::view_to_move(&request.view);
                match descend(rules, &mut self.trees[place], searcher, world) {
                    Ok((node, state, legal)) => {
                        leaves.push(Leaf { request: place, node, state, legal });
                    }
                    Err(rewards) => self.trees[place].back_up(rewards),
                }
            }
            self.evaluate(rules, &leaves, Tree::back_up)?;
            if requests.iter().any(|request| request.stop.load(Ordering::Relaxed)) {
                break;
            }
        }
        results.extend(self.trees[..requests.len()].iter().map(Tree::visits));
        Ok(())
    }

    /// Evaluates nodes, expands them, and gives each node's values to `end`.
    fn evaluate<G: Registered>(
        &mut self,
        rules: &G,
        leaves: &[Leaf<G>],
        end: impl Fn(&mut Tree, SeatValues),
    ) -> Result<(), AgentFailure> {
        let Self { net, block, evaluations, trees, .. } = self;
        for leaves in leaves.chunks(block.rows()) {
            block.clear();
            for Leaf { state, legal, .. } in leaves {
                // What the mover would know there.
                let view = rules.view(state, Viewer::Player(rules.to_move(state)));
                block.push(rules, &view, legal);
            }
            block.pad();
            net.evaluate(block, evaluations)
                .map_err(|cause| AgentFailure::new(leaves[0].request, cause))?;
            for (row, leaf) in leaves.iter().enumerate() {
                let fail = |cause: String| AgentFailure::new(leaf.request, cause);
                let entries = policy(evaluations.logits(row, block), &leaf.legal).map_err(fail)?;
                let mover = rules.to_move(&leaf.state);
                let values = seat_values(rules, mover, evaluations.values(row, block));
                let mut all = SeatValues::default();
                all[..rules.players()].copy_from_slice(&values.map_err(fail)?);
                let tree = &mut trees[leaf.request];
                let edge = |entry: &darkqi_datasets::PolicyEntry| {
                    (Action(entry.action), entry.probability)
                };
                tree.expand(leaf.node, entries.iter().map(edge));
                end(tree, all);
            }
        }
        Ok(())
    }
}

/// Selects down to a node that is not expanded: the node, its state and its legal actions, or the
/// rewards if the game is over there.
fn descend<G: Registered>(
    rules: &G,
    tree: &mut Tree,
    searcher: Player,
    mut state: G::State,
) -> Result<(usize, G::State, Vec<Action>), SeatValues> {
    let mut node = ROOT;
    let mut legal = Vec::new();
    loop {
        let action = tree.select(node, rules.to_move(&state));
        rules.play(&mut state, action);
        let fingerprint = G::fingerprint(&rules.view(&state, Viewer::Player(searcher)));
        node = tree.child(fingerprint).0;
        if tree.is_expanded(node) {
            continue;
        }
        rules.list_actions(&state, &mut legal);
        return match rules.outcome_given(&state, !legal.is_empty()) {
            None => Ok((node, state, legal)),
            Some(outcome) => {
                let mut rewards = SeatValues::default();
                rewards[..rules.players()].copy_from_slice(outcome.rewards());
                Err(rewards)
            }
        };
    }
}
