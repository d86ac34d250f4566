//! The fast engine and the slow referee asked in the same way, and leaves counted with either.

use darkqi_env::{AnyState, Viewer};
use serde::Deserialize;

use crate::referee::{self, Referee};

/// How a game ends.
#[derive(Deserialize, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// One of the names of RULES.md section 8.
    pub reason: String,
    /// In the engine's precision, so that thirds compare equal.
    pub rewards: Vec<f32>,
}

/// The common interface of the engine and the referee.
pub trait Player: Sized {
    /// The full position.
    fn fen(&self) -> String;

    /// The position as a viewer knows it: a player's number or `public`.
    fn viewer_fen(&self, viewer: &str) -> String;

    /// The names of the legal actions; none once the game is over.
    fn legal(&self) -> Vec<String>;

    /// Plays one of them.
    ///
    /// # Errors
    /// If it is none of them.
    fn play(&mut self, action: &str) -> Result<(), String>;

    /// How the game has ended.
    fn outcome(&self) -> Option<Expected>;

    /// A copy.
    fn copy(&self) -> Self;

    /// The position after one of the legal actions.
    fn after(&self, action: &str) -> Self {
        let mut next = self.copy();
        next.play(action).expect("listed actions are legal");
        next
    }
}

impl Player for Box<dyn AnyState> {
    fn fen(&self) -> String {
        self.as_ref().fen()
    }

    fn viewer_fen(&self, viewer: &str) -> String {
        self.view_fen(viewer.parse().map_or(Viewer::Public, Viewer::Player))
    }

    fn legal(&self) -> Vec<String> {
        self.legal_moves()
    }

    fn play(&mut self, action: &str) -> Result<(), String> {
        let action = self.action_index(action).map_err(|error| error.to_string())?;
        self.apply(action).map_err(|error| error.to_string())
    }

    fn outcome(&self) -> Option<Expected> {
        self.as_ref().outcome().map(|outcome| Expected {
            reason: outcome.reason.name().to_owned(),
            rewards: outcome.rewards().to_vec(),
        })
    }

    fn copy(&self) -> Self {
        self.boxed_clone()
    }
}

impl Player for Box<dyn Referee> {
    fn fen(&self) -> String {
        self.as_ref().fen()
    }

    fn viewer_fen(&self, viewer: &str) -> String {
        let viewer = viewer.parse().map_or(referee::Viewer::Public, referee::Viewer::Player);
        self.as_ref().viewer_fen(viewer)
    }

    fn legal(&self) -> Vec<String> {
        self.legal_moves()
    }

    fn play(&mut self, action: &str) -> Result<(), String> {
        self.apply(action)
    }

    fn outcome(&self) -> Option<Expected> {
        let outcome = self.as_ref().outcome()?;
        let rewards = outcome.rewards.into_iter().map(|reward| reward as f32).collect();
        Some(Expected { reason: outcome.reason.to_owned(), rewards })
    }

    fn copy(&self) -> Self {
        self.boxed_clone()
    }
}

/// The number of action sequences of this length, at least 1. `list` returns the actions of a
/// position.
pub fn count<T: Player>(tree: &T, depth: usize, list: &impl Fn(&T) -> Vec<String>) -> u64 {
    let actions = list(tree);
    if depth == 1 {
        return actions.len() as u64;
    }
    actions.iter().map(|action| count(&tree.after(action), depth - 1, list)).sum()
}
