//! Expectimax: the action of the highest expected value, by iterative deepening.

use darkqi_env::{Action, Registered, Rng};

use super::limits::{Budget, Limits};
use super::star_minimax::{Candidate, Horizon, Scratch, StarMinimax, Window};
use crate::evaluation::Evaluation;

/// The result of a search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SearchResult {
    /// The best action.
    pub action: Action,
    /// The mover's expected result, from -1 to 1. Beyond ±[`Evaluation::MOST`] the result is certain,
    /// apart from reveals on the way.
    pub value: f32,
    /// Layers that were searched completely.
    pub depth: u32,
    /// Positions searched.
    pub nodes: u64,
}

/// Alpha-beta search with exact odds at chance nodes (*-minimax), by iterative deepening with a
/// transposition table.
///
/// The search goes by what the mover knows: hidden pieces have the odds that the mover gives them,
/// and a piece that the enemy captures unseen stays unknown.
#[derive(Debug)]
pub struct Expectimax {
    evaluation: Evaluation,
    limits: Limits,
    scratch: Scratch,
    candidates: Vec<Candidate>,
}

impl Clone for Expectimax {
    /// The same search, with memory of its own.
    fn clone(&self) -> Self {
        Self::new(self.evaluation.clone(), self.limits)
    }
}

impl Expectimax {
    /// A search with this evaluation and these limits.
    pub const fn new(evaluation: Evaluation, limits: Limits) -> Self {
        Self { evaluation, limits, scratch: Scratch::new(), candidates: Vec::new() }
    }

    /// The mover's best action in a game that is not over. Ties go to the action that captures most,
    /// then to a random one.
    ///
    /// If the limits end the search before it has a value, the result is the action that captures
    /// most, with value 0.
    pub fn search<G: Registered>(
        &mut self,
        rules: &G,
        view: &G::View<'_>,
        rng: &mut Rng,
    ) -> SearchResult {
        let Self { evaluation, limits, scratch, candidates, .. } = self;
        // Any world will do: the search arranges hidden pieces as it needs them.
        let state = rules.determinise(view, rng);
        let searcher = G::view_to_move(view);
        let budget = Budget::new(limits);
        let mut search = StarMinimax::new(rules, evaluation, scratch, searcher, budget);
        search.list(&state);
        candidates.clear();
        candidates.append(&mut search.candidates(&state, None));
        rng.shuffle(candidates);
        candidates.sort_by(|a, b| b.order.total_cmp(&a.order));
        let mut found =
            SearchResult { action: candidates[0].action, value: 0.0, depth: 0, nodes: 0 };
        for depth in 1..=limits.depth {
            let horizon = Horizon::new(depth, rules.players());
            let mut best = None;
            let mut window = Window::FULL;
            for (number, &candidate) in candidates.iter().enumerate() {
                let value = search.action(&state, candidate, horizon, window);
                if search.budget.is_spent() {
                    break;
                }
                if best.is_none() || value > window.alpha {
                    window.alpha = value;
                    best = Some(number);
                }
            }
            if let Some(best) = best {
                // The best action is searched first at the next depth. The others keep their order.
                candidates[..=best].rotate_right(1);
                found.action = candidates[0].action;
                found.value = window.alpha;
            }
            if search.budget.is_spent() {
                break;
            }
            found.depth = depth;
            // Stop only at a certain result: a deeper search may replace a gamble by a certain win.
            if found.value.abs() >= horizon.least_certain() {
                break;
            }
        }
        found.nodes = search.budget.nodes();
        found
    }
}

#[cfg(test)]
mod tests {
    use darkqi_env::games::gaiqi::Gaiqi;
    use darkqi_env::{Hidden, Notation, Rng, Stream, Viewer};

    use super::{Expectimax, SearchResult};
    use crate::evaluation::Evaluation;
    use crate::search::limits::Limits;

    fn find(fen: &str, depth: u32) -> SearchResult {
        let rules = Gaiqi::default();
        let state = rules.parse_fen(fen).expect("a valid FEN");
        let mut search = Expectimax::new(Evaluation::built_in::<Gaiqi>(), Limits::depth(depth));
        let view = rules.view(&state, Viewer::Player(0));
        search.search(&rules, &view, &mut Rng::new(0, Stream::Sample))
    }

    #[test]
    fn only_certain_results_end_the_search() {
        // One of the covered pieces is the general. A capture of either piece wins at once in half
        // of the worlds. Waiting wins in all.
        let fen = "8/8/~k~p6/RR4KC 1 r - 0 0 -";
        let gamble = find(fen, 1);
        assert!(gamble.value > Evaluation::MOST && gamble.value < 0.97, "{gamble:?}");
        let wait = find(fen, 5);
        assert!(wait.value > 0.99, "{wait:?}");
        assert_eq!(wait.depth, 2, "{wait:?}");
        assert_eq!(find("8/8/kp6/RR4KC 1 r - 0 0 -", 5).depth, 1);
    }
}
