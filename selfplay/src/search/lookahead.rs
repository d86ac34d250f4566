//! Alpha-beta through plies and reveals.
//!
//! Chance nodes are cut by Ballard's Star1 and Star2 ("The *-Minimax Search Procedure for Trees
//! Containing Chance Nodes", Artificial Intelligence 21, 1983), as written out by Hauk, Buro and
//! Schaeffer ("Rediscovering *-Minimax Search", CG 2004).

#[cfg(test)]
mod tests;

use darkqi_env::{Action, Event, Flow, GameExt, Outcome, Player, Registered, Viewer};

use super::Evaluation;
use super::evaluation::Results;
use super::gain::Gain;
use super::limits::Budget;
use super::table::{Bound, Table};

/// What a result is worth one ply earlier: an early win is better than a late one, a late loss
/// better than an early one.
pub(super) const DISCOUNT: f32 = 0.9995;

/// Captures of which all is known are followed for so many plies where the search ends.
const CAPTURE_PLIES: u32 = 6;

/// The same for more than two players, who take less from one another in turn than there is to
/// take on the board.
const CAPTURE_PLIES_OF_MANY: u32 = 1;

/// Captures that gain less than this are not followed.
const LEAST_GAIN: f32 = 0.01;

/// How much farther a search looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Horizon {
    /// Layers at which everything is looked at.
    depth: u32,
    /// Plies after these at which captures are.
    captures: u32,
}

impl Horizon {
    /// As far as this many layers, in a game for so many players.
    pub(super) const fn new(depth: u32, players: usize) -> Self {
        let captures = if players == 2 { CAPTURE_PLIES } else { CAPTURE_PLIES_OF_MANY };
        Self { depth, captures }
    }

    /// What a result that is certain within it is worth at least.
    pub(super) fn least_certain(self) -> f32 {
        (0..self.depth + self.captures).fold(1.0, |value, _| value * DISCOUNT)
    }

    /// What is left after this many layers.
    const fn after(self, layers: u32) -> Self {
        let depth = self.depth.saturating_sub(layers);
        match self.depth {
            0 => Self { depth, captures: self.captures.saturating_sub(layers) },
            _ => Self { depth, captures: self.captures },
        }
    }
}

/// The values that matter: what lies at or outside the bounds need not be known exactly.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Window {
    pub(super) low: f32,
    pub(super) high: f32,
}

impl Window {
    /// All there are.
    pub(super) const FULL: Self = Self { low: -1.0, high: 1.0 };

    /// The same, seen by the enemy.
    fn turned(self) -> Self {
        Self { low: -self.high, high: -self.low }
    }

    /// The same, one ply later.
    fn later(self) -> Self {
        Self { low: self.low / DISCOUNT, high: self.high / DISCOUNT }
    }
}

/// An action that is looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) action: Action,
    /// The value of what it takes.
    pub(super) gain: f32,
    /// In how many ways it may turn out.
    outcomes: u16,
    /// The highest is tried first.
    pub(super) order: f32,
}

/// One way in which an action may turn out.
#[derive(Clone, Copy, Debug)]
struct Reveal {
    event: Event,
    odds: f32,
    /// The mover gets no more out of it.
    most: f32,
}

/// What searches keep between positions, for its memory.
#[derive(Debug)]
pub(super) struct Scratch {
    pub(super) table: Table,
    /// How often, weighed by depth, an action refuted what came before it.
    history: Vec<u32>,
    legal: Vec<Action>,
    candidates: Vec<Vec<Candidate>>,
    reveals: Vec<Vec<Reveal>>,
}

impl Scratch {
    pub(super) const fn new() -> Self {
        Self {
            table: Table::new(),
            history: Vec::new(),
            legal: Vec::new(),
            candidates: Vec::new(),
            reveals: Vec::new(),
        }
    }
}

/// One search, from what one player knows: all odds and all judgements are its own.
///
/// In games for more than two the others are taken to play against the searcher (paranoid search).
#[derive(Debug)]
pub(super) struct Lookahead<'a, G: Registered> {
    rules: &'a G,
    evaluation: &'a Evaluation,
    scratch: &'a mut Scratch,
    searcher: Player,
    pub(super) budget: Budget,
}

