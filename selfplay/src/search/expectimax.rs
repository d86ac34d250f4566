//! Expectimax: the best action by its expected value, searched deeper and deeper.

use darkqi_env::{Action, Registered, Rng};

use super::limits::Budget;
use super::lookahead::{Candidate, Horizon, Lookahead, Scratch, Window};
use super::{Evaluation, Limits};

/// What a search has found.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Found {
    /// The best action.
    pub action: Action,
    /// The mover's expected result, from -1 to 1. Beyond ±[`Evaluation::MOST`] the game is decided,
    /// unless a reveal on the way turns out otherwise.
    pub value: f32,
    /// Layers that were searched completely.
    pub depth: u32,
    /// Positions looked at.
    pub nodes: u64,
}

/// Alpha-beta with exact odds at reveals, by iterative deepening with a table of positions.
///
/// The search is the mover's: what it cannot know has the odds that it knows, and what the enemy
/// takes unseen stays unknown.
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
    /// A search that judges and stops by these.
    pub const fn new(evaluation: Evaluation, limits: Limits) -> Self {
        Self { evaluation, limits, scratch: Scratch::new(), candidates: Vec::new() }
    }

    /// Searches for the mover's best action; the game is not over. Of equals the one that takes
    /// most is chosen, and of those a random one.
    ///
    /// Where the limits end the search before a single action is judged, what takes most is chosen,
    /// and the value is 0.
    pub fn think<G: Registered>(&mut self, rules: &G, view: &G::View<'_>, rng: &mut Rng) -> Found {
        let Self { evaluation, limits, scratch, candidates, .. } = self;
        // Any world will do: the search arranges what is hidden as it goes.
        let state = rules.determinise(view, rng);
        let searcher = G::view_to_move(view);
        let budget = Budget::new(limits);
        let mut search = Lookahead::new(rules, evaluation, scratch, searcher, budget);
        search.list(&state);
        candidates.clear();
        candidates.append(&mut search.candidates(&state, None));
        rng.shuffle(candidates);
        candidates.sort_by(|a, b| b.order.total_cmp(&a.order));
        let mut found = Found { action: candidates[0].action, value: 0.0, depth: 0, nodes: 0 };
        for depth in 1..=limits.depth {
            let horizon = Horizon::new(depth, rules.players());
            let mut best = None;
            let mut window = Window::FULL;
            for (number, &candidate) in candidates.iter().enumerate() {
                let value = search.action(&state, candidate, horizon, window);
                if search.budget.is_spent() {
                    break;
                }
                if best.is_none() || value > window.low {
                    window.low = value;
                    best = Some(number);
                }
            }
            if let Some(best) = best {
                // The best is tried first next time; the others keep their order.
                candidates[..=best].rotate_right(1);
                found.action = candidates[0].action;
                found.value = window.low;
            }
            if search.budget.is_spent() {
                break;
            }
            found.depth = depth;
            // A gamble that may well succeed is no reason not to look for a certain way.
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

    use super::{Expectimax, Found};
    use crate::search::{Evaluation, Limits};

    fn find(fen: &str, depth: u32) -> Found {
        let rules = Gaiqi::default();
        let state = rules.parse_fen(fen).expect("a valid FEN");
        let mut search = Expectimax::new(Evaluation::built_in::<Gaiqi>(), Limits::depth(depth));
        let view = rules.view(&state, Viewer::Player(0));
        search.think(&rules, &view, &mut Rng::new(0, Stream::Sample))
    }

    #[test]
    fn only_certain_results_end_the_search() {
        // One of the covered pieces is the general: to take either wins at once in half the cases,
        // to wait wins in all.
        let fen = "8/8/~k~p6/RR4KC 1 r - 0 0 -";
        let gamble = find(fen, 1);
        assert!(gamble.value > Evaluation::MOST && gamble.value < 0.97, "{gamble:?}");
        let wait = find(fen, 5);
        assert!(wait.value > 0.99, "{wait:?}");
        assert_eq!(wait.depth, 2, "{wait:?}");
        assert_eq!(find("8/8/kp6/RR4KC 1 r - 0 0 -", 5).depth, 1);
    }
}
