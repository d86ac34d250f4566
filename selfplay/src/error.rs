//! What can go wrong with a run of self-play.

use std::path::PathBuf;

use darkqi_env::SetupError;
use thiserror::Error;

use crate::agents::AgentError;
use crate::mismatch::Mismatch;

/// What can go wrong with a run of self-play or a replay.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// No such game or option, or a value out of range.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// An agent that cannot be had.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// A dataset that cannot be written or read.
    #[error(transparent)]
    Dataset(#[from] darkqi_datasets::Error),
    /// A dataset that does not say how to go on with it.
    #[error(
        "{}: its dataset.json has no `run`, without which it cannot be gone on with",
        dir.display()
    )]
    NoRun {
        /// The dataset's folder.
        dir: PathBuf,
    },
    /// A dataset whose games were played differently.
    #[error(
        "{} holds a run with other settings: {}",
        dir.display(),
        Mismatch::list(mismatches)
    )]
    OtherRun {
        /// The dataset's folder.
        dir: PathBuf,
        /// In what, at least one setting.
        mismatches: Vec<Mismatch>,
    },
    /// A dataset that holds more games than the run would have.
    #[error(
        "until: {half_width} is reached with game {last}, but {} holds later ones; expected the \
         half-width that it was played for, or a narrower one",
        dir.display()
    )]
    Beyond {
        /// The dataset's folder.
        dir: PathBuf,
        /// The half-width asked for.
        half_width: f64,
        /// The last game of such a run.
        last: u64,
    },
    /// A dataset whose shards are not those of its run.
    #[error("{}, shard {shard}: expected {expected}, found {found}", dir.display())]
    Listing {
        /// The dataset's folder.
        dir: PathBuf,
        /// The shard.
        shard: u32,
        /// What it should hold.
        expected: String,
        /// What it holds.
        found: String,
    },
    /// Stopped before it came to anything.
    #[error("stopped")]
    Stopped,
    /// The wrong number of agents.
    #[error(
        "agents: {game} has {seats} seats; expected {seats} agents or one for all, got {agents}"
    )]
    Seats {
        /// The game.
        game: &'static str,
        /// Number of its seats.
        seats: usize,
        /// Number of agents given.
        agents: usize,
    },
    /// A seat that the game does not have.
    #[error("seat {seat}: expected a seat from 0 to {last}", last = seats - 1)]
    Seat {
        /// What was asked for.
        seat: usize,
        /// Number of seats.
        seats: usize,
    },
    /// A number in the configuration that cannot be used.
    #[error("{field}: expected {expected}, got {found}")]
    Config {
        /// The field of [`Config`](crate::Config).
        field: &'static str,
        /// What was given.
        found: u64,
        /// What can be used.
        expected: String,
    },
    /// Different agents, of which no one score can be settled.
    #[error("until: expected an agent against itself, found {}", agents.join(" against "))]
    Until {
        /// The agents.
        agents: Vec<String>,
    },
    /// A score that cannot be settled so.
    #[error(transparent)]
    Analysis(#[from] darkqi_datasets::analysis::Error),
    /// The threads could not be started.
    #[error("threads: cannot start {threads}: {cause}")]
    Threads {
        /// How many.
        threads: usize,
        /// Why not.
        cause: String,
    },
    /// A choice in a game that is over.
    #[error("agent {agent}: expected a game with something to choose, but it is over ({reason})")]
    Over {
        /// Who was asked.
        agent: String,
        /// How the game ended.
        reason: &'static str,
    },
    /// An agent chose an action that is not legal.
    #[error("game {game_id}, ply {ply}: agent {agent} chose action {action}, which is not legal")]
    IllegalAction {
        /// The game.
        game_id: u64,
        /// The ply.
        ply: u16,
        /// The agent.
        agent: String,
        /// The action's index.
        action: u16,
    },
}
