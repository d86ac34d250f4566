//! Observers of plies.

use std::time::Duration;

use darkqi_engine::agent::Decision;
use darkqi_env::{Action, Registered};

/// A ply that is about to be played.
#[derive(Debug)]
pub(crate) struct Ply<'a, G: Registered> {
    /// The position before it.
    pub(crate) state: &'a G::State,
    /// The actions that were legal.
    pub(crate) legal: &'a [Action],
    /// The decision, whose action is one of these.
    pub(crate) decision: &'a Decision,
    /// The time that the decision took: an equal share of the time for all positions that were
    /// decided together. Zero unless they are timed.
    pub(crate) time: Duration,
}

/// Follows one game.
pub(crate) trait Observer<G: Registered> {
    /// A legal action is about to be played.
    fn before(&mut self, rules: &G, ply: &Ply<'_, G>);
}

/// Nothing is observed.
impl<G: Registered> Observer<G> for () {
    fn before(&mut self, _: &G, _: &Ply<'_, G>) {}
}
