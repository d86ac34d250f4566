//! The configuration of a self-play run.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::PathBuf;

use darkqi_engine::agents::AgentSpec;
use darkqi_env::Options;
use darkqi_format::Openings;

use crate::threads::all_threads;

/// The default number of games per shard: some tens of megabytes in memory.
pub const SHARD_GAMES: u64 = 5000;

/// A run of self-play: what is played, and where it is written.
#[derive(Clone, Debug)]
pub struct Config {
    /// The game's name in the registry.
    pub game: String,
    /// Its options, the rest at their defaults.
    pub options: Options,
    /// One agent per seat, or one for all seats.
    pub agents: Vec<AgentSpec>,
    /// Number of games, at least 1. With `until`, the greatest number.
    pub games: u64,
    /// The seed of the run. Game k depends on the configuration and on k alone.
    pub seed: u64,
    /// Whether every deal is played once per rotation of the agents over the seats, so that the
    /// luck of the deal cancels out. These games share a `deal_id`. `games` counts each of them and
    /// must be a multiple of the number of seats.
    pub duplicate: bool,
    /// How games begin, besides the deal. The games of a deal begin alike.
    pub openings: Openings,
    /// Number of threads that play.
    pub threads: NonZeroUsize,
    /// Number of games in a shard, at least 1; the games of a shard are at most 10,000,000. It is
    /// rounded up to whole deals.
    pub shard_games: u64,
    /// A half-width. The run ends after the first shard that brings the 95 % interval of the first
    /// revealer's score (where nothing is covered, the first mover's) down to it. The interval is
    /// valid at all times together (an anytime-valid confidence sequence). The agent must play
    /// itself.
    pub until: Option<f64>,
    /// Whether `until` is about the luck-adjusted score. Some pieces of the game must be covered.
    pub luck_adjusted: bool,
    /// Whether to write the training rows of all plies, too, once all games are played: files for
    /// readers without darkqi.
    pub observations: bool,
    /// Whether to resume the run in the dataset's folder, if there is one. Its settings must be
    /// these. `threads` may differ, and `games`, `until` and `luck_adjusted` may as long as the result
    /// is that of a run with the new values.
    pub resume: bool,
    /// Play only these shards of the run, counted from 0. Other processes, on this machine or
    /// others, may play shards in the same folder at the same time; none of them takes a lock. What
    /// lies there is not in the dataset's list before [`finish`](super::finish()) is called. The
    /// folder may hold a dataset whose settings are these, the number of games included, whether
    /// `resume` is set or not. Not possible with `until`, with `observations`, and with agents that
    /// play by the clock or are programs.
    pub shards: Option<Range<u64>>,
    /// The dataset's folder, which is created, or its URL in object storage. It must not hold a
    /// dataset unless `resume` or `shards` is set.
    pub dir: PathBuf,
}

impl Config {
    /// A run of a thousand random games with default options on all cores.
    pub fn new(game: impl Into<String>, dir: impl Into<PathBuf>) -> Self {
        Self {
            game: game.into(),
            options: Options::new(),
            agents: vec!["random".parse().expect("the random agent is registered")],
            games: 1000,
            seed: 0,
            duplicate: false,
            openings: Openings::default(),
            threads: all_threads(),
            shard_games: SHARD_GAMES,
            until: None,
            luck_adjusted: false,
            observations: false,
            resume: false,
            shards: None,
            dir: dir.into(),
        }
    }
}
