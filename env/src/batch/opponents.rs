//! Seats of a batch that its caller does not play.

use std::fmt::Debug;

use crate::board::Action;
use crate::game::Player;
use crate::games::Registered;

/// Plays all seats of a batch's games but one.
///
/// Its methods are called within a step, on any thread. They must depend on nothing but their
/// arguments, `seed` being the game's: then the same seed and the same actions of the caller give the
/// same game.
pub trait Opponents<G: Registered>: Debug + Send + Sync {
    /// The caller's seat in the game with this seed.
    fn caller(&self, rules: &G, seed: u64) -> Player;

    /// A legal action of the mover, whose seat is not the caller's.
    fn choose(&self, rules: &G, state: &G::State, seed: u64) -> Action;
}
