//! Seats that the caller of a batch does not play.

use std::fmt::Debug;

use crate::board::Action;
use crate::game::Player;
use crate::games::Registered;

/// Whoever plays all seats of a batch's games but one.
///
/// They are asked within a step, on any thread. A game is told by its seed, so that the same seed
/// and the same actions of the caller make the same game.
pub trait Opponents<G: Registered>: Debug + Send + Sync {
    /// The caller's seat in the game that has this seed.
    fn caller(&self, rules: &G, seed: u64) -> Player;

    /// A legal action of the mover, whose seat is not the caller's.
    fn choose(&self, rules: &G, state: &G::State, seed: u64) -> Action;
}
