//! The value of actions: principal variation search with late move reductions.

use arrayvec::ArrayVec;
use darkqi_env::{
    Action, Registered, Viewer,
    game::{GameExt, Hides},
};
// The standard library's functions may differ between machines.
use libm::logf;

use super::candidates::select;
use super::{Attempt, Candidate, DISCOUNT, FEW, Horizon, Node, Path, StarMinimax, Window};
use crate::evaluation::Evaluation;
use crate::search::ordering;
use crate::search::ordering::CutOff;

/// Quiet actions whose failure is recorded at a cut-off.
const FAILED: usize = 32;

/// The deepest search in which a reveal is searched with a typical outcome alone, where the army shows.
/// Where it does not, outcomes differ too much.
const TYPICAL: u32 = 1;

/// The deepest search in which late quiet actions are left out.
const MAX_LAYERS: u32 = 2;

impl<G: Registered> StarMinimax<'_, G> {
    /// The highest of the candidates' values, and the candidate that has it.
    pub(super) fn search_actions(
        &mut self,
        state: &G::State,
        mut candidates: Vec<Candidate>,
        node: &Node,
    ) -> (f32, Option<Action>) {
        let &Node { horizon, window, path, is_check, .. } = node;
        let mut value = f32::NEG_INFINITY;
        let mut best = None;
        let mut failed = ArrayVec::<Action, FAILED>::new();
        let many = candidates.len() > FEW;
        for number in 0..candidates.len() {
            let candidate = select(&mut candidates, number);
            let mut attempt = Attempt { candidate, number, many, is_forcing: is_check };
            let alpha = window.alpha.max(value);
            let has_other = number > 0 && value > -Evaluation::MOST;
            let most = self.far_below(state, candidate, alpha, node).filter(|_| has_other);
            let mut after = None;
            if G::HAS_CHECKS && self.is_selective() && attempt.is_late() || most.is_some() {
                after = self.only_outcome(state, candidate);
                attempt.is_forcing = after.as_ref().is_some_and(|after| self.is_forced(after));
            }
            if self.is_selective()
                && attempt.is_late()
                && !path.is_principal
                && horizon.depth <= MAX_LAYERS
                && number >= FEW * horizon.depth as usize
                && value > -Evaluation::MOST
                && self.rules.players() == 2
            {
                // Late move pruning: many others have failed.
                continue;
            }
            if let Some(most) = most.filter(|_| !attempt.is_forcing) {
                value = value.max(most);
                continue;
            }
            let after = after.or_else(|| self.only_outcome(state, candidate));
            let window = Window { alpha, ..window };
            let found = self.search_action(state, after.as_ref(), attempt, horizon, window, path);
            if self.budget.is_spent() {
                break;
            }
            if found > value {
                value = found;
                best = Some(candidate.action);
            }
            if value >= window.beta {
                if candidate.is_quiet() {
                    let side = usize::from(!self.is_friend(state));
                    let cut_off = CutOff {
                        side,
                        ply: path.ply as usize,
                        before: path.before,
                        action: candidate.action,
                        depth: horizon.depth,
                    };
                    self.scratch.ordering.cut_off(cut_off, &failed);
                }
                break;
            }
            if candidate.is_quiet() {
                let _ = failed.try_push(candidate.action);
            }
        }
        self.recycle(candidates);
        (value, best)
    }

    /// Whether the mover is in check or the game is over.
    fn is_forced(&self, state: &G::State) -> bool {
        self.rules.is_check(state) || self.rules.outcome(state).is_some()
    }

    /// The position after an action with one outcome; `None` for others.
    pub(in crate::search) fn only_outcome(
        &self,
        state: &G::State,
        Candidate { action, outcomes, .. }: Candidate,
    ) -> Option<G::State> {
        (outcomes == 1).then(|| {
            let mut after = state.clone();
            self.arrange(&mut after, action);
            self.rules.play(&mut after, action);
            after
        })
    }

    /// By how many layers a late action is searched less deep at first (late move reductions: Romstad,
    /// "An Introduction to Late Move Reductions", 2006).
    fn reduction(&self, state: &G::State, attempt: Attempt, horizon: Horizon, path: Path) -> u32 {
        if !self.is_selective() || !attempt.is_late() || horizon.depth < 2 {
            return 0;
        }
        let side = usize::from(!self.is_friend(state));
        let history = self.scratch.ordering.history(side, attempt.candidate.action);
        let layers = 0.6 + logf(horizon.depth as f32) * logf(attempt.number as f32) / 1.5
            - 1.5 * history as f32 / ordering::MOST as f32
            - f32::from(path.is_principal);
        layers.max(0.0) as u32
    }

    /// The value of a candidate: exact for the first, for others only if they are better than
    /// alpha (Marsland and Campbell, "Parallel Search of Strongly Ordered Game Trees", ACM Computing
    /// Surveys 14, 1982). A reduced search that finds it better is done again without reduction.
    /// `after` is its only outcome, if it has no others.
    pub(in crate::search) fn search_action(
        &mut self,
        state: &G::State,
        after: Option<&G::State>,
        attempt: Attempt,
        horizon: Horizon,
        window: Window,
        path: Path,
    ) -> f32 {
        let Attempt { candidate: Candidate { action, .. }, number, .. } = attempt;
        if number == 0 {
            return self.action_value(state, after, action, horizon, window, path);
        }
        let reduction = self.reduction(state, attempt, horizon, path);
        let null = Window::above(window.alpha);
        let aside = path.aside();
        let mut found = f32::INFINITY;
        if reduction > 0 {
            let horizon = horizon.reduced(reduction);
            found = self.action_value(state, after, action, horizon, null, aside);
        }
        if found > window.alpha && !self.budget.is_spent() {
            found = self.action_value(state, after, action, horizon, null, aside);
        }
        if found >= null.beta && found < window.beta && !self.budget.is_spent() {
            found = self.action_value(state, after, action, horizon, window, path);
        }
        found
    }

    /// The value of an action for the mover.
    pub(in crate::search) fn candidate_value(
        &mut self,
        state: &G::State,
        candidate: Candidate,
        horizon: Horizon,
        window: Window,
        path: Path,
    ) -> f32 {
        let after = self.only_outcome(state, candidate);
        self.action_value(state, after.as_ref(), candidate.action, horizon, window, path)
    }

    /// The value of an action for the mover. `after` is its only outcome, if it has no others.
    fn action_value(
        &mut self,
        state: &G::State,
        after: Option<&G::State>,
        action: Action,
        horizon: Horizon,
        window: Window,
        path: Path,
    ) -> f32 {
        let path = path.after(action);
        if let Some(after) = after {
            return self.child_value(state, after, horizon.after(1), window, path);
        }
        // Near the leaves the outcomes are hardly more than evaluated.
        let is_leaf = horizon.depth == 0 || horizon.depth <= TYPICAL && path.ply > 1;
        if is_leaf && G::HIDES == Hides::Kind && self.is_selective() && !self.is_sought(path) {
            let after = self.typical(state, action);
            return self.child_value(state, &after, horizon.after(1), window, path);
        }
        self.chance_node(state, action, horizon.after(2), window, path)
    }

    /// Makes an action with one outcome show that outcome in this world.
    pub(super) fn arrange(&self, state: &mut G::State, action: Action) {
        if self.is_open(&self.view(state), action) {
            return;
        }
        let mut only = None;
        self.rules.each_reveal(&self.view(state), action, |event, _| only = Some(event));
        if let Some(event) = only.filter(|event| event.revealed.is_some() || event.captured_covered)
        {
            self.rules.arrange(state, Viewer::Player(self.searcher), action, &event);
        }
    }

    /// The value of a position for the mover of `before`, one ply earlier.
    pub(super) fn child_value(
        &mut self,
        before: &G::State,
        after: &G::State,
        horizon: Horizon,
        window: Window,
        path: Path,
    ) -> f32 {
        let window = window.undiscounted();
        if self.is_friend(before) == self.is_friend(after) {
            DISCOUNT * self.negamax(after, horizon, window, path)
        } else {
            -DISCOUNT * self.negamax(after, horizon, window.negated(), path)
        }
    }
}
