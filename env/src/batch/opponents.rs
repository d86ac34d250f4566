//! Seats of a batch that its caller does not play.

use std::any::Any;
use std::error::Error;
use std::fmt::Debug;

use crate::board::Action;
use crate::game::Player;

/// Plays all seats of a batch's games but one.
///
/// Its methods are called within a step, on any thread. They must depend on nothing but their
/// arguments, `seed` being the game's: then the same seed and the same actions of the caller give the
/// same game.
pub trait Opponents: Debug + Send + Sync {
    /// The caller's seat in the game with this seed.
    fn caller(&self, seed: u64) -> Player;

    /// Adds a legal action for each position, whose mover is not the caller's seat.
    ///
    /// # Errors
    /// If there is a position without one.
    fn choose(
        &self,
        positions: &[OpponentTurn<'_>],
        actions: &mut Vec<Action>,
    ) -> Result<(), OpponentFailure>;

    /// The number of lanes that are best stepped together.
    fn batch_size(&self) -> usize;
}

/// A position in which an opponent is to move.
#[derive(Debug)]
pub struct OpponentTurn<'a> {
    /// The position, a state of the batch's game.
    pub state: &'a dyn Any,
    /// The legal actions, ascending.
    pub legal: Vec<Action>,
    /// Plies since the deal.
    pub ply: u16,
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
