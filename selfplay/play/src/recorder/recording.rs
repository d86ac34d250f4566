//! What is logged, and where; games that were played apart from a batch, added one by one.

use std::path::PathBuf;

use darkqi_env::{Options, Trajectory};

use super::dataset::ShardWriter;
use crate::error::Error;
use crate::generation::SHARD_GAMES;

/// A recording: what is logged, and where.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The game's name in the registry.
    pub game: String,
    /// Its options, the rest at their defaults.
    pub options: Options,
    /// The dataset's folder. It is created, or must hold a dataset of the same game, options and
    /// agents that was recorded, too; its games stay.
    pub dir: PathBuf,
    /// The seed of the batch.
    pub seed: u64,
    /// The name of the caller's agent.
    pub caller: String,
    /// The agent of all other seats, if the caller has one seat.
    pub opponent: Option<String>,
    /// Number of games in a shard, at least 1.
    pub shard_games: u64,
}

impl Recording {
    /// A recording of all seats.
    pub fn new(game: impl Into<String>, dir: impl Into<PathBuf>) -> Self {
        Self {
            game: game.into(),
            options: Options::new(),
            dir: dir.into(),
            seed: 0,
            caller: "caller".to_owned(),
            opponent: None,
            shard_games: SHARD_GAMES,
        }
    }
}

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
