//! Seats of a batch that its caller does not play.

use std::error::Error;
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

    /// Adds a legal action for each position, whose mover is not the caller's seat.
    ///
    /// # Errors
    /// If there is a position without one.
    fn choose(
        &self,
        rules: &G,
        positions: &[OpponentTurn<'_, G>],
        actions: &mut Vec<Action>,
    ) -> Result<(), OpponentFailure>;

    /// The number of lanes that are best stepped together.
    fn batch_size(&self) -> usize;
}

/// A position in which an opponent is to move.
#[derive(Debug)]
pub struct OpponentTurn<'a, G: Registered> {
    /// The position.
    pub state: &'a G::State,
    /// The game's seed.
    pub seed: u64,
}

/// Opponents could not choose.
#[derive(Debug)]
pub struct OpponentFailure {
    /// The number of the first position concerned.
    pub position: usize,
    /// The reason.
    pub cause: Box<dyn Error + Send + Sync>,
}
