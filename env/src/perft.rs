//! Perft (performance test of a move generator, chess programming): counts of action sequences.

use std::sync::atomic::{AtomicBool, Ordering};
use std::vec;

use crate::board::Action;
use crate::game::{Game, GameExt};

/// Number of action sequences of length `depth` from a full state, covered identities included; `None` once
/// the flag is set. A finished game has no continuation.
pub fn perft_until<G: Game>(
    rules: &G,
    state: &G::State,
    depth: u32,
    stop: &AtomicBool,
) -> Option<u64> {
    let mut count = 0;
    // Not by recursion: games may be 65,535 plies long, and such a path overflows the stack.
    let mut path = Vec::new();
    let mut next = Some(state.clone());
    loop {
        if let Some(state) = next.take() {
            match Node::expand(rules, state, depth - path.len() as u32) {
                Ok(node) => path.push(node),
                Err(leaves) => count += leaves,
            }
        }
        let Some(node) = path.last_mut() else { return Some(count) };
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        next = node.next_child(rules);
        if next.is_none() {
            path.pop();
        }
    }
}

/// A position two plies or more above the leaves.
struct Node<G: Game> {
    state: G::State,
    /// The actions that have not been counted.
    actions: vec::IntoIter<Action>,
}

impl<G: Game> Node<G> {
    /// The node of a position this many plies above the leaves, or the number of its leaves.
    fn expand(rules: &G, state: G::State, depth: u32) -> Result<Self, u64> {
        if depth == 0 {
            return Err(1);
        }
        let actions = rules.actions(&state);
        if rules.outcome_given(&state, !actions.is_empty()).is_some() {
            return Err(0);
        }
        if depth == 1 {
            return Err(actions.len() as u64);
        }
        Ok(Self { state, actions: actions.into_iter() })
    }

    /// The position after the next action.
    fn next_child(&mut self, rules: &G) -> Option<G::State> {
        let action = self.actions.next()?;
        let mut child = self.state.clone();
        rules.play(&mut child, action);
        Some(child)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;
    use std::time::Duration;

    use super::perft_until;
    use crate::game::Notation;
    use crate::games::jieqi::Jieqi;
    use crate::{Options, Value, game::configure};

    #[test]
    fn a_deep_count_needs_no_stack_and_can_be_stopped() {
        let options: Options = [
            ("repetition".to_owned(), Value::Bool(false)),
            ("quiet_limit".to_owned(), Value::Int(0)),
            ("max_plies".to_owned(), Value::Int(u16::MAX.into())),
        ]
        .into();
        let rules: Jieqi = configure(&options).expect("the options exist");
        let state = rules.parse_fen("3k5/9/9/9/9/9/9/9/9/5K3 w - 0 0").expect("a FEN");
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            let count = || perft_until(&rules, &state, 60_000, &stop);
            let builder = thread::Builder::new().stack_size(128 << 10);
            let counting = builder.spawn_scoped(scope, count).expect("the system has threads");
            // The first path is deep enough by then.
            thread::sleep(Duration::from_millis(100));
            stop.store(true, Ordering::Relaxed);
            assert_eq!(counting.join().expect("it ends"), None);
        });
        assert_eq!(perft_until(&rules, &state, 2, &stop), None);
    }
}
