//! Expectimax: the action of the highest expected value, by iterative deepening.

use std::sync::atomic::AtomicBool;

use darkqi_env::{Action, Game, Player, Registered, Rng};

use super::limits::{Budget, Limits};
use super::star_minimax::{
    Attempt, Candidate, Horizon, Path, Pruning, Scratch, StarMinimax, Variation, Window,
};
use crate::evaluation::Evaluation;

/// Half of the first window around the value of the last depth (aspiration window).
const ASPIRATION: f32 = 0.05;

/// The least depth with an aspiration window.
const LEAST_ASPIRING: u32 = 3;

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
///
/// With a limit of time the transposition table is kept from one decision to the next of a game. A
/// decision then depends on those before it. Without, every search begins with an empty table, and
/// its result follows from the position and the random stream.
#[derive(Debug)]
pub struct Expectimax {
    evaluation: Evaluation,
    limits: Limits,
    scratch: Scratch,
    candidates: Vec<Candidate>,
    /// The seat of the last decision, and the plies played before it.
    last: Option<(Player, u16)>,
}

impl Clone for Expectimax {
    /// The same search, with memory of its own.
    fn clone(&self) -> Self {
        Self::new(self.evaluation.clone(), self.limits).with_hash(self.scratch.mebibytes())
    }
}

impl Expectimax {
    /// The size of the transposition table, in MiB, unless another is asked for. It is small because
    /// there may be a search for each of thousands of seats.
    pub const DEFAULT_HASH: u32 = 2;

    /// A search with this evaluation and these limits.
    pub const fn new(evaluation: Evaluation, limits: Limits) -> Self {
        let scratch = Scratch::new(Self::DEFAULT_HASH);
        Self { evaluation, limits, scratch, candidates: Vec::new(), last: None }
    }

    /// The same search with a transposition table of this size in MiB, at least 1.
    #[must_use]
    pub fn with_hash(self, mebibytes: u32) -> Self {
        Self { scratch: Scratch::new(mebibytes), ..self }
    }

    /// Sets the limits of the searches to come.
    pub(crate) const fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Makes the next search begin with an empty table, as at the start of a game.
    pub(crate) const fn forget(&mut self) {
        self.last = None;
    }

    /// Prepares the memory: with a limit of time it is kept during a game.
    fn prepare<G: Game>(&mut self, rules: &G, mover: Player, ply: u16) {
        let goes_on = self.last.is_some_and(|(seat, last)| seat == mover && last < ply);
        if self.limits.time.is_some() && goes_on {
            self.scratch.age();
        } else {
            self.scratch.restart(rules.table().len());
        }
        self.last = Some((mover, ply));
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
        self.search_until(rules, view, rng, &AtomicBool::new(false), &mut |_, _| {})
    }

    /// As [`Expectimax::search`], until the flag is set. `tell` gets the result of each depth as soon
    /// as it was searched completely, and a function that gives the principal variation.
    pub(crate) fn search_until<G: Registered>(
        &mut self,
        rules: &G,
        view: &G::View<'_>,
        rng: &mut Rng,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(&SearchResult, &dyn Fn() -> Variation),
    ) -> SearchResult {
        let budget = Budget::new(&self.limits).until(stop);
        // Any world will do: the search arranges hidden pieces as it needs them.
        let state = rules.determinise(view, rng);
        let searcher = G::view_to_move(view);
        self.prepare(rules, searcher, rules.ply(&state));
        let Self { evaluation, limits, scratch, candidates, .. } = self;
        let pruning = Pruning::Selective;
        let mut search = StarMinimax::new(rules, evaluation, scratch, searcher, pruning, budget);
        search.list(&state);
        candidates.clear();
        candidates.append(&mut search.candidates(&state, None, Path::ROOT));
        rng.shuffle(candidates);
        candidates.sort_by(|a, b| b.order.total_cmp(&a.order));
        let mut found =
            SearchResult { action: candidates[0].action, value: 0.0, depth: 0, nodes: 0 };
        for depth in 1..=limits.depth {
            let horizon = Horizon::new(depth, rules.players());
            let mut window = Window::FULL;
            if depth >= LEAST_ASPIRING {
                window.alpha = (found.value - ASPIRATION).max(window.alpha);
                window.beta = (found.value + ASPIRATION).min(window.beta);
            }
            let mut layer = search_layer(&mut search, &state, candidates, horizon, window);
            // Outside the window the value is a bound. The full window costs the same table lookups.
            while !search.budget.is_spent()
                && let Some(value) = layer
                && (value <= window.alpha && window.alpha > Window::FULL.alpha
                    || value >= window.beta && window.beta < Window::FULL.beta)
            {
                if value <= window.alpha {
                    window.alpha = Window::FULL.alpha;
                } else {
                    found.action = candidates[0].action;
                    window.beta = Window::FULL.beta;
                }
                layer = search_layer(&mut search, &state, candidates, horizon, window);
            }
            if let Some(value) = layer
                && value > window.alpha
            {
                found.action = candidates[0].action;
                found.value = value;
            }
            if search.budget.is_spent() {
                break;
            }
            found.depth = depth;
            found.nodes = search.budget.nodes();
            tell(&found, &|| search.variation(&state, found.action, horizon));
            // Stop only at a certain result: a deeper search may replace a gamble by a certain win.
            if found.value.abs() >= horizon.least_certain() {
                break;
            }
        }
        found.nodes = search.budget.nodes();
        found
    }
}

/// Searches all actions of the root and puts the best one first; the others keep their order. The
/// highest value, which is a bound if it lies outside the window; `None` if not even one was found.
fn search_layer<G: Registered>(
    search: &mut StarMinimax<'_, G>,
    state: &G::State,
    candidates: &mut [Candidate],
    horizon: Horizon,
    mut window: Window,
) -> Option<f32> {
    let mut best = None;
    let mut highest = None;
    for (number, &candidate) in candidates.iter().enumerate() {
        // Every action of the root is searched in full.
        let attempt = Attempt { candidate, number, many: false, is_forcing: false };
        let value = search.scout(state, attempt, horizon, window, Path::ROOT);
        if search.budget.is_spent() {
            break;
        }
        if highest.is_none_or(|highest| value > highest) {
            highest = Some(value);
        }
        if best.is_none() || value > window.alpha {
            best = Some(number);
            window.alpha = window.alpha.max(value);
            if value >= window.beta {
                break;
            }
        }
    }
    candidates[..=best?].rotate_right(1);
    highest
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
        // One of the covered pieces is the general. Taking either piece wins at once in half the
        // worlds, waiting wins in all.
        let fen = "8/8/~k~p6/RR4KC 1 r - 0 0 -";
        let gamble = find(fen, 1);
        assert!(gamble.value > Evaluation::MOST && gamble.value < 0.97, "{gamble:?}");
        let wait = find(fen, 5);
        assert!(wait.value > 0.99, "{wait:?}");
        assert_eq!(wait.depth, 2, "{wait:?}");
        assert_eq!(find("8/8/kp6/RR4KC 1 r - 0 0 -", 5).depth, 1);
    }
}
