//! The configuration of a match.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::PathBuf;

use darkqi_engine::agents::AgentSpec;
use darkqi_env::Options;

use super::sprt::Sprt;
use crate::threads::all_threads;

/// A match: all pairs of agents play the same duplicate deals.
#[derive(Clone, Debug)]
pub struct Match {
    /// The game's name in the registry.
    pub game: String,
    /// Its options, the rest at their defaults.
    pub options: Options,
    /// At least two agents, all different as text. Ratings are relative to the first.
    pub agents: Vec<AgentSpec>,
    /// Games per pair of agents, at least 1. They are rounded up to whole blocks.
    pub games: u64,
    /// The seed of the match. A block depends on it and on the block's number.
    pub seed: u64,
    /// Number of threads that play.
    pub threads: NonZeroUsize,
    /// Positions to begin with, one of which is drawn per block: [`Openings::lines`]. None: the deal.
    ///
    /// [`Openings::lines`]: darkqi_datasets::Openings::lines
    pub openings: Vec<String>,
    /// Names of pieces that are taken off: [`Openings::remove`].
    ///
    /// [`Openings::remove`]: darkqi_datasets::Openings::remove
    pub remove: Vec<String>,
    /// Uniformly random plies before the agents take over, the same in all games of a block. The
    /// default is 0 where deals or openings differ, otherwise 2 per seat.
    pub random_plies: Option<u32>,
    /// A sequential test of the first of exactly two agents against the second. The match ends once it
    /// is decided, at the latest after `games`.
    pub sprt: Option<Sprt>,
    /// The file in which finished blocks are kept. If it exists, the match is resumed from it.
    pub journal: Option<PathBuf>,
    /// Play only these blocks of all pairs, by their numbers in the order of play: with `n` pairs, the
    /// blocks `k * n` to `k * n + n - 1` are on deal `k`. Other processes may play others, each with a
    /// journal of its own; the lines of one after another are the journal of the match. With an empty
    /// range, the blocks of the journal are counted. Not possible with agents that play by the clock or
    /// are programs.
    pub blocks: Option<Range<u64>>,
}

impl Match {
    /// A match of a thousand games per pair with default options on all cores.
    pub fn new(game: impl Into<String>, agents: Vec<AgentSpec>) -> Self {
        Self {
            game: game.into(),
            options: Options::new(),
            agents,
            games: 1000,
            seed: 0,
            threads: all_threads(),
            openings: Vec::new(),
            remove: Vec::new(),
            random_plies: None,
            sprt: None,
            journal: None,
            blocks: None,
        }
    }
}
