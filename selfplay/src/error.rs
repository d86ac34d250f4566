//! What can go wrong with a run of self-play.

use darkqi_env::SetupError;
use thiserror::Error;

use crate::agents::AgentError;

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
    /// An agent chose what is not legal.
    #[error("game {game_id}, ply {ply}: agent {agent} chose action {action}, which is not legal")]
    IllegalChoice {
        /// The game.
        game_id: u64,
        /// The ply.
        ply: usize,
        /// The agent.
        agent: String,
        /// The action's index.
        action: u16,
    },
}
