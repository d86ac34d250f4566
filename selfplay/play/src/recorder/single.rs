//! Single games, added to a dataset one by one.

use darkqi_env::Trajectory;

use super::dataset::ShardWriter;
use super::recording::Recording;
use crate::error::Error;

/// Creates the dataset of a recording if there is none, and checks that games can be added to it.
///
/// # Errors
/// If there is no such game or option, the dataset cannot be written, or it is another one.
pub fn prepare(recording: Recording) -> Result<(), Error> {
    ShardWriter::open(recording)?.complete()
}

/// Adds a game to the dataset of a recording. Returns its number there.
///
/// # Errors
/// As [`prepare`], and if it is no game by the rules.
pub fn add(recording: Recording, game: Trajectory) -> Result<u64, Error> {
    ShardWriter::open(recording)?.add(game)
}
