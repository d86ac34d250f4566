//! Forced wins in jieqi and flipping, by looking at everything: all replies, and all that may turn
//! up for what a player knows. RULES.md sections 3 and 5.

use darkqi_env::{Action, AnyState, Player};

use crate::worlds::worlds;

/// The actions with which the player to move wins within so many plies of its own, whatever the
/// answers and whatever turns up, by name in byte order. The options are the default ones.
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

/// Who is to win at what.
struct Search<'a> {
    game: &'a str,
    player: Player,
}

impl Search<'_> {
    /// Whether the player, who is to move, wins by this action within so many of its plies.
    fn wins_by(&self, state: &dyn AnyState, action: Action, plies: u32) -> bool {
        self.always(state, action, |after| plies > 1 && self.wins_against_all(after, plies - 1))
    }

    /// Whether the player wins within so many of its plies whatever the other does first.
    fn wins_against_all(&self, state: &dyn AnyState, plies: u32) -> bool {
        let wins = |after: &dyn AnyState| {
            after.legal_actions().iter().any(|&action| self.wins_by(after, action, plies))
        };
        state.legal_actions().iter().all(|&reply| self.always(state, reply, wins))
    }

    /// Whether the player has won after an action, or the game goes on so that `holds`, whatever
    /// the action turns over.
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
