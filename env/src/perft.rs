//! Perft (performance test of a move generator, chess programming): counts of action sequences.

use crate::game::{Game, GameExt};

/// Number of action sequences of length `depth` from a full state, covered identities included. A
/// finished game has no continuation.
pub fn perft<G: Game>(rules: &G, state: &G::State, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let actions = rules.actions(state);
    if rules.outcome_given(state, !actions.is_empty()).is_some() {
        return 0;
    }
    if depth == 1 {
        return actions.len() as u64;
    }
    let count = |action| {
        let mut next = state.clone();
        rules.play(&mut next, action);
        perft(rules, &next, depth - 1)
    };
    actions.into_iter().map(count).sum()
}

/// The count after each action of a position, in ascending order of actions.
pub fn divide<G: Game>(rules: &G, state: &G::State, depth: u32) -> Vec<(crate::Action, u64)> {
    if depth == 0 || rules.outcome(state).is_some() {
        return Vec::new();
    }
    let count = |action| {
        let mut next = state.clone();
        rules.play(&mut next, action);
        (action, perft(rules, &next, depth - 1))
    };
    rules.actions(state).into_iter().map(count).collect()
}
