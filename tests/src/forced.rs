//! Forced wins in jieqi and flipping, by exhaustive search: all replies, and all reveals that the
//! player must consider possible. RULES.md sections 3 and 5.

use darkqi_env::{Action, AnyState, Player};

use crate::worlds::worlds;

/// The actions with which the player to move wins within `plies` plies of its own, against all
/// replies and for all reveals, by name in byte order. The options have their defaults.
pub fn winning(game: &str, state: &dyn AnyState, plies: u32) -> Vec<String> {
    let search = Search { game, player: state.current_player() };
    let actions = state.legal_actions().iter();
    let mut names: Vec<_> = actions
        .filter(|&&action| search.wins_by(state, action, plies))
        .map(|&action| state.action_name(action))
        .collect();
    names.sort();
    names
}

/// The game, and the player who must win.
struct Search<'a> {
    game: &'a str,
    player: Player,
}

impl Search<'_> {
    /// Whether the player, who is to move, wins with this action within `plies` of its plies.
    fn wins_by(&self, state: &dyn AnyState, action: Action, plies: u32) -> bool {
        self.always(state, action, |after| plies > 1 && self.wins_against_all(after, plies - 1))
    }

    /// Whether the player, after any action of the other player, wins within `plies` of its plies.
    fn wins_against_all(&self, state: &dyn AnyState, plies: u32) -> bool {
        let wins = |after: &dyn AnyState| {
            after.legal_actions().iter().any(|&action| self.wins_by(after, action, plies))
        };
        state.legal_actions().iter().all(|&reply| self.always(state, reply, wins))
    }

    /// Whether, for all reveals of an action, the player has won after it, or the game goes on and
    /// `holds` is true.
    fn always(
        &self,
        state: &dyn AnyState,
        action: Action,
        holds: impl Fn(&dyn AnyState) -> bool,
    ) -> bool {
        worlds(self.game, state, self.player, action).iter().all(|after| match after.outcome() {
            Some(outcome) => outcome.winners().eq([self.player]),
            None => holds(&**after),
        })
    }
}
