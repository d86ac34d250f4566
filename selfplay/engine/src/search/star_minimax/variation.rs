//! The principal variation: the best actions of both sides, as far as the search knows them.

use darkqi_env::{Action, Player, Registered, game::GameExt};

use super::{Bound, Horizon, StarMinimax};

/// The actions with the seats that play them.
pub(in crate::search) type Variation = Vec<(Player, Action)>;

impl<G: Registered> StarMinimax<'_, G> {
    /// The principal variation that begins with this action, which was searched this far. It ends at
    /// the first action that may turn up several pieces.
    ///
    /// It follows the transposition table. An entry counts if its value is exact and it looks as far
    /// as this search did: others are of earlier depths or of other windows.
    pub(in crate::search) fn variation(
        &self,
        state: &G::State,
        first: Action,
        horizon: Horizon,
    ) -> Variation {
        let mut variation = Vec::new();
        let mut state = state.clone();
        let mut next = Some(first);
        for layers in 1..=horizon.depth {
            let Some(action) = next else { break };
            variation.push((self.rules.to_move(&state), action));
            let mut outcomes = 0;
            self.rules.each_reveal(&self.view(&state), action, |_, _| outcomes += 1);
            if outcomes > 1 {
                break;
            }
            self.arrange(&mut state, action);
            self.rules.play(&mut state, action);
            if self.rules.outcome(&state).is_some() {
                break;
            }
            let known = self.scratch.transpositions.get(self.key(&state));
            let is_of_this_search = |entry: &super::Entry| {
                entry.bound == Bound::Exact && u32::from(entry.depth) + layers >= horizon.depth
            };
            // Positions may share a key.
            let is_legal = |action: &Action| self.rules.actions(&state).contains(action);
            next = known.filter(is_of_this_search).map(|entry| entry.best).filter(is_legal);
        }
        variation
    }
}
