//! Chance nodes: an action that may turn up several pieces. Its value is the mean of its outcomes by
//! their exact odds.
//!
//! Chance nodes are cut off by Star1 and Star2: Ballard, "The *-Minimax Search Procedure for Trees
//! Containing Chance Nodes", Artificial Intelligence 21, 1983, in the form of Hauk, Buro and
//! Schaeffer, "Rediscovering *-Minimax Search", CG 2004.

use darkqi_env::{Action, Event, Registered, Viewer, board::AnyPiece};

use super::{Bound, DISCOUNT, Horizon, Path, Reveal, StarMinimax, Window};
use crate::evaluation::Evaluation;

impl<G: Registered> StarMinimax<'_, G> {
    /// The expected value, for the mover, of an action with several outcomes.
    pub(super) fn chance_node(
        &mut self,
        state: &G::State,
        action: Action,
        horizon: Horizon,
        window: Window,
        path: Path,
    ) -> f32 {
        let mut reveals = self.scratch.reveals.pop().unwrap_or_default();
        let Window { alpha: least, beta: most } = Window::FULL;
        self.rules.each_reveal(&self.view(state), action, |event, odds| {
            reveals.push(Reveal { event, odds: odds as f32, least, most });
        });
        if self.is_selective() && !self.is_sought(path) {
            merge(self.evaluation, &mut reveals);
        }
        let value = self.star(state, action, &mut reveals, horizon, window, path);
        reveals.clear();
        self.scratch.reveals.push(reveals);
        value
    }

    /// The position after a typical outcome of an action: the one that shows pieces of about the
    /// mean value.
    pub(super) fn typical(&self, state: &G::State, action: Action) -> G::State {
        let worth = |event: &Event| {
            let value = |piece: Option<AnyPiece>| {
                piece.map_or(0.0, |piece| self.evaluation.value(piece.kind))
            };
            value(event.revealed) + value(event.captured)
        };
        let view = self.view(state);
        let mut mean = 0.0;
        self.rules.each_reveal(&view, action, |event, odds| mean += odds as f32 * worth(&event));
        let mut nearest = (Event::default(), f32::INFINITY);
        self.rules.each_reveal(&view, action, |event, _| {
            let distance = (worth(&event) - mean).abs();
            if distance < nearest.1 {
                nearest = (event, distance);
            }
        });
        self.after_reveal(state, action, &nearest.0)
    }

    /// Star1, with the probing phase of Star2 where replies are searched.
    fn star(
        &mut self,
        state: &G::State,
        action: Action,
        reveals: &mut [Reveal],
        horizon: Horizon,
        window: Window,
        path: Path,
    ) -> f32 {
        // The sums of the bounds of all outcomes.
        let mut least = Window::FULL.alpha;
        let mut most = Window::FULL.beta;
        if horizon.depth > 0 && !self.is_sought(path) {
            for reveal in reveals.iter_mut() {
                let after = self.after_reveal(state, action, &reveal.event);
                let (from, to) = self.probe(state, &after, horizon, path);
                least += reveal.odds * (from - reveal.least);
                most -= reveal.odds * (reveal.most - to);
                (reveal.least, reveal.most) = (from, to);
                if self.budget.is_spent() {
                    return 0.0;
                }
                if most <= window.alpha {
                    return most;
                }
                if least >= window.beta {
                    return least;
                }
            }
        }
        let mut sum = 0.0;
        for reveal in &*reveals {
            let odds = reveal.odds;
            // What the others add.
            most -= odds * reveal.most;
            least -= odds * reveal.least;
            if reveal.least == reveal.most {
                sum += odds * reveal.least;
                continue;
            }
            let alpha = (window.alpha - sum - most) / odds;
            let beta = (window.beta - sum - least) / odds;
            let after = self.after_reveal(state, action, &reveal.event);
            let bounds =
                Window { alpha: alpha.max(Window::FULL.alpha), beta: beta.min(Window::FULL.beta) };
            let value = self.child_value(state, &after, horizon, bounds, path);
            sum += odds * value;
            if value <= alpha {
                return sum + most;
            }
            if value >= beta {
                return sum + least;
            }
        }
        sum
    }

    /// The position after an action that shows the searcher this event.
    pub(super) fn after_reveal(&self, state: &G::State, action: Action, event: &Event) -> G::State {
        let mut after = state.clone();
        self.rules.arrange(&mut after, Viewer::Player(self.searcher), action, event);
        self.rules.play(&mut after, action);
        after
    }

    /// Bounds of the value of `after` for the mover of `before`: what the transposition table has, or
    /// else, as Star2 does, an upper bound by the most promising reply alone.
    fn probe(
        &mut self,
        before: &G::State,
        after: &G::State,
        horizon: Horizon,
        path: Path,
    ) -> (f32, f32) {
        let Window { alpha: least, beta: most } = Window::FULL;
        if self.is_friend(before) == self.is_friend(after) {
            return (least, most);
        }
        let known = self.scratch.transpositions.get(self.key(after));
        if let Some(entry) = known
            && u32::from(entry.depth) >= horizon.depth
            && self.rules.ending(after).is_none()
        {
            let value = -DISCOUNT * entry.value;
            match entry.bound {
                Bound::Exact => return (value, value),
                Bound::Lower => return (least, value),
                Bound::Upper => return (value, most),
            }
        }
        self.budget.spend();
        if let Some(outcome) = self.list(after) {
            let value = -DISCOUNT * self.terminal_value(after, &outcome);
            return (value, value);
        }
        let candidates = self.candidates(after, known.map(|entry| entry.best), path);
        let best = candidates.iter().copied().reduce(|a, b| if b.order > a.order { b } else { a });
        self.recycle(candidates);
        let best = best.expect("the game goes on, so there are actions");
        (least, -DISCOUNT * self.candidate_value(after, best, horizon, Window::FULL, path.aside()))
    }
}

/// Leaves one of the outcomes that show pieces of about the same value: the most likely one, with
/// the odds of all.
fn merge(evaluation: &Evaluation, reveals: &mut Vec<Reveal>) {
    const ABOUT: f32 = 1.0;
    let alike = |one: Option<AnyPiece>, other: Option<AnyPiece>| match (one, other) {
        (Some(one), Some(other)) => {
            let value = |piece: AnyPiece| evaluation.value(piece.kind);
            one.army == other.army && (value(one) - value(other)).abs() <= ABOUT
        }
        (one, other) => one == other,
    };
    reveals.sort_by(|a, b| b.odds.total_cmp(&a.odds));
    let mut kept = 0;
    for next in 0..reveals.len() {
        let Reveal { event, odds, .. } = reveals[next];
        let same = reveals[..kept].iter_mut().find(|other| {
            alike(other.event.revealed, event.revealed)
                && alike(other.event.captured, event.captured)
        });
        match same {
            Some(same) => same.odds += odds,
            None => {
                reveals.swap(kept, next);
                kept += 1;
            }
        }
    }
    reveals.truncate(kept);
}
