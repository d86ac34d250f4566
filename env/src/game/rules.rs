//! The trait of every game's rules.

use std::collections::TryReserveError;
use std::fmt::Debug;
use std::ops::RangeInclusive;

use super::armies::Army;
use super::options::{OptionConflict, OptionSpec};
use super::outcome::{Outcome, Player};
use crate::board::{Action, ActionBits, ActionTable, Flow, Perspective};
use crate::rng::Rng;

/// The rules of a game. The value holds the options in force.
pub trait Game: Clone + Default + Debug + Send + Sync + 'static {
    /// The name in the registry.
    const NAME: &'static str;

    /// A description in one line.
    const ABOUT: &'static str;

    /// The letters of the piece kinds, by [`crate::board::AnyPiece::kind`].
    const KINDS: &'static [char];

    /// The armies, by [`crate::board::AnyPiece::army`].
    const ARMIES: &'static [Army];

    /// The numbers of seats that the options allow.
    const PLAYERS: RangeInclusive<usize> = 2..=2;

    /// The full state of a game in progress, hidden information included.
    type State: Clone + Eq + Debug + Send + Sync;

    /// The options, in the order of RULES.md section 9.5.
    fn options() -> &'static [OptionSpec<Self>];

    /// The options of designers, in groups: with them it is another game of the same kind. They are
    /// listed apart, and of a game's options in force only those that are set.
    fn design() -> &'static [&'static [OptionSpec<Self>]] {
        &[]
    }

    /// Checks the options against one another, and computes what follows from them. Each value is in its
    /// domain already.
    ///
    /// # Errors
    /// If they conflict.
    fn settle(&mut self) -> Result<(), OptionConflict> {
        Ok(())
    }

    /// Number of seats, within [`Game::PLAYERS`].
    fn players(&self) -> usize {
        2
    }

    /// Number of plies after which every game has ended.
    fn max_plies(&self) -> u16;

    /// Whether two seats win and lose together.
    fn allied(&self, one: Player, other: Player) -> bool {
        one == other
    }

    /// All actions of the game.
    fn table(&self) -> &'static ActionTable;

    /// Deals a new game. All randomness of the game is sampled here.
    fn deal(&self, rng: &mut Rng) -> Self::State;

    /// Reserves what the longest game needs, so that its plies do not allocate.
    ///
    /// # Errors
    /// If there is no memory.
    fn reserve(&self, _: &mut Self::State) -> Result<(), TryReserveError> {
        Ok(())
    }

    /// Replaces a finished game by a new one and reuses its memory.
    fn redeal(&self, state: &mut Self::State, rng: &mut Rng) {
        *state = self.deal(rng);
    }

    /// The seat to move; in a finished game, the seat that would be.
    fn to_move(&self, state: &Self::State) -> Player;

    /// The side from which a seat sees the board. Its actions are numbered in this perspective.
    fn perspective(&self, player: Player) -> Perspective;

    /// Plies played since the deal.
    fn ply(&self, state: &Self::State) -> u16;

    /// The outcome, except for a mover without an action; `None` while the game goes on.
    fn ending(&self, state: &Self::State) -> Option<Outcome>;

    /// The outcome if the mover has no action.
    fn no_moves_outcome(&self, state: &Self::State) -> Outcome;

    /// Visits the legal actions in any order until `visit` breaks. A finished game is treated as if
    /// it went on.
    fn generate_actions(&self, state: &Self::State, visit: impl FnMut(ActionBits) -> Flow) -> Flow;

    /// Prefetches memory outside the state that the next ply needs.
    #[inline]
    fn prefetch(&self, _: &Self::State) {}

    /// Plays an action, which must be legal.
    fn play(&self, state: &mut Self::State, action: Action);
}

/// Methods that every game has by its [`Game`] methods.
pub trait GameExt: Game {
    /// The outcome of a position, given whether the mover has an action. Callers that have just
    /// listed the actions use it.
    #[inline(always)]
    fn outcome_given(&self, state: &Self::State, has_action: bool) -> Option<Outcome> {
        let ending = self.ending(state);
        if has_action {
            return ending;
        }
        let no_moves = self.no_moves_outcome(state);
        Some(ending.filter(|ending| ending.reason < no_moves.reason).unwrap_or(no_moves))
    }

    /// The outcome; `None` while the game goes on.
    fn outcome(&self, state: &Self::State) -> Option<Outcome> {
        let is_some =
            |set: ActionBits| if set.bits == 0 { Flow::Continue(()) } else { Flow::Break(()) };
        let has_action = self.generate_actions(state, is_some).is_break();
        self.outcome_given(state, has_action)
    }

    /// The legal actions, ascending. A finished game is treated as if it went on.
    fn actions(&self, state: &Self::State) -> Vec<Action> {
        let mut actions = Vec::new();
        self.list_actions(state, &mut actions);
        actions
    }

    /// Writes [`GameExt::actions`] over `actions`.
    fn list_actions(&self, state: &Self::State, actions: &mut Vec<Action>) {
        actions.clear();
        let _ = self.generate_actions(state, |set| {
            actions.extend(set.actions());
            Flow::Continue(())
        });
        actions.sort_unstable();
    }

    /// The first option of designers that makes another game of it.
    fn designed_by(&self) -> Option<&'static str> {
        let usual = Self::default();
        let is_set = |option: &&OptionSpec<Self>| (option.get)(self) != (option.get)(&usual);
        Self::design().iter().copied().flatten().find(is_set).map(|option| option.name)
    }

    /// All options: those of players, then those of designers.
    fn all_options() -> impl Iterator<Item = &'static OptionSpec<Self>> {
        Self::options().iter().chain(Self::design().iter().copied().flatten())
    }
}

impl<G: Game> GameExt for G {}
