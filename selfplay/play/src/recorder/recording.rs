//! A recording: what is logged, and where.

use std::path::PathBuf;

use darkqi_env::Options;

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
