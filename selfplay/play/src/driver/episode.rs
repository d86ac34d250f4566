//! One game, from a position to its end.

use std::time::Duration;

use darkqi_engine::agent::Decision;
use darkqi_env::{Action, GameExt, Outcome, Player, Registered, Viewer};

use super::observer::{Observer, Ply};

/// One game under way: a position and its legal actions.
///
/// [`Episode::advance`] and [`Episode::play`] alternate.
#[derive(Clone, Debug)]
pub(crate) struct Episode<G: Registered> {
    state: G::State,
    legal: Vec<Action>,
}

/// An action that is not legal, and was not played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct IllegalAction {
    /// Plies since the deal.
    pub(crate) ply: u16,
    pub(crate) seat: Player,
    pub(crate) action: Action,
    /// How many actions were legal.
    pub(crate) legal_count: usize,
}

impl<G: Registered> Episode<G> {
    /// A game that begins with this position.
    pub(crate) const fn new(state: G::State) -> Self {
        Self { state, legal: Vec::new() }
    }

    /// The position.
    pub(crate) const fn state(&self) -> &G::State {
        &self.state
    }

    /// The position, to begin another game in the same memory.
    pub(crate) const fn restart(&mut self) -> &mut G::State {
        &mut self.state
    }

    /// The legal actions, ascending.
    pub(crate) fn legal(&self) -> &[Action] {
        &self.legal
    }

    /// The view of the seat to move.
    pub(crate) fn view<'a>(&'a self, rules: &'a G) -> G::View<'a> {
        rules.view(&self.state, Viewer::Player(rules.to_move(&self.state)))
    }

    /// Lists the legal actions. The outcome if the game is over.
    pub(crate) fn advance(&mut self, rules: &G) -> Option<Outcome> {
        rules.list_actions(&self.state, &mut self.legal);
        rules.outcome_given(&self.state, !self.legal.is_empty())
    }

    /// Plays an action. `observer` sees the ply before it is played.
    ///
    /// # Errors
    /// If the action is not legal; nothing is changed then, and `observer` is not called.
    pub(crate) fn play(
        &mut self,
        rules: &G,
        action: Action,
        observer: &mut impl Observer<G>,
    ) -> Result<(), IllegalAction> {
        self.play_decision(rules, &action.into(), Duration::ZERO, observer)
    }

    /// Plays a decision that took this time, as [`Episode::play`] does.
    pub(crate) fn play_decision(
        &mut self,
        rules: &G,
        decision: &Decision,
        time: Duration,
        observer: &mut impl Observer<G>,
    ) -> Result<(), IllegalAction> {
        let Self { state, legal } = self;
        let action = decision.action;
        if legal.binary_search(&action).is_err() {
            let (ply, seat) = (rules.ply(state), rules.to_move(state));
            return Err(IllegalAction { ply, seat, action, legal_count: legal.len() });
        }
        observer.before(rules, &Ply { state, legal, decision, time });
        rules.play(state, action);
        Ok(())
    }
}