impl<'a, G: Registered> Lookahead<'a, G> {
    pub(super) fn new(
        rules: &'a G,
        evaluation: &'a Evaluation,
        scratch: &'a mut Scratch,
        searcher: Player,
        budget: Budget,
    ) -> Self {
        scratch.table.restart();
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

    /// Whether the mover plays on the searcher's side.
    fn is_friend(&self, state: &G::State) -> bool {
        self.rules.allied(self.rules.to_move(state), self.searcher)
    }

    /// A result of the searcher as the mover sees it.
    fn for_mover(&self, state: &G::State, results: &[f32]) -> f32 {
        let own = results[self.searcher];
        if self.is_friend(state) { own } else { -own }
    }

    /// What a game that has ended is worth to the mover.
    fn decided(&self, state: &G::State, outcome: &Outcome) -> f32 {
        let reward = self.for_mover(state, outcome.rewards());
        if reward == 0.0 { 0.0 } else { reward.signum() }
    }

    /// The expected results of a position by its searcher's lights, without looking ahead.
    pub(super) fn judge(&self, state: &G::State) -> Results {
        self.evaluation.results(self.rules, &self.view(state))
    }

    /// The actions that were listed last, in an order that a search profits from.
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

    /// Lists the actions, in any order, and says how the game has ended if it has.
    pub(super) fn list(&mut self, state: &G::State) -> Option<Outcome> {
        let legal = &mut self.scratch.legal;
        legal.clear();
        let _ = self.rules.generate_actions(state, |run| {
            legal.extend(run.actions());
            Flow::Continue(())
        });
        self.rules.outcome_given(state, !legal.is_empty())
    }

    /// The value of a position to its mover. Meaningless once the budget is spent.
    pub(super) fn position(&mut self, state: &G::State, horizon: Horizon, window: Window) -> f32 {
        self.budget.spend();
        if self.budget.is_spent() {
            return 0.0;
        }
        if let Some(outcome) = self.list(state) {
            return self.decided(state, &outcome);
        }
        if horizon.depth == 0 {
            return self.captures(state, horizon, window);
        }
        let fingerprint = G::fingerprint(&self.view(state));
        let known = self.scratch.table.get(fingerprint);
        if let Some(entry) = known
            && u32::from(entry.depth) >= horizon.depth
            && match entry.bound {
                Bound::Exact => true,
                Bound::Lower => entry.value >= window.high,
                Bound::Upper => entry.value <= window.low,
            }
        {
            return entry.value;
        }
        let candidates = self.candidates(state, known.map(|entry| entry.best));
        let (value, best) = self.best(state, candidates, horizon, window, f32::NEG_INFINITY);
        if let Some(best) = best
            && !self.budget.is_spent()
        {
            let bound = if value >= window.high {
                Bound::Lower
            } else if value <= window.low {
                Bound::Upper
            } else {
                Bound::Exact
            };
            self.scratch.table.put(fingerprint, horizon.depth as u8, best, value, bound);
        }
        value
    }

    /// The value of a position in which the mover may let well alone or capture something.
    fn captures(&mut self, state: &G::State, horizon: Horizon, window: Window) -> f32 {
        let still = self.for_mover(state, &self.judge(state));
        if still >= window.high || horizon.captures == 0 {
            return still;
        }
        let mut candidates = self.candidates(state, None);
        // Reveals would branch too much; a search one layer deeper is worth more in the same time.
        candidates.retain(|capture| capture.gain >= LEAST_GAIN && capture.outcomes == 1);
        if self.rules.players() > 2 && !self.is_friend(state) {
            let view = self.view(state);
            candidates.retain(|capture| self.is_taken_from_friends(&view, capture.action));
        }
        self.best(state, candidates, horizon, window, still).0
    }

    /// Whether a capture is at the searcher's expense. What the others take from one another is no
    /// threat to it, except where it wins them the game, which is overlooked here.
    fn is_taken_from_friends(&self, view: &G::View<'_>, capture: Action) -> bool {
        let mut is_friends = false;
        self.rules.each_reveal(view, capture, |event, _| {
            let owner = event.captured.and_then(|piece| G::owner(view, piece.army));
            is_friends |= owner.is_some_and(|owner| self.rules.allied(owner, self.searcher));
        });
        is_friends
    }

    /// The highest value among `value` and those of the candidates, and the candidate that has it.
    fn best(
        &mut self,
        state: &G::State,
        mut candidates: Vec<Candidate>,
        horizon: Horizon,
        window: Window,
        mut value: f32,
    ) -> (f32, Option<Action>) {
        let mut best = None;
        // Most are never tried, so the next best is looked for rather than all sorted.
        for tried in 0..candidates.len() {
            let next = (tried..candidates.len())
                .reduce(|a, b| if candidates[b].order > candidates[a].order { b } else { a });
            candidates.swap(tried, next.unwrap_or(tried));
            let candidate = candidates[tried];
            let low = window.low.max(value);
            let found = self.action(state, candidate, horizon, Window { low, ..window });
            if self.budget.is_spent() {
                break;
            }
            if found > value {
                value = found;
                best = Some(candidate.action);
            }
            if value >= window.high {
                let refuted = &mut self.scratch.history[candidate.action.index()];
                *refuted = refuted.saturating_add(horizon.depth * horizon.depth);
                break;
            }
        }
        self.give_back(candidates);
        (value, best)
    }

    /// Keeps the memory of candidates that are no longer needed.
    pub(super) fn give_back(&mut self, mut candidates: Vec<Candidate>) {
        candidates.clear();
        self.scratch.candidates.push(candidates);
    }

    /// The value of an action to the mover.
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

    /// Makes sure that an action shows what it can only show.
    fn arrange(&self, state: &mut G::State, action: Action) {
        let mut only = None;
        self.rules.each_reveal(&self.view(state), action, |event, _| only = Some(event));
        if let Some(event) = only.filter(|event| event.revealed.is_some() || event.captured_covered)
        {
            self.rules.arrange(state, Viewer::Player(self.searcher), action, &event);
        }
    }

    /// The value to the mover of `before` that the position has to which it moved.
    fn after(
        &mut self,
        before: &G::State,
        after: &G::State,
        horizon: Horizon,
        window: Window,
    ) -> f32 {
        let window = window.later();
        if self.is_friend(before) == self.is_friend(after) {
            DISCOUNT * self.position(after, horizon, window)
        } else {
            -DISCOUNT * self.position(after, horizon, window.turned())
        }
    }

    /// The expected value to the mover of an action that may turn out in several ways.
    fn chance(
        &mut self,
        state: &G::State,
        action: Action,
        horizon: Horizon,
        window: Window,
    ) -> f32 {
        let mut reveals = self.scratch.reveals.pop().unwrap_or_default();
        self.rules.each_reveal(&self.view(state), action, |event, odds| {
            reveals.push(Reveal { event, odds: odds as f32, most: Window::FULL.high });
        });
        let value = self.expected(state, action, &mut reveals, horizon, window);
        reveals.clear();
        self.scratch.reveals.push(reveals);
        value
    }

    /// Star1, after Star2's probing where replies are searched.
    fn expected(
        &mut self,
        state: &G::State,
        action: Action,
        reveals: &mut [Reveal],
        horizon: Horizon,
        window: Window,
    ) -> f32 {
        let Window { low: least, high: most } = Window::FULL;
        // The most that the reveals from each one on may add.
        let mut rest_most = most;
        if horizon.depth > 0 {
            for reveal in reveals.iter_mut() {
                let after = self.turned_up(state, action, &reveal.event);
                reveal.most = self.probe(state, &after, horizon);
                rest_most -= reveal.odds * (most - reveal.most);
                if rest_most <= window.low || self.budget.is_spent() {
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
            let low = (window.low - sum - rest_most) / odds;
            let high = (window.high - sum - rest_least) / odds;
            let after = self.turned_up(state, action, &reveal.event);
            let bounds = Window { low: low.max(least), high: high.min(most) };
            let value = self.after(state, &after, horizon, bounds);
            sum += odds * value;
            if value <= low {
                return sum + rest_most;
            }
            if value >= high {
                return sum + rest_least;
            }
        }
        sum
    }

    /// The position after an action that shows the searcher this event.
    fn turned_up(&self, state: &G::State, action: Action, event: &Event) -> G::State {
        let mut after = state.clone();
        self.rules.arrange(&mut after, Viewer::Player(self.searcher), action, event);
        self.rules.play(&mut after, action);
        after
    }

    /// A value that a position does not exceed for the mover of `before`, found by looking at the
    /// most promising reply alone.
    fn probe(&mut self, before: &G::State, after: &G::State, horizon: Horizon) -> f32 {
        if self.is_friend(before) == self.is_friend(after) {
            return Window::FULL.high;
        }
        self.budget.spend();
        if let Some(outcome) = self.list(after) {
            return -DISCOUNT * self.decided(after, &outcome);
        }
        let known = self.scratch.table.get(G::fingerprint(&self.view(after)));
        if let Some(entry) = known
            && u32::from(entry.depth) >= horizon.depth
            && entry.bound != Bound::Upper
        {
            return -DISCOUNT * entry.value;
        }
        let candidates = self.candidates(after, known.map(|entry| entry.best));
        let best = candidates.iter().copied().reduce(|a, b| if b.order > a.order { b } else { a });
        self.give_back(candidates);
        let best = best.expect("the game goes on, so there are actions");
        -DISCOUNT * self.action(after, best, horizon, Window::FULL)
    }
}
