//! Quiescence search: below the full-width search the mover captures something or stands pat.

use darkqi_env::{Action, Registered, game::GameExt};

use super::candidates::select;
use super::{Horizon, Path, StarMinimax, Window};
use crate::evaluation::Evaluation;

/// How much more than what it captures a capture may gain, in the unit of piece values.
const DELTA: f32 = 1.5;

impl<G: Registered> StarMinimax<'_, G> {
    /// The value of a position where the mover captures something or stands pat.
    pub(super) fn quiescence(
        &mut self,
        state: &G::State,
        horizon: Horizon,
        window: Window,
        path: Path,
    ) -> f32 {
        let (stand_pat, lead) = if self.is_selective() && self.rules.players() == 2 {
            let duel = self.duel(state, window);
            (duel.value, Some(duel.lead))
        } else {
            let values = self.evaluate(state);
            (self.for_mover(state, &values), None)
        };
        if stand_pat >= window.beta || horizon.quiescence == 0 {
            // Whether there is any action is quickly found.
            return match self.rules.outcome(state) {
                Some(outcome) => self.terminal_value(state, &outcome),
                None => stand_pat,
            };
        }
        if let Some(outcome) = self.list(state) {
            return self.terminal_value(state, &outcome);
        }
        let mut captures = self.captures(state);
        let view = self.view(state);
        if self.rules.players() > 2 && !self.is_friend(state) {
            captures.retain(|capture| self.is_taken_from_friends(&view, capture.action));
        }
        let mut value = stand_pat;
        for tried in 0..captures.len() {
            let capture = select(&mut captures, tried);
            let alpha = window.alpha.max(value);
            if let Some(lead) = lead
                && alpha < Evaluation::MOST
            {
                // Delta pruning: not even with luck does it raise alpha.
                let most = lead + capture.gain + DELTA * G::UNIT.1 as f32;
                let most = self.evaluation.greatest_result_of_lead(self.rules, &view, most);
                if most <= alpha {
                    value = value.max(most);
                    continue;
                }
            }
            let found = self.candidate_value(
                state,
                capture,
                horizon,
                Window { alpha, ..window },
                path.aside(),
            );
            if self.budget.is_spent() {
                break;
            }
            value = value.max(found);
            if value >= window.beta {
                break;
            }
        }
        self.recycle(captures);
        value
    }

    /// Whether a capture takes a piece of the searcher or an ally. Other captures of enemies are no
    /// threat to it, except those that win the game, which quiescence search overlooks.
    pub(super) fn is_taken_from_friends(&self, view: &G::View<'_>, capture: Action) -> bool {
        let mut is_friends = false;
        self.rules.each_reveal(view, capture, |event, _| {
            let owner = event.captured.and_then(|piece| G::owner(view, piece.army));
            is_friends |= owner.is_some_and(|owner| self.rules.allied(owner, self.searcher));
        });
        is_friends
    }
}
