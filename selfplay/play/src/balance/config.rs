//! The configuration of a balancing run.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use darkqi_analysis::piece_values::POSITIONS_PER_GAME;
use darkqi_engine::agents::AgentSpec;
use darkqi_env::Options;

use crate::arena::Sprt;
use crate::threads::all_threads;

/// The configuration of a balancing run.
#[derive(Clone, Debug)]
pub struct Balance {
    /// The game's name in the registry.
    pub game: String,
    /// Its options, the rest at their defaults.
    pub options: Options,
    /// The agent that plays itself. It must read piece values; its own are the initial ones.
    pub agent: AgentSpec,
    /// Games per round.
    pub games: u64,
    /// The greatest number of rounds.
    pub rounds: u32,
    /// The values have converged when the games show that none changes by more than this fraction
    /// of itself or, for those below the mean of all kinds, of that mean: the interval of each
    /// fitted value lies that near to the value that was played (a test of equivalence). Above 0 and at
    /// most 1.
    pub margin: f64,
    /// Positions sampled from a game.
    pub positions: usize,
    /// The seed. Round k depends on it, on k and on the rounds before.
    pub seed: u64,
    /// Number of threads that play.
    pub threads: NonZeroUsize,
    /// The test of the fitted values against the initial ones.
    pub sprt: Sprt,
    /// The greatest number of games of that test.
    pub test_games: u64,
    /// The folder, which must not exist. It gets a dataset and a file of values per round, and the
    /// final values as `values.toml`.
    pub dir: PathBuf,
}

impl Balance {
    /// Rounds of ten thousand games of the greedy agent on all cores, and a test whether the fitted
    /// values are 20 Elo worse or equally good.
    pub fn new(game: impl Into<String>, dir: impl Into<PathBuf>) -> Self {
        Self {
            game: game.into(),
            options: Options::new(),
            agent: "greedy".parse().expect("the greedy agent is registered"),
            games: 10_000,
            rounds: 8,
            margin: 0.2,
            positions: POSITIONS_PER_GAME,
            seed: 0,
            threads: all_threads(),
            sprt: Sprt::new(-20.0, 0.0),
            test_games: 20_000,
            dir: dir.into(),
        }
    }
}
