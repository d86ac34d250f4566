//! The actions of a position in the order in which they are tried.

use darkqi_env::{
    Action, Move, Outcome, Registered,
    board::{AnyPiece, Flow},
    game::{GameExt, Hides},
};

use super::{Candidate, MIN_GAIN, Path, StarMinimax};
use crate::evaluation::Gain;

/// Quiescence search leaves out captures that lose more than this in the exchange they begin.
const EVEN: f32 = 0.5;

/// The rank of a sort of actions: each comes before the next.
const KILLER: f32 = 2e5;
const SECOND_KILLER: f32 = 1.5e5;
const COUNTER: f32 = 1e5;
/// The weight of a captured piece's value.
const GAIN: f32 = 1e6;

impl<G: Registered> StarMinimax<'_, G> {
    /// Lists the legal actions, in any order. The outcome if the game is over.
    pub(in crate::search) fn list(&mut self, state: &G::State) -> Option<Outcome> {
        let legal = &mut self.scratch.legal;
        legal.clear();
        let _ = self.rules.generate_actions(state, |run| {
            legal.extend(run.actions());
            Flow::Continue(())
        });
        self.rules.outcome_given(state, !legal.is_empty())
    }

    fn get_move(&self, view: &G::View<'_>, action: Action) -> Move {
        let perspective = self.rules.perspective(G::view_to_move(view));
        self.rules.table().get_move(action, perspective)
    }

    /// Whether an action turns nothing over and captures nothing covered.
    pub(super) fn is_open(&self, view: &G::View<'_>, action: Action) -> bool {
        match self.get_move(view, action) {
            Move::Step { from, to } => {
                [from, to].iter().all(|&square| !self.rules.is_covered(view, square))
            }
            Move::Flip(_) => false,
            Move::Pass => true,
        }
    }

    /// Whether an action may capture something.
    pub(super) fn is_capture(&self, view: &G::View<'_>, action: Action) -> bool {
        match self.get_move(view, action) {
            Move::Step { to, .. } => self.rules.is_occupied(view, to),
            Move::Flip(_) | Move::Pass => false,
        }
    }

    /// The gain of an action.
    fn gain(&self, view: &G::View<'_>, action: Action) -> Gain {
        if self.is_open(view, action) && !self.is_capture(view, action) {
            return Gain { expected: 0.0, outcomes: 1 };
        }
        let value = |kind| f64::from(self.evaluation.value(kind));
        Gain::of(self.rules, view, action, value, self.evaluation.unknown().into())
    }

    /// The gain of a capture in the exchange that it begins (static exchange evaluation), if the game has one.
    fn static_exchange(&self, view: &G::View<'_>, action: Action, gain: f32) -> f32 {
        if !self.is_selective() || gain < MIN_GAIN {
            return gain;
        }
        let value = |piece: Option<AnyPiece>| match piece {
            Some(piece) => self.evaluation.value(piece.kind),
            None => self.evaluation.unknown(),
        };
        self.rules.static_exchange(view, action, value).unwrap_or(gain)
    }

    /// The actions that were listed last, with what orders them: `first`, then captures by gain,
    /// then killers, the counter move and the others by history.
    pub(in crate::search) fn candidates(
        &mut self,
        state: &G::State,
        first: Option<Action>,
        path: Path,
    ) -> Vec<Candidate> {
        let mut candidates = self.scratch.candidates.pop().unwrap_or_default();
        let view = self.view(state);
        let side = usize::from(!self.is_friend(state));
        let ordering = &self.scratch.ordering;
        let [killer, second_killer] = ordering.killers(path.ply as usize);
        let counter = ordering.counter(path.before);
        for &action in &self.scratch.legal {
            let gain = self.gain(&view, action);
            let expected = gain.expected as f32;
            let order = if first == Some(action) {
                f32::INFINITY
            } else if expected != 0.0 {
                self.static_exchange(&view, action, expected) * GAIN + expected
            } else if action == killer {
                KILLER
            } else if action == second_killer {
                SECOND_KILLER
            } else if action == counter {
                COUNTER
            } else {
                ordering.history(side, action) as f32
            };
            candidates.push(Candidate {
                action,
                gain: expected,
                outcomes: gain.outcomes as u16,
                order,
            });
        }
        candidates
    }

    /// The actions listed last that capture something with one outcome.
    pub(super) fn captures(&mut self, state: &G::State) -> Vec<Candidate> {
        let mut captures = self.scratch.candidates.pop().unwrap_or_default();
        let view = self.view(state);
        for &action in &self.scratch.legal {
            if !self.is_capture(&view, action) {
                continue;
            }
            let Gain { expected, outcomes } = self.gain(&view, action);
            let gain = expected as f32;
            // Chance nodes would branch too much: one more full-width layer gains more in that time.
            if gain >= MIN_GAIN && (outcomes == 1 || G::HIDES == Hides::Kind && self.is_selective())
            {
                let exchange = self.static_exchange(&view, action, gain);
                if exchange < -EVEN {
                    continue;
                }
                let order = exchange * GAIN + gain;
                captures.push(Candidate { action, gain, outcomes: outcomes as u16, order });
            }
        }
        captures
    }

    /// Keeps the memory of candidates for the next list.
    pub(in crate::search) fn recycle(&mut self, mut candidates: Vec<Candidate>) {
        candidates.clear();
        self.scratch.candidates.push(candidates);
    }
}

/// Moves the candidate that is to be tried next to its place. Selection instead of a sort: after a
/// cut-off most candidates are never tried.
pub(super) fn select(candidates: &mut [Candidate], tried: usize) -> Candidate {
    let next = (tried..candidates.len())
        .reduce(|a, b| if candidates[b].order > candidates[a].order { b } else { a });
    candidates.swap(tried, next.unwrap_or(tried));
    candidates[tried]
}
