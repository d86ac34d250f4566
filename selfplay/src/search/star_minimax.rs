//! Alpha-beta search of trees with chance nodes: *-minimax.
//!
//! An action that may turn up several pieces is a chance node. Its value is the mean of its outcomes
//! by their exact odds. Chance nodes are cut off by Star1 and Star2: Ballard, "The *-Minimax Search
//! Procedure for Trees Containing Chance Nodes", Artificial Intelligence 21, 1983, in the form of
//! Hauk, Buro and Schaeffer, "Rediscovering *-Minimax Search", CG 2004.
//!
//! The rest is standard for negamax alpha-beta (Knuth and Moore, "An Analysis of Alpha-Beta
//! Pruning", Artificial Intelligence 6, 1975): a transposition table, the history heuristic
//! (Schaeffer, "The History Heuristic", ICCA Journal 6, 1983) and quiescence search by captures.

#[cfg(test)]
mod tests;

use darkqi_env::{Action, Event, Flow, GameExt, Outcome, Player, Registered, Viewer};

use super::limits::Budget;
use super::transposition_table::{Bound, TranspositionTable};
use crate::evaluation::{Evaluation, Gain, SeatValues};

/// Discount per ply: an early win is better than a late one, a late loss better than an early one.
pub(super) const DISCOUNT: f32 = 0.9995;

/// Plies of quiescence search: below the full-width search, captures with one outcome are searched.
const QUIESCENCE_PLIES: u32 = 6;

/// The same with more than two players. Their captures in turn do not answer one another, so that
/// longer sequences overrate the captures left on the board.
const QUIESCENCE_PLIES_OF_MANY: u32 = 1;

/// Quiescence search leaves out captures that gain less than this.
const LEAST_GAIN: f32 = 0.01;

/// How much farther a search looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Horizon {
    /// Layers of full-width search.
    depth: u32,
    /// Plies of quiescence search below them.
    quiescence: u32,
}

impl Horizon {
    /// This many layers of full-width search, in a game with this many players.
    pub(super) const fn new(depth: u32, players: usize) -> Self {
        let quiescence = if players == 2 { QUIESCENCE_PLIES } else { QUIESCENCE_PLIES_OF_MANY };
        Self { depth, quiescence }
    }

    /// The least value of a win that is certain within the horizon.
    pub(super) fn least_certain(self) -> f32 {
        (0..self.depth + self.quiescence).fold(1.0, |value, _| value * DISCOUNT)
    }

    /// What is left after this many layers.
    const fn after(self, layers: u32) -> Self {
        let depth = self.depth.saturating_sub(layers);
        match self.depth {
            0 => Self { depth, quiescence: self.quiescence.saturating_sub(layers) },
            _ => Self { depth, quiescence: self.quiescence },
        }
    }
}

/// The alpha-beta window. A value at or outside its bounds need not be exact.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Window {
    pub(super) alpha: f32,
    pub(super) beta: f32,
}

impl Window {
    /// All values.
    pub(super) const FULL: Self = Self { alpha: -1.0, beta: 1.0 };

    /// The same window for the enemy (negamax).
    fn negated(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }

    /// The same window one ply later, before the discount.
    fn undiscounted(self) -> Self {
        Self { alpha: self.alpha / DISCOUNT, beta: self.beta / DISCOUNT }
    }
}

/// An action to be searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) action: Action,
    /// The expected value of what it captures.
    pub(super) gain: f32,
    /// How many outcomes it may have for all that the searcher knows.
    outcomes: u16,
    /// The highest is searched first.
    pub(super) order: f32,
}

/// One outcome of a chance node.
#[derive(Clone, Copy, Debug)]
struct Reveal {
    event: Event,
    odds: f32,
    /// An upper bound of its value for the mover.
    most: f32,
}

/// Memory that searches use again.
#[derive(Debug)]
pub(super) struct Scratch {
    transpositions: TranspositionTable,
    /// By action: how often it caused a cut-off, weighed by depth (history heuristic).
    history: Vec<u32>,
    legal: Vec<Action>,
    candidates: Vec<Vec<Candidate>>,
    reveals: Vec<Vec<Reveal>>,
}

