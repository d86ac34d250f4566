//! Search guided by a net: a `Tree` whose priors are the net's policy and whose leaves have its values
//! (AlphaZero: Silver et al., "A general reinforcement learning algorithm that masters chess, shogi,
//! and Go through self-play", Science 362, 2018), over determinized worlds.
//!
//! The searches of several games advance together, a simulation each at a time, so that the net sees
//! full blocks.

use std::sync::atomic::Ordering;

use arrayvec::ArrayVec;
use darkqi_env::{
    Action, Player, Registered, Viewer,
    game::{GameExt, MAX_PLAYERS},
};
use darkqi_format::PolicyEntry;

use super::gumbel::{Gumbel, GumbelRoot, Improved};
use super::tree::{ROOT, Seen, Tree, Visits};
use crate::agent::{AgentFailure, Request};
use crate::evaluation::SeatValues;
use crate::nets::{Block, Evaluations, Net, policy, seat_values};

/// How a search selects actions at its root. Below the root it always selects by PUCT.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Root {
    Puct,
    Gumbel(Gumbel),
}

/// The result of a search for a position.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Found {
    Puct(Visits),
    Gumbel(Improved),
}

/// Searches of several games, guided by a net with values.
pub(crate) struct NetSearch {
    net: Box<dyn Net>,
    simulations: u32,
    exploration: f32,
    root: Root,
    block: Block,
    evaluations: Evaluations,
    /// One for each game that was ever searched at the same time.
    trees: Vec<Tree>,
}

/// A node to be evaluated.
struct Leaf {
    /// The place of its request.
    request: usize,
    node: usize,
    legal: Vec<Action>,
}

/// The values of all seats, given the mover and what a net says of it or of all.
type Shared<'a> = &'a dyn Fn(Player, &[f32]) -> Result<ArrayVec<f32, MAX_PLAYERS>, String>;

impl NetSearch {
    /// Searches with at least one simulation. `exploration` is the constant of PUCT. `block` is a
    /// block of the net's shape.
    pub(crate) fn new(
        net: Box<dyn Net>,
        simulations: u32,
        exploration: f32,
        root: Root,
        block: Block,
    ) -> Self {
        let evaluations = Evaluations::default();
        Self { net, simulations, exploration, root, block, evaluations, trees: Vec::new() }
    }

    /// Number of rows in a block.
    pub(crate) fn rows(&self) -> usize {
        self.block.rows()
    }

    /// Equal searches, with memory of their own.
    pub(crate) fn another(&self) -> Self {
        let Self { simulations, exploration, root, .. } = *self;
        Self::new(self.net.boxed_clone(), simulations, exploration, root, self.block.clone())
    }

