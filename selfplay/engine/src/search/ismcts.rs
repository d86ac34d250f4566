//! Information-set Monte-Carlo tree search: a `Tree` whose priors come from what actions capture, and
//! whose leaves are evaluated by quiescence search instead of random playouts.

use std::sync::atomic::{AtomicBool, Ordering};

use darkqi_env::{Player, Registered, Rng, Viewer};

use super::limits::{Budget, Limits};
use super::star_minimax::{Horizon, Path, Pruning, Scratch, StarMinimax, Window};
use super::tree::{ROOT, Seen, Tree, Visits};
use crate::evaluation::{Evaluation, SeatValues};

/// MiB of a transposition table. Quiescence search uses none.
const HASH: u32 = 1;

/// Weight of an action's prior that captures nothing or loses by it.
const MIN_PRIOR: f32 = 0.2;

/// Information-set Monte-Carlo tree search.
#[derive(Debug)]
pub struct Ismcts {
    evaluation: Evaluation,
    simulations: u32,
    scratch: Scratch,
    tree: Tree,
}

impl Clone for Ismcts {
    /// An equal search, with memory of its own.
    fn clone(&self) -> Self {
        Self::new(self.evaluation.clone(), self.simulations, self.tree.exploration())
    }
}

impl Ismcts {
    /// A search with this many simulations that evaluates leaves by `evaluation`. `exploration` is the
    /// constant of PUCT: the weight of priors against values.
    pub fn new(evaluation: Evaluation, simulations: u32, exploration: f32) -> Self {
        Self { evaluation, simulations, scratch: Scratch::new(HASH), tree: Tree::new(exploration) }
    }

    /// The mover's most visited action, in a game that is not over, with the mean result of each seat
    /// and the shares of visits. Once the flag is set, there are no more simulations than one.
    pub fn search<G: Registered>(
        &mut self,
        rules: &G,
        view: &G::View<'_>,
        rng: &mut Rng,
        stop: &AtomicBool,
    ) -> Visits {
        let Self { evaluation, simulations, scratch, tree } = self;
        let searcher = G::view_to_move(view);
        let budget = Budget::new(&Limits::depth(0));
        scratch.restart(rules.table().len());
        let search = StarMinimax::new(rules, evaluation, scratch, searcher, Pruning::Sound, budget);
        tree.clear();
        let mut simulation = Simulation { rules, search, searcher, tree };
        simulation.expand(ROOT, &rules.determinize(view, rng));
        simulation.tree.shuffle_root(rng);
        for _ in 0..*simulations {
            let values = simulation.run(rules.determinize(view, rng));
            simulation.tree.back_up(values);
            if stop.load(Ordering::Relaxed) {
                break;
            }
        }
        tree.visits()
    }
}

/// A search under way.
struct Simulation<'a, G: Registered> {
    rules: &'a G,
    search: StarMinimax<'a, G>,
    searcher: Player,
    tree: &'a mut Tree,
}

impl<G: Registered> Simulation<'_, G> {
    /// Selects down to a new node in this world and returns its values.
    fn run(&mut self, mut state: G::State) -> SeatValues {
        let (mut node, mut seen) = (ROOT, Seen::default());
        loop {
            let action = self.tree.select(node, self.rules.to_move(&state));
            self.rules.play(&mut state, action);
            let known = self.rules.view(&state, Viewer::Player(self.searcher));
            seen = seen.then(action, G::fingerprint(&known));
            let (child, is_new) = self.tree.node(seen);
            // Nodes are expanded at their second visit, since most get one.
            if is_new || !(self.tree.is_expanded(child) || self.expand(child, &state)) {
                return self.leaf(&state);
            }
            node = child;
        }
    }

    /// Gives a node an edge per legal action. False if the game is over.
    fn expand(&mut self, node: usize, state: &G::State) -> bool {
        if self.search.list(state).is_some() {
            return false;
        }
        let candidates = self.search.candidates(state, None, Path::ROOT);
        let weight = |gain: f32| (1.0 + gain).max(MIN_PRIOR);
        let all: f32 = candidates.iter().map(|candidate| weight(candidate.gain)).sum();
        let prior = |gain: f32| weight(gain) / all;
        self.tree.expand(node, candidates.iter().map(|one| (one.action, prior(one.gain))));
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
            values[mover] =
                self.search.negamax(state, Horizon::new(0, 2), Window::FULL, Path::ROOT);
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
    use darkqi_env::{AnyState, Rng, Session, Stream, Viewer, game::Hidden};

    use super::Ismcts;
    use crate::agent::NEVER;
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
            let rng = &mut Rng::new(seed, Stream::Sample);
            let action = search.search(&rules, &view, rng, &NEVER).action;
            assert_eq!(game.action_name(action), "c4c5");
        }
    }
}
