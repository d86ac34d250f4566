//! Counts leaves in the same way with the fast engine and with the slow referee.

use darkqi_env::AnyState;

use crate::referee::Referee;

/// A position to count from.
pub trait Tree {
    /// The full position.
    fn fen(&self) -> String;

    /// The names of the legal actions; none once the game is over.
    fn legal(&self) -> Vec<String>;

    /// The position after one of them.
    fn after(&self, action: &str) -> Self;
}

impl Tree for Box<dyn AnyState> {
    fn fen(&self) -> String {
        self.as_ref().fen()
    }

    fn legal(&self) -> Vec<String> {
        self.legal_moves()
    }

    fn after(&self, action: &str) -> Self {
        let mut next = self.boxed_clone();
        let action = next.action_index(action).expect("listed names are known");
        next.apply(action).expect("listed actions are legal");
        next
    }
}

impl Tree for Box<dyn Referee> {
    fn fen(&self) -> String {
        self.as_ref().fen()
    }

    fn legal(&self) -> Vec<String> {
        self.legal_moves()
    }

    fn after(&self, action: &str) -> Self {
        let mut next = self.boxed_clone();
        next.apply(action).expect("listed actions are legal");
        next
    }
}

/// The number of action sequences of this length, at least 1. `list` returns the actions of a
/// position.
pub fn count<T: Tree>(tree: &T, depth: usize, list: &impl Fn(&T) -> Vec<String>) -> u64 {
    let actions = list(tree);
    if depth == 1 {
        return actions.len() as u64;
    }
    actions.iter().map(|action| count(&tree.after(action), depth - 1, list)).sum()
}
