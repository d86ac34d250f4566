//! The fast engine asked like the slow referee, and leaves counted with either.

use darkqi_env::AnyState;

use crate::referee::{Outcome, Referee, Viewer};

/// The engine's own answers.
impl Referee for Box<dyn AnyState> {
    fn fen(&self) -> String {
        self.as_ref().fen()
    }

    fn viewer_fen(&self, viewer: Viewer) -> String {
        self.view_fen(match viewer {
            Viewer::Player(player) => darkqi_env::Viewer::Player(player),
            Viewer::Public => darkqi_env::Viewer::Public,
        })
    }

    fn current_player(&self) -> usize {
        self.as_ref().current_player()
    }

    fn legal_moves(&self) -> Vec<String> {
        self.as_ref().legal_moves()
    }

    fn apply(&mut self, action: &str) -> Result<(), String> {
        let action = self.action_index(action).map_err(|error| error.to_string())?;
        self.as_mut().apply(action).map_err(|error| error.to_string())
    }

    fn outcome(&self) -> Option<Outcome> {
        self.as_ref().outcome().map(|outcome| Outcome {
            reason: outcome.reason.name(),
            rewards: outcome.rewards().iter().copied().map(f64::from).collect(),
            truncated: outcome.truncated(),
        })
    }

    fn boxed_clone(&self) -> Box<dyn Referee> {
        Box::new(self.as_ref().boxed_clone())
    }
}

/// The position after one of the legal actions.
pub fn after(tree: &dyn Referee, action: &str) -> Box<dyn Referee> {
    let mut next = tree.boxed_clone();
    next.apply(action).expect("listed actions are legal");
    next
}

/// The legal actions.
pub fn legal(tree: &dyn Referee) -> Vec<String> {
    tree.legal_moves()
}

/// The number of action sequences of this length, at least 1. `list` returns the actions of a
/// position.
pub fn count(tree: &dyn Referee, depth: usize, list: &impl Fn(&dyn Referee) -> Vec<String>) -> u64 {
    let actions = list(tree);
    if depth == 1 {
        return actions.len() as u64;
    }
    actions.iter().map(|action| count(&*after(tree, action), depth - 1, list)).sum()
}
