//! A batch of any game, behind one object-safe trait.

use super::config::{BatchConfig, Reset};
use super::rows::{RowLengths, Rows};
use crate::error::BatchError;
use crate::game::Viewer;
use crate::session::AnyState;
use crate::spec::Spec;

/// The caller's values and policies of a step, for the log. Rows of lanes whose game is over are
/// ignored.
#[derive(Clone, Copy, Debug, Default)]
pub struct Decisions<'a> {
    /// N × P numbers from -1 to 1: the expected result of each seat, in seat order.
    pub value: Option<&'a [f32]>,
    /// N × A probabilities of the actions, 0 for illegal ones. Each row adds up to 1.
    pub policy: Option<&'a [f32]>,
}

/// A batch of a game that is chosen at run time.
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

    /// Whether [`reset_lanes`](Self::reset_lanes) can be called.
    ///
    /// # Errors
    /// If `resets` has the wrong length, or keeps lanes of a step that failed.
    fn check_resets(&self, resets: &[Reset]) -> Result<(), BatchError>;

    /// Resets some lanes, as `resets` says for each, and writes all rows. Lanes with [`Reset::Keep`]
    /// keep their rewards and flags in the rows.
    ///
    /// # Errors
    /// As [`check_resets`](Self::check_resets), or if a buffer has the wrong length; nothing is changed
    /// then.
    fn reset_lanes(&mut self, resets: &[Reset], rows: Rows<'_>) -> Result<(), BatchError>;

    /// Plays one action in every lane and writes all rows. [`BatchConfig::autoreset`] says when a
    /// lane whose game has ended deals its next game.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare) and [`play`](Self::play).
    fn step(&mut self, actions: &[i64], rows: Rows<'_>) -> Result<(), BatchError> {
        self.prepare(actions, Decisions::default())?;
        self.play(rows)
    }

    /// Checks the actions of the next step, and what is logged with them, for [`play`](Self::play). No
    /// game is changed. Another call replaces what this one has prepared, and a reset drops it.
    ///
    /// # Errors
    /// If an action is illegal and [`BatchConfig::illegal`] is [`Illegal::Refuse`], if a lane waits
    /// for its reset, if opponents did not finish the step before, if a length differs, or if decisions
    /// cannot be logged.
    ///
    /// [`Illegal::Refuse`]: super::Illegal::Refuse
    fn prepare(&mut self, actions: &[i64], decisions: Decisions<'_>) -> Result<(), BatchError>;

    /// Plays the step that was prepared and writes all rows.
    ///
    /// # Errors
    /// If a buffer has the wrong length: nothing is changed then. If opponents do not play on, or games
    /// that ended cannot be logged.
    ///
    /// # Panics
    /// If no step is prepared.
    fn play(&mut self, rows: Rows<'_>) -> Result<(), BatchError>;

    /// Refuses all further steps until all lanes are reset, as after a step that opponents did not
    /// finish: for callers who lost the rows of a step.
    fn tear(&mut self);

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
