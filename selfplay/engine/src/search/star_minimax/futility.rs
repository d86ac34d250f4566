//! Futility: near the leaves, a position or an action that is far outside the window by its static
//! evaluation is not searched.
//!
//! - Reverse futility pruning, at a position (static null move pruning,
//!   <https://www.chessprogramming.org/Reverse_Futility_Pruning>).
//! - Futility pruning, of quiet actions (Heinz, "Extended Futility Pruning", ICCA Journal 21, 1998).
//!
//! Both only where nothing is hidden. Elsewhere a reveal changes more than any margin, and matches of banqi,
//! jieqi and mystery showed no gain.

use darkqi_env::{
    Registered,
    game::{GameExt, Hides},
};

use super::{Candidate, Node, StarMinimax, Window};
use crate::evaluation::Evaluation;

/// How much a layer of search may change a lead, in the unit of piece values.
const MARGIN: f32 = 0.3;

/// The deepest search that is spared if the position is far above the window.
const DEEPEST: u32 = 6;

/// The deepest search in which quiet actions are left out.
const DEEPEST_OF_ACTIONS: u32 = 3;

impl Window {
    /// Whether it lies between certain results.
    fn is_uncertain(self) -> bool {
        self.alpha > -Evaluation::MOST && self.beta < Evaluation::MOST
    }
}

impl<G: Registered> StarMinimax<'_, G> {
    /// The mover's lead in strength where futility is asked for.
    pub(super) fn lead(&mut self, state: &G::State, node: &Node) -> Option<f32> {
        let is_asked = G::HIDES == Hides::Nothing
            && self.is_selective()
            && self.rules.players() == 2
            && node.horizon.depth <= DEEPEST
            && node.window.is_uncertain()
            && !node.path.is_principal
            && !node.is_check;
        is_asked.then(|| self.duel(state, node.window).lead)
    }

    /// A lower bound of the value of a position with this lead, if it is so far above the window that
    /// the rest of the search would hardly bring it back.
    pub(super) fn far_above(&self, state: &G::State, node: &Node) -> Option<f32> {
        let least = node.lead? - self.margin(node.horizon.depth);
        let value = self.evaluation.least_result_of_lead(self.rules, &self.view(state), least);
        // Whether there is any action is quickly found.
        (value >= node.window.beta && self.rules.outcome(state).is_none()).then_some(value)
    }

    /// An upper bound of the value of a quiet action, if it is so far below alpha that the rest of the
    /// search would hardly raise it.
    pub(super) fn far_below(
        &self,
        state: &G::State,
        candidate: Candidate,
        alpha: f32,
        node: &Node,
    ) -> Option<f32> {
        if node.horizon.depth > DEEPEST_OF_ACTIONS || !candidate.is_quiet() {
            return None;
        }
        let most = node.lead? + self.margin(node.horizon.depth + 1);
        let view = self.view(state);
        let value = self.evaluation.greatest_result_of_lead(self.rules, &view, most);
        (value <= alpha).then_some(value)
    }

    /// How much this many layers may change a lead.
    fn margin(&self, layers: u32) -> f32 {
        MARGIN * G::UNIT.1 as f32 * layers as f32
    }
}
