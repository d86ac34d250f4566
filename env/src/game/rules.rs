//! What every game can do: the rules' vocabulary.

use std::fmt::Debug;

use super::options::{Misfit, OptionSpec};
use super::outcome::{Outcome, Player};
use crate::board::{Action, ActionBits, ActionTable, Flow, Perspective};
use crate::rng::Rng;

/// A game's rules; the value holds the options in force.
pub trait Game: Clone + Default + Debug + Send + Sync + 'static {
    /// The name in the registry.
    const NAME: &'static str;

    /// What the game is, in one line.
    const ABOUT: &'static str;

    /// The letters of the piece kinds, by [`crate::AnyPiece::kind`].
    const KINDS: &'static [char];

    /// Everything there is to know about a game in progress.
    type State: Clone + Eq + Debug + Send + Sync;

    /// The options, in the order of RULES.md section 9.5.
    fn options() -> &'static [OptionSpec<Self>];

    /// Checks the options against one another; each alone is known to be of its domain.
    ///
    /// # Errors
    /// If they do not go together.
    fn validate(&self) -> Result<(), Misfit> {
        Ok(())
    }

    /// Number of seats.
    fn players(&self) -> usize {
        2
    }

    /// Whether two seats win and lose together.
    fn allied(&self, one: Player, other: Player) -> bool {
        one == other
    }

    /// Every action there is.
    fn table(&self) -> &'static ActionTable;

    /// A new game. All chance is drawn here.
    fn deal(&self, rng: &mut Rng) -> Self::State;

    /// Replaces a finished game by a new one, keeping what memory it can.
    fn redeal(&self, state: &mut Self::State, rng: &mut Rng) {
        *state = self.deal(rng);
    }

    /// Whose turn it is; in a finished game, whose it would be.
    fn to_move(&self, state: &Self::State) -> Player;

    /// From which side the mover's actions are numbered.
    fn perspective(&self, state: &Self::State) -> Perspective;

    /// Plies played since the deal.
    fn ply(&self, state: &Self::State) -> u16;

    /// How the game has ended, leaving aside a mover without an action.
    fn ending(&self, state: &Self::State) -> Option<Outcome>;

    /// How the game ends when the mover has no action.
    fn no_moves_outcome(&self, state: &Self::State) -> Outcome;

    /// Visits the actions that the rules of movement allow, in any order, until `visit` breaks off.
    /// Whether the game is over is not asked.
    fn generate_actions(&self, state: &Self::State, visit: impl FnMut(ActionBits) -> Flow) -> Flow;

    /// Asks for what a state keeps elsewhere in memory and the next ply needs, where that is much.
    #[inline]
    fn prefetch(&self, _: &Self::State) {}

    /// Plays an action, which must be legal.
    fn play(&self, state: &mut Self::State, action: Action);
}

/// What follows from the rules for every game.
pub trait GameExt: Game {
    /// The result of a position whose mover has an action or has not.
    ///
    /// The caller knows whether there is one, having just listed them.
    #[inline]
    fn outcome_given(&self, state: &Self::State, has_action: bool) -> Option<Outcome> {
        let ending = self.ending(state);
        if has_action {
            return ending;
        }
        let stuck = self.no_moves_outcome(state);
        Some(ending.filter(|ending| ending.reason < stuck.reason).unwrap_or(stuck))
    }

    /// How the game has ended, if it has.
    fn outcome(&self, state: &Self::State) -> Option<Outcome> {
        let is_some =
            |run: ActionBits| if run.bits == 0 { Flow::Continue(()) } else { Flow::Break(()) };
        let has_action = self.generate_actions(state, is_some).is_break();
        self.outcome_given(state, has_action)
    }

    /// The actions that movement allows, ascending, whether or not the game is over.
    fn actions(&self, state: &Self::State) -> Vec<Action> {
        let mut actions = Vec::new();
        self.list_actions(state, &mut actions);
        actions
    }

    /// Replaces what `actions` holds by [`GameExt::actions`].
    fn list_actions(&self, state: &Self::State, actions: &mut Vec<Action>) {
        actions.clear();
        let _ = self.generate_actions(state, |run| {
            actions.extend(run.actions());
            Flow::Continue(())
        });
        actions.sort_unstable();
    }
}

impl<G: Game> GameExt for G {}
