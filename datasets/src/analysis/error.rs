//! What can keep an estimator from an answer.

use std::io;

use darkqi_env::SetupError;
use thiserror::Error;

/// [`std::result::Result`] with this module's [`enum@Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// What can keep an estimator from an answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// A number that the estimator cannot use: mostly one that is not finite.
    #[error("{what}: expected {expected}, found {found}")]
    Value {
        /// What the number stands for.
        what: &'static str,
        /// What was expected of it.
        expected: &'static str,
        /// The number.
        found: f64,
    },

    /// More or fewer numbers than the estimator was set up for.
    #[error("{what}: expected {expected}, found {found}")]
    Count {
        /// What is counted.
        what: &'static str,
        /// How many there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },

    /// Too few clusters to tell how clusters differ.
    #[error("expected rows of at least 2 clusters, found {found}")]
    Clusters {
        /// The number of clusters.
        found: u64,
    },

    /// Nothing that could be estimated.
    #[error("expected at least one column whose coefficient the rows tell, found none of {width}")]
    NotIdentified {
        /// The number of columns.
        width: usize,
    },

    /// An ordered model was asked for, but an outcome never occurred.
    #[error("expected losses, draws and wins, found no {outcome}; a logit needs no draws")]
    Outcome {
        /// `loss`, `draw` or `win`.
        outcome: &'static str,
    },

    /// The columns tell some outcomes without error, so that the likeliest coefficients are infinite.
    #[error(
        "the likeliest coefficients are infinite: column {column} takes part in telling some outcomes for certain"
    )]
    Separated {
        /// The column that takes the greatest part in it.
        column: usize,
    },

    /// The same, by the column's name.
    #[error(
        "the likeliest values are infinite: `{name}` takes part in telling some results for certain; more games help"
    )]
    SeparatedBy {
        /// The column.
        name: String,
    },

    /// The likelihood's maximum was not found.
    #[error("expected the likelihood to settle, but it still rises after {iterations} iterations")]
    NotConverged {
        /// How many iterations were tried.
        iterations: u32,
    },

    /// The rows could not be read, or not be kept in their temporary file.
    #[error("cannot keep or read the rows: {0}")]
    Rows(#[from] io::Error),

    /// The dataset cannot be read.
    #[error(transparent)]
    Dataset(#[from] crate::Error),

    /// The dataset's game or one of its options does not exist.
    #[error(transparent)]
    Setup(#[from] SetupError),

    /// The dataset is not of an agent against itself.
    #[error(
        "expected games of an agent against itself, found {}",
        if agents.is_empty() { "no agent".to_owned() } else { agents.join(" against ") }
    )]
    Agents {
        /// The agents that took part.
        agents: Vec<String>,
    },

    /// The dataset holds no games.
    #[error("expected at least one game, found none")]
    NoGames,

    /// Its games hold no positions to learn from.
    #[error(
        "expected quiet positions, before and after which nothing is taken, found none in {games} games"
    )]
    NoPositions {
        /// How many games were looked at.
        games: u64,
    },

    /// Games on one deal do not stand together, so that they would pass for independent.
    #[error(
        "deal {pair_id}: expected its games next to each other in one shard, found some elsewhere"
    )]
    SplitDeal {
        /// The deal.
        pair_id: u64,
    },

    /// A game cannot have gone as it is logged.
    #[error("game {game_id}: {fault}")]
    Game {
        /// The game.
        game_id: u64,
        /// What is wrong with it.
        fault: String,
    },

    /// Stopped before the end.
    #[error("stopped")]
    Stopped,
}

impl Error {
    /// Whether the games can be read but do not tell the figure.
    pub fn is_inconclusive(&self) -> bool {
        matches!(
            self,
            Self::Clusters { .. }
                | Self::NotIdentified { .. }
                | Self::Outcome { .. }
                | Self::Separated { .. }
                | Self::SeparatedBy { .. }
                | Self::NoPositions { .. }
                | Self::NotConverged { .. }
        )
    }

    /// # Errors
    /// If the number is not finite.
    pub(super) fn check_finite(what: &'static str, found: f64) -> Result<()> {
        let fault = || Self::Value { what, expected: "a finite number", found };
        found.is_finite().then_some(()).ok_or_else(fault)
    }

    /// # Errors
    /// If the counts differ.
    pub(super) fn check_equal(what: &'static str, expected: usize, found: usize) -> Result<()> {
        let fault = || Self::Count { what, expected, found };
        (expected == found).then_some(()).ok_or_else(fault)
    }
}
