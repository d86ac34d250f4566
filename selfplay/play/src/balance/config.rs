//! The configuration of a balancing run.

use std::path::PathBuf;

use clap::Args;
use darkqi_analysis::piece_values::POSITIONS_PER_GAME;
use darkqi_engine::agents::AgentSpec;

use crate::generation::Job;
use crate::options::{Elos, at_least_1, defaults, elos};

/// The configuration of a balancing run.
#[derive(Clone, Debug, Args)]
pub struct Balance {
    /// The job whose options rounds and test have. It has one agent, which plays itself and must read piece
    /// values; its own are the initial ones. Its games are those of a round. Its folder must not exist; it
    /// gets a dataset and a file of values per round, and the final values as `values.toml`. Round k depends
    /// on its seed, on k and on the rounds before.
    #[arg(skip)]
    pub job: Job,
    /// Greatest number of rounds, at least 1
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = at_least_1::<u32>)]
    pub rounds: u32,
    /// The values have converged when the games show that none changes by more than this fraction of
    /// itself or, for those below the mean of all kinds, of that mean: the interval of each fitted value lies
    /// that near to the value that was played (a test of equivalence). Above 0 and at most 1
    #[arg(long, value_name = "FRACTION", default_value_t = 0.2)]
    pub margin: f64,
    /// Greatest number of positions sampled from a game, at least 1
    #[arg(long, value_name = "N", default_value_t = POSITIONS_PER_GAME,
        value_parser = at_least_1::<usize>)]
    pub positions: usize,
    /// The two Elo differences that the test of the fitted values against the initial ones decides between
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true, value_parser = elos,
        default_value = "-20,0")]
    pub sprt: Elos,
    /// Greatest number of games of the test, at least 1
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = at_least_1::<u64>)]
    pub test_games: u64,
}

impl Balance {
    /// The default number of games of a round.
    pub const GAMES: u64 = 10_000;

    /// Rounds of ten thousand games on all cores, and a test whether the fitted values are 20 Elo worse or
    /// equally good.
    pub fn new(game: impl Into<String>, agent: AgentSpec, dir: impl Into<PathBuf>) -> Self {
        let job = Job { games: Self::GAMES, dir: Some(dir.into()), ..Job::new(game, vec![agent]) };
        Self { job, ..defaults() }
    }
}