impl Scratch {
    pub(super) const fn new() -> Self {
        Self {
            transpositions: TranspositionTable::new(),
            history: Vec::new(),
            legal: Vec::new(),
            candidates: Vec::new(),
            reveals: Vec::new(),
        }
    }
}

/// One search. All odds and evaluations are those of one player, the searcher, by what it knows.
///
/// With more than two players, the others are assumed to play against the searcher: paranoid search
/// (Sturtevant and Korf, "On Pruning Techniques for Multi-Player Games", AAAI 2000).
#[derive(Debug)]
pub(super) struct StarMinimax<'a, G: Registered> {
    rules: &'a G,
    evaluation: &'a Evaluation,
    scratch: &'a mut Scratch,
    searcher: Player,
    pub(super) budget: Budget,
}

impl<'a, G: Registered> StarMinimax<'a, G> {
    pub(super) fn new(
        rules: &'a G,
        evaluation: &'a Evaluation,
        scratch: &'a mut Scratch,
        searcher: Player,
        budget: Budget,
    ) -> Self {
        scratch.transpositions.restart();
        scratch.history.clear();
        scratch.history.resize(rules.table().len(), 0);
        Self { rules, evaluation, scratch, searcher, budget }
    }

    fn view<'s>(&self, state: &'s G::State) -> G::View<'s>
    where
        'a: 's,
    {
        self.rules.view(state, Viewer::Player(self.searcher))
    }

    /// Whether the mover is the searcher or an ally of it.
    fn is_friend(&self, state: &G::State) -> bool {
        self.rules.allied(self.rules.to_move(state), self.searcher)
    }

    /// The searcher's value for the mover: negated for enemies.
    fn for_mover(&self, state: &G::State, values: &[f32]) -> f32 {
        let own = values[self.searcher];
        if self.is_friend(state) { own } else { -own }
    }

    /// The mover's value of a game that is over.
    fn terminal_value(&self, state: &G::State, outcome: &Outcome) -> f32 {
        let reward = self.for_mover(state, outcome.rewards());
        if reward == 0.0 { 0.0 } else { reward.signum() }
    }

    /// The static evaluation of a position, by what the searcher knows.
    pub(super) fn evaluate(&self, state: &G::State) -> SeatValues {
        self.evaluation.evaluate(self.rules, &self.view(state))
    }

    /// The actions that were listed last, with what orders them: `first`, then captures by gain,
    /// then the history heuristic.
    pub(super) fn candidates(&mut self, state: &G::State, first: Option<Action>) -> Vec<Candidate> {
        let mut candidates = self.scratch.candidates.pop().unwrap_or_default();
        let view = self.view(state);
        let evaluation = self.evaluation;
        for &action in &self.scratch.legal {
            let value = |kind| f64::from(evaluation.value(kind));
            let unknown = f64::from(evaluation.unknown());
            let gain = Gain::of(self.rules, &view, action, value, unknown);
            let expected = gain.expected as f32;
            let order = if first == Some(action) {
                f32::INFINITY
            } else {
                expected * 1e6 + self.scratch.history[action.index()] as f32
            };
            let outcomes = gain.outcomes as u16;
            candidates.push(Candidate { action, gain: expected, outcomes, order });
        }
        candidates
    }

    /// Lists the legal actions, in any order. The outcome if the game is over.
    pub(super) fn list(&mut self, state: &G::State) -> Option<Outcome> {
        let legal = &mut self.scratch.legal;
        legal.clear();
        let _ = self.rules.generate_actions(state, |run| {
            legal.extend(run.actions());
            Flow::Continue(())
        });
        self.rules.outcome_given(state, !legal.is_empty())
    }

    /// The value of a position for its mover. Meaningless once the budget is spent.
    pub(super) fn search(&mut self, state: &G::State, horizon: Horizon, window: Window) -> f32 {
        self.budget.spend();
        if self.budget.is_spent() {
            return 0.0;
        }
        if let Some(outcome) = self.list(state) {
            return self.terminal_value(state, &outcome);
        }
        if horizon.depth == 0 {
            return self.quiescence(state, horizon, window);
        }
        let fingerprint = G::fingerprint(&self.view(state));
        let known = self.scratch.transpositions.get(fingerprint);
        if let Some(entry) = known
            && u32::from(entry.depth) >= horizon.depth
            && match entry.bound {
                Bound::Exact => true,
                Bound::Lower => entry.value >= window.beta,
                Bound::Upper => entry.value <= window.alpha,
            }
        {
            return entry.value;
        }
        let candidates = self.candidates(state, known.map(|entry| entry.best));
        let (value, best) = self.best(state, candidates, horizon, window, f32::NEG_INFINITY);
        if let Some(best) = best
            && !self.budget.is_spent()
        {
            let bound = if value >= window.beta {
                Bound::Lower
            } else if value <= window.alpha {
                Bound::Upper
            } else {
                Bound::Exact
            };
            self.scratch.transpositions.put(fingerprint, horizon.depth as u8, best, value, bound);
        }
        value
    }

    /// Quiescence search: the mover captures something or stands pat.
    fn quiescence(&mut self, state: &G::State, horizon: Horizon, window: Window) -> f32 {
        let stand_pat = self.for_mover(state, &self.evaluate(state));
        if stand_pat >= window.beta || horizon.quiescence == 0 {
            return stand_pat;
        }
        let mut candidates = self.candidates(state, None);
        // Chance nodes would branch too much: one more full-width layer gains more in that time.
        candidates.retain(|capture| capture.gain >= LEAST_GAIN && capture.outcomes == 1);
        if self.rules.players() > 2 && !self.is_friend(state) {
            let view = self.view(state);
            candidates.retain(|capture| self.is_taken_from_friends(&view, capture.action));
        }
        self.best(state, candidates, horizon, window, stand_pat).0
    }

    /// Whether a capture takes a piece of the searcher or an ally. Other captures of enemies are no
    /// threat to it, except those that win the game, which quiescence search overlooks.
    fn is_taken_from_friends(&self, view: &G::View<'_>, capture: Action) -> bool {
        let mut is_friends = false;
        self.rules.each_reveal(view, capture, |event, _| {
            let owner = event.captured.and_then(|piece| G::owner(view, piece.army));
            is_friends |= owner.is_some_and(|owner| self.rules.allied(owner, self.searcher));
        });
        is_friends
    }

    /// The highest of `value` and the candidates' values, and the candidate that has it.
    fn best(
        &mut self,
        state: &G::State,
        mut candidates: Vec<Candidate>,
        horizon: Horizon,
        window: Window,
        mut value: f32,
    ) -> (f32, Option<Action>) {
        let mut best = None;
        // Selection instead of a sort: after a cut-off most candidates are never searched.
        for tried in 0..candidates.len() {
            let next = (tried..candidates.len())
                .reduce(|a, b| if candidates[b].order > candidates[a].order { b } else { a });
            candidates.swap(tried, next.unwrap_or(tried));
            let candidate = candidates[tried];
            let alpha = window.alpha.max(value);
            let found = self.action(state, candidate, horizon, Window { alpha, ..window });
            if self.budget.is_spent() {
                break;
            }
            if found > value {
                value = found;
                best = Some(candidate.action);
            }
            if value >= window.beta {
                let history = &mut self.scratch.history[candidate.action.index()];
                *history = history.saturating_add(horizon.depth * horizon.depth);
                break;
            }
        }
        self.recycle(candidates);
        (value, best)
    }

    /// Keeps the memory of candidates for the next list.
    pub(super) fn recycle(&mut self, mut candidates: Vec<Candidate>) {
        candidates.clear();
        self.scratch.candidates.push(candidates);
    }

    /// The value of an action for the mover.
    pub(super) fn action(
        &mut self,
        state: &G::State,
        candidate: Candidate,
        horizon: Horizon,
        window: Window,
    ) -> f32 {
        let Candidate { action, outcomes, .. } = candidate;
        if outcomes > 1 {
            return self.chance(state, action, horizon.after(2), window);
        }
        let mut after = state.clone();
        self.arrange(&mut after, action);
        self.rules.play(&mut after, action);
        self.after(state, &after, horizon.after(1), window)
    }

    /// Makes an action with one outcome show that outcome in this world.
    fn arrange(&self, state: &mut G::State, action: Action) {
        let mut only = None;
        self.rules.each_reveal(&self.view(state), action, |event, _| only = Some(event));
        if let Some(event) = only.filter(|event| event.revealed.is_some() || event.captured_covered)
        {
            self.rules.arrange(state, Viewer::Player(self.searcher), action, &event);
        }
    }

    /// The value of a position for the mover of `before`, one ply earlier.
    fn after(
        &mut self,
        before: &G::State,
        after: &G::State,
        horizon: Horizon,
        window: Window,
    ) -> f32 {
        let window = window.undiscounted();
        if self.is_friend(before) == self.is_friend(after) {
            DISCOUNT * self.search(after, horizon, window)
        } else {
            -DISCOUNT * self.search(after, horizon, window.negated())
        }
    }

    /// The expected value, for the mover, of an action with several outcomes.
    fn chance(
        &mut self,
        state: &G::State,
        action: Action,
        horizon: Horizon,
        window: Window,
    ) -> f32 {
        let mut reveals = self.scratch.reveals.pop().unwrap_or_default();
        self.rules.each_reveal(&self.view(state), action, |event, odds| {
            reveals.push(Reveal { event, odds: odds as f32, most: Window::FULL.beta });
        });
        let value = self.star(state, action, &mut reveals, horizon, window);
        reveals.clear();
        self.scratch.reveals.push(reveals);
        value
    }

    /// Star1, with the probing phase of Star2 where replies are searched.
    fn star(
        &mut self,
        state: &G::State,
        action: Action,
        reveals: &mut [Reveal],
        horizon: Horizon,
        window: Window,
    ) -> f32 {
        let Window { alpha: least, beta: most } = Window::FULL;
        // An upper bound of what the reveals from each one on add to the mean.
        let mut rest_most = most;
        if horizon.depth > 0 {
            for reveal in reveals.iter_mut() {
                let after = self.after_reveal(state, action, &reveal.event);
                reveal.most = self.probe(state, &after, horizon);
                rest_most -= reveal.odds * (most - reveal.most);
                if rest_most <= window.alpha || self.budget.is_spent() {
                    return rest_most;
                }
            }
        }
        let mut rest_least = least;
        let mut sum = 0.0;
        for reveal in &*reveals {
            let odds = reveal.odds;
            rest_most -= odds * reveal.most;
            rest_least -= odds * least;
            let alpha = (window.alpha - sum - rest_most) / odds;
            let beta = (window.beta - sum - rest_least) / odds;
            let after = self.after_reveal(state, action, &reveal.event);
            let bounds = Window { alpha: alpha.max(least), beta: beta.min(most) };
            let value = self.after(state, &after, horizon, bounds);
            sum += odds * value;
            if value <= alpha {
                return sum + rest_most;
            }
            if value >= beta {
                return sum + rest_least;
            }
        }
        sum
    }

    /// The position after an action that shows the searcher this event.
    fn after_reveal(&self, state: &G::State, action: Action, event: &Event) -> G::State {
        let mut after = state.clone();
        self.rules.arrange(&mut after, Viewer::Player(self.searcher), action, event);
        self.rules.play(&mut after, action);
        after
    }

    /// Star2's probe: an upper bound of the value of `after` for the mover of `before`, from the most
    /// promising reply alone.
    fn probe(&mut self, before: &G::State, after: &G::State, horizon: Horizon) -> f32 {
        if self.is_friend(before) == self.is_friend(after) {
            return Window::FULL.beta;
        }
        self.budget.spend();
        if let Some(outcome) = self.list(after) {
            return -DISCOUNT * self.terminal_value(after, &outcome);
        }
        let known = self.scratch.transpositions.get(G::fingerprint(&self.view(after)));
        if let Some(entry) = known
            && u32::from(entry.depth) >= horizon.depth
            && entry.bound != Bound::Upper
        {
            return -DISCOUNT * entry.value;
        }
        let candidates = self.candidates(after, known.map(|entry| entry.best));
        let best = candidates.iter().copied().reduce(|a, b| if b.order > a.order { b } else { a });
        self.recycle(candidates);
        let best = best.expect("the game goes on, so there are actions");
        -DISCOUNT * self.action(after, best, horizon, Window::FULL)
    }
}
