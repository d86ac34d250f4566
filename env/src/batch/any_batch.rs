//! A batch of any game, behind one object-safe trait.

use super::config::{BatchConfig, Reset};
use super::rows::{RowLengths, Rows};
use crate::error::BatchError;
use crate::game::Viewer;
use crate::session::AnyState;
use crate::spec::Spec;

/// A [`Batch`](super::Batch) of a game that is chosen at run time.
pub trait AnyBatch: Send + Sync {
    /// The game and its options.
    fn spec(&self) -> Spec;

    /// The configuration of the batch.
    fn config(&self) -> &BatchConfig;

    /// Bytes and elements of each row.
    fn lengths(&self) -> RowLengths;

    /// Deals a new game in every lane and writes all rows. With a seed, the games are those of a new
    /// batch with that seed. Without one, the first call shows the games that the batch was made
    /// with, and later calls deal the next game of each lane.
    ///
    /// # Errors
    /// If a buffer has the wrong length; nothing is changed then.
    fn reset(&mut self, seed: Option<u64>, rows: Rows<'_>) -> Result<(), BatchError>;

    /// Resets some lanes, as `resets` says for each, and writes all rows. Lanes with [`Reset::Keep`]
    /// keep their rewards and flags in the rows.
    ///
    /// # Errors
    /// If `resets` or a buffer has the wrong length; nothing is changed then.
    fn reset_lanes(&mut self, resets: &[Reset], rows: Rows<'_>) -> Result<(), BatchError>;

    /// Plays one action in every lane and writes all rows. [`BatchConfig::autoreset`] says when a
    /// lane whose game has ended deals its next game.
    ///
    /// # Errors
    /// If an action is illegal and [`BatchConfig::illegal`] is [`Illegal::Refuse`], if a lane waits
    /// for its reset, or if a buffer has the wrong length; nothing is changed then.
    ///
    /// [`Illegal::Refuse`]: super::Illegal::Refuse
    fn step(&mut self, actions: &[i64], rows: Rows<'_>) -> Result<(), BatchError>;

    /// Refuses all further steps until all lanes are reset, as after a step that opponents did not
    /// finish: for callers who lost the rows of a step.
    fn tear(&mut self);

    /// Checks that [`step`](Self::step) would play these actions. No game is changed.
    ///
    /// # Errors
    /// As those of [`step`](Self::step).
    fn check_actions(&mut self, actions: &[i64]) -> Result<(), BatchError>;

    /// Says what the caller thinks of the actions of the next step, for the log: the expected result of
    /// each seat, N × P values in seat order, and probabilities of actions, N × A, each lane's adding
    /// up to 1. Those of lanes whose game is over are ignored.
    ///
    /// # Errors
    /// If games are not logged, a length differs, a value is no finite number, or the numbers are no
    /// probabilities of legal actions. Nothing is kept then.
    fn annotate(&mut self, value: Option<&[f32]>, policy: Option<&[f32]>)
    -> Result<(), BatchError>;

    /// Takes back what [`annotate`](Self::annotate) said of a step that was not played.
    fn retract(&mut self);

    /// Writes the observation of every lane from a viewer's side.
    ///
    /// # Errors
    /// If the seat does not exist or the buffer has the wrong length.
    fn observe(&self, viewer: Viewer, out: &mut [u8]) -> Result<(), BatchError>;

    /// Writes what lies covered in every lane: a byte per square, the token that the piece would have
    /// face up in the lane's observation, 0 where nothing is covered. No observation has it: a policy
    /// that sees it cheats.
    ///
    /// # Errors
    /// If the buffer has the wrong length.
    fn covered_pieces(&self, out: &mut [u8]) -> Result<(), BatchError>;

    /// Samples a uniformly random legal action for every lane from the random stream of its game; 0
    /// where the game is over. Each call takes the next number of each stream.
    ///
    /// # Errors
    /// If the buffer has the wrong length.
    fn sample_actions(&mut self, out: &mut [i64]) -> Result<(), BatchError>;

    /// A copy of one lane's game; none if the lane does not exist.
    fn state(&self, lane: usize) -> Option<Box<dyn AnyState>>;

    /// The seed of each lane's current game: a single game dealt with it is the same.
    fn seeds(&self) -> Vec<u64>;
}