    /// Searches all positions and adds a result for each, in their order.
    ///
    /// # Errors
    /// If the net cannot be computed, or gives what is no number.
    pub(crate) fn search<G: Registered>(
        &mut self,
        rules: &G,
        requests: &mut [Request<'_, G>],
        results: &mut Vec<Found>,
    ) -> Result<(), AgentFailure> {
        let exploration = self.exploration;
        self.trees.resize_with(requests.len().max(self.trees.len()), || Tree::new(exploration));
        self.trees[..requests.len()].iter_mut().for_each(Tree::clear);
        let root = |(place, request): (usize, &mut Request<'_, G>)| {
            let leaf = Leaf { request: place, node: ROOT, legal: request.legal.to_vec() };
            (leaf, rules.determinize(&request.view, request.rng))
        };
        let leaves: Vec<_> = requests.iter_mut().enumerate().map(root).collect();
        let values = self.evaluate(rules, &leaves)?;
        let mut roots = self.gumbel_roots(requests, &values);
        for _ in 0..self.simulations {
            let mut leaves = Vec::with_capacity(requests.len());
            for (place, request) in requests.iter_mut().enumerate() {
                let world = rules.determinize(&request.view, request.rng);
                let (tree, mut root) = (&mut self.trees[place], roots.get_mut(place));
                match descend(rules, tree, root.as_deref_mut(), world) {
                    Ok((node, state, legal)) => {
                        leaves.push((Leaf { request: place, node, legal }, state));
                    }
                    Err(rewards) => back_up(tree, root, rewards),
                }
            }
            let values = self.evaluate(rules, &leaves)?;
            for ((Leaf { request, .. }, _), values) in leaves.iter().zip(values) {
                back_up(&mut self.trees[*request], roots.get_mut(*request), values);
            }
            if requests.iter().any(|request| request.stop.load(Ordering::Relaxed)) {
                break;
            }
        }
        match self.root {
            Root::Puct => {
                let trees = &self.trees[..requests.len()];
                results.extend(trees.iter().map(|tree| Found::Puct(tree.visits())));
            }
            Root::Gumbel(_) => {
                results.extend(roots.iter().map(|root| Found::Gumbel(root.improved())));
            }
        }
        Ok(())
    }

    /// The roots of all requests, whose trees are expanded, if they are chosen from by Gumbel noise.
    fn gumbel_roots<G: Registered>(
        &self,
        requests: &mut [Request<'_, G>],
        values: &[SeatValues],
    ) -> Vec<GumbelRoot> {
        let Root::Gumbel(gumbel) = self.root else { return Vec::new() };
        let simulations = self.simulations;
        let searches = requests.iter_mut().zip(&self.trees).zip(values);
        let root = |((request, tree), &values): ((&mut Request<'_, G>, &Tree), _)| {
            let mover = G::view_to_move(&request.view);
            GumbelRoot::new(gumbel, simulations, mover, values, tree.root_policy(), request.rng)
        };
        searches.map(root).collect()
    }

    /// Evaluates nodes and expands them. Returns each node's values.
    fn evaluate<G: Registered>(
        &mut self,
        rules: &G,
        leaves: &[(Leaf, G::State)],
    ) -> Result<Vec<SeatValues>, AgentFailure> {
        let mut found = Vec::with_capacity(leaves.len());
        for leaves in leaves.chunks(self.block.rows()) {
            self.block.clear();
            for (leaf, state) in leaves {
                // What the mover would know there.
                let view = rules.view(state, Viewer::Player(rules.to_move(state)));
                self.block.push(rules, &view, &leaf.legal);
            }
            let leaves: Vec<_> = leaves.iter().map(|(leaf, _)| leaf).collect();
            self.expand(&leaves, &|mover, values| seat_values(rules, mover, values), &mut found)?;
        }
        Ok(found)
    }

    /// Evaluates the nodes that fill the block and expands them. Adds each node's values.
    fn expand(
        &mut self,
        leaves: &[&Leaf],
        share: Shared<'_>,
        found: &mut Vec<SeatValues>,
    ) -> Result<(), AgentFailure> {
        let Self { net, block, evaluations, trees, .. } = self;
        block.pad();
        net.evaluate(block, evaluations)
            .map_err(|cause| AgentFailure::new(leaves[0].request, cause))?;
        for (row, leaf) in leaves.iter().enumerate() {
            let fail = |cause: String| AgentFailure::new(leaf.request, cause);
            let entries = policy(evaluations.logits(row, block), &leaf.legal).map_err(fail)?;
            let mover = block.player()[row] as Player;
            let values = share(mover, evaluations.values(row, block)).map_err(fail)?;
            let mut all = SeatValues::default();
            all[..values.len()].copy_from_slice(&values);
            let edge = |entry: &PolicyEntry| (Action(entry.action), entry.probability);
            trees[leaf.request].expand(leaf.node, entries.iter().map(edge));
            found.push(all);
        }
        Ok(())
    }
}

/// Ends a simulation with the values of its leaf.
fn back_up(tree: &mut Tree, root: Option<&mut GumbelRoot>, values: SeatValues) {
    let values = tree.back_up(values);
    if let Some(root) = root {
        root.back_up(values);
    }
}

/// Selects down to a node that is not expanded: the node, its state and its legal actions, or the
/// rewards if the game is over there. A node is what its mover has seen, since that is what the net
/// sees. Without `root` it selects by PUCT at the root, too.
fn descend<G: Registered>(
    rules: &G,
    tree: &mut Tree,
    mut root: Option<&mut GumbelRoot>,
    mut state: G::State,
) -> Result<(usize, G::State, Vec<Action>), SeatValues> {
    let (mut node, mut seen) = (ROOT, [Seen::default(); MAX_PLAYERS]);
    let mut legal = Vec::new();
    loop {
        let mover = rules.to_move(&state);
        let action = match root.take() {
            Some(root) => tree.follow(ROOT, root.select(), mover),
            None => tree.select(node, mover),
        };
        rules.play(&mut state, action);
        for (player, seen) in seen[..rules.players()].iter_mut().enumerate() {
            let view = rules.view(&state, Viewer::Player(player));
            *seen = seen.then(action, G::fingerprint(&view));
        }
        node = tree.node(seen[rules.to_move(&state)]).0;
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

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};
    use std::error::Error;
    use std::iter;

    use darkqi_env::games::flipping::Flipping;
    use darkqi_env::games::gaiqi::Gaiqi;
    use darkqi_env::games::jieqi::Jieqi;
    use darkqi_env::{
        Action, Format, Game, Registered, Rng, Stream, Viewer,
        game::{GameExt, Hidden, MAX_PLAYERS, Notation},
    };

    use super::{Found, Gumbel, NetSearch, ROOT, Root, Tree, descend};
    use crate::agent::{AgentFailure, NEVER, Request};
    use crate::nets::{Block, Evaluations, Net};

    const ROWS: usize = 4;
    const GUMBEL: Root = Root::Gumbel(Gumbel { temperature: 1.0, considered: 16, scale: 1.0 });

    /// A net with even policies and values that follow from the tokens, of all seats or the mover alone.
    #[derive(Clone)]
    struct Even<V>(V);

    impl<V: Fn(&[u8]) -> Vec<f32> + Clone + Send + 'static> Net for Even<V> {
        fn format(&self) -> Format {
            Format::Tokens
        }

        fn rows(&self) -> usize {
            ROWS
        }

        fn evaluate(
            &mut self,
            block: &Block,
            evaluations: &mut Evaluations,
        ) -> Result<(), Box<dyn Error + Send + Sync>> {
            let tokens = block.observation().chunks(block.observation().len() / ROWS);
            evaluations.value = tokens.flat_map(&self.0).collect();
            evaluations.policy = vec![0.0; ROWS * block.actions()];
            Ok(())
        }

        fn boxed_clone(&self) -> Box<dyn Net> {
            Box::new(self.clone())
        }
    }

    /// The mover's value as a sum of weights of the tokens.
    fn planted(tokens: &[u8]) -> f32 {
        let weight = |(place, &token): (usize, &u8)| {
            libm::sin((1 + place) as f64 * f64::from(token) + place as f64)
        };
        libm::tanh(tokens.iter().enumerate().map(weight).sum::<f64>() / 4.0) as f32
    }

    struct Position<G: Registered> {
        /// Of its deal, and of its search.
        seed: u64,
        state: G::State,
        legal: Vec<Action>,
    }

    /// Positions after some random plies.
    fn positions<G: Registered>(rules: &G, count: u64) -> Vec<Position<G>> {
        let position = |seed| {
            let mut rng = Rng::new(seed, Stream::Sample);
            let mut state = rules.deal(&mut Rng::new(seed, Stream::Deal));
            let mut legal = Vec::new();
            for plies_left in (0..=seed % 12).rev() {
                rules.list_actions(&state, &mut legal);
                if rules.outcome_given(&state, !legal.is_empty()).is_some() {
                    return None;
                }
                if plies_left > 0 {
                    rules.play(&mut state, *rng.choose(&legal));
                }
            }
            Some(Position { seed, state, legal })
        };
        let found: Vec<_> = (0..count).filter_map(position).collect();
        assert!(found.len() as u64 > count / 2);
        found
    }

    /// Searches positions together, by planted values.
    fn search<G: Registered>(rules: &G, root: Root, positions: &[Position<G>]) -> Vec<Found> {
        let values = |tokens: &[u8]| vec![planted(tokens)];
        search_by(values, rules, root, positions).expect("the net gives results")
    }

    /// The decisions by a net with these values, or the failure.
    fn search_by<G: Registered>(
        values: impl Fn(&[u8]) -> Vec<f32> + Clone + Send + 'static,
        rules: &G,
        root: Root,
        positions: &[Position<G>],
    ) -> Result<Vec<Found>, AgentFailure> {
        let block = Block::new(rules, Format::Tokens, ROWS);
        let mut search = NetSearch::new(Box::new(Even(values)), 16, 1.25, root, block);
        let stream = |position: &Position<G>| Rng::new(position.seed, Stream::Sample);
        let mut streams: Vec<_> = positions.iter().map(stream).collect();
        let mut requests: Vec<_> = iter::zip(positions, &mut streams)
            .map(|(Position { state, legal, .. }, rng)| Request {
                game: 0,
                view: rules.view(state, Viewer::Player(rules.to_move(state))),
                legal,
                rng,
                stop: &NEVER,
            })
            .collect();
        let mut results = Vec::new();
        search.search(rules, &mut requests, &mut results)?;
        Ok(results)
    }

    #[test]
    fn values_that_are_no_results_are_refused() {
        let rules = Flipping::default();
        let positions = positions(&rules, 3);
        for root in [Root::Puct, GUMBEL] {
            for (value, seats) in [(3e38, 1), (-5.0, 2)] {
                let failure = search_by(move |_| vec![value; seats], &rules, root, &positions);
                let cause = failure.expect_err("no seat gets so much").cause.to_string();
                let expected = "output `value`: expected results, which lie between -1 and 1, ";
                assert!(cause.starts_with(expected), "{cause}");
            }
            // A last layer without bounds goes beyond a little.
            let found = search_by(|_| vec![1.1], &rules, root, &positions);
            assert!(found.is_ok());
        }
    }

    #[test]
    fn a_search_does_not_depend_on_others_beside_it() {
        let rules = Gaiqi::default();
        let positions = positions(&rules, 7);
        for root in [Root::Puct, GUMBEL] {
            let together = search(&rules, root, &positions);
            let alone: Vec<_> =
                positions.chunks(1).flat_map(|one| search(&rules, root, one)).collect();
            assert_eq!(together, alone);
        }
    }

    #[test]
    fn nodes_are_what_their_movers_know() {
        let rules = Jieqi::default();
        // Black has captured a covered piece, and red does not know which.
        let fen = "xxxxkxxxx/9/1x5x1/x1x1x1x1x/9/4R4/X1X1X1X1X/1X5X1/9/XXXXK2XX w ~C 1 9";
        let mut rng = Rng::new(1, Stream::Sample);
        let state = rules.parse_view_fen(fen, &mut rng).expect("a position");
        let red = rules.view(&state, Viewer::Player(0));
        let mut legal = Vec::new();
        rules.list_actions(&state, &mut legal);
        let mut tree = Tree::new(1.25);
        tree.clear();
        tree.expand(ROOT, iter::once((legal[0], 1.0)));
        for mover in [1, 0] {
            let mut nodes = HashMap::new();
            for _ in 0..2000 {
                let world = rules.determinize(&red, &mut rng);
                let Ok((node, state, legal)) = descend(&rules, &mut tree, None, world) else {
                    panic!("the game goes on")
                };
                tree.back_up([0.0; MAX_PLAYERS]);
                let known = Jieqi::fingerprint(&rules.view(&state, Viewer::Player(mover)));
                let (first, _) = *nodes.entry(known).or_insert((node, legal[0]));
                assert_eq!((rules.to_move(&state), node), (mover, first));
            }
            let different: HashSet<_> = nodes.values().collect();
            assert!(nodes.len() > 1 && different.len() == nodes.len());
            for (node, action) in nodes.into_values() {
                tree.expand(node, iter::once((action, 1.0)));
            }
        }
    }

    #[test]
    fn a_gumbel_root_finds_better_actions_by_few_simulations() {
        let rules = Flipping::default();
        let positions = positions(&rules, 100);
        // What the mover gets by an action, as the net sees it.
        let value = |state: &<Flipping as Game>::State, action| {
            let mut after = state.clone();
            rules.play(&mut after, action);
            let mut block = Block::new(&rules, Format::Tokens, 1);
            let view = rules.view(&after, Viewer::Player(rules.to_move(&after)));
            block.push(&rules, &view, &[]);
            -planted(block.observation())
        };
        let mean = |root| {
            let results = search(&rules, root, &positions).into_iter().zip(&positions);
            let values = results.map(|(found, Position { state, .. })| match found {
                Found::Puct(visits) => value(state, visits.action),
                Found::Gumbel(improved) => value(state, improved.action),
            });
            values.sum::<f32>() / positions.len() as f32
        };
        let (gumbel, puct) = (mean(GUMBEL), mean(Root::Puct));
        assert!(gumbel > puct + 0.1, "{gumbel} {puct}");
    }

    #[test]
    fn policies_have_all_actions() {
        let rules = Gaiqi::default();
        let positions = positions(&rules, 12);
        for (found, Position { legal, .. }) in
            iter::zip(search(&rules, GUMBEL, &positions), &positions)
        {
            let Found::Gumbel(improved) = found else { panic!("the root is Gumbel's") };
            assert!(improved.policy.iter().map(|(action, _)| action).eq(legal));
            assert_eq!(improved.values[0], -improved.values[1]);
            assert!(legal.contains(&improved.action));
        }
    }
}
