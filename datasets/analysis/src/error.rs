//! Errors of the estimators.

use std::io;
use std::ops::Range;

use darkqi_env::SetupError;
use thiserror::Error;

/// [`std::result::Result`] with this module's [`enum@Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// An error of an estimator.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages name the fields")]
pub enum Error {
    /// A number is out of range, mostly because it is not finite.
    #[error("{what}: expected {expected}, found {found}")]
    Value { what: &'static str, expected: &'static str, found: f64 },

    /// There are more or fewer numbers than expected.
    #[error("{what}: expected {expected}, found {found}")]
    Count { what: &'static str, expected: usize, found: usize },

    /// There are too few clusters to estimate a variance between them.
    #[error("expected rows of at least 2 clusters, found {found}")]
    Clusters { found: u64 },

    /// There are too few rows for the coefficients and cut points.
    #[error(
        "expected more than {parameters} rows, as many as there are coefficients and cut points, found \
         {found}; more games help"
    )]
    FewRows { parameters: usize, found: u64 },

    /// No coefficient is identified.
    #[error("expected at least one identified coefficient, found none of {width}")]
    NotIdentified { width: usize },

    /// An ordered model needs all three outcomes, and one never occurs.
    #[error("expected losses, draws and wins, found no {outcome}; a logit needs no draws")]
    Outcome { outcome: &'static str },

    /// Complete or quasi-complete separation: a combination of columns predicts some outcomes with
    /// certainty, so that the maximum of the likelihood is at infinity (Albert and Anderson, "On
    /// the existence of maximum likelihood estimates in logistic regression models", 1984).
    #[error(
        "the likelihood has no finite maximum: column {column} helps to predict some outcomes with certainty"
    )]
    Separated { column: usize },

    /// [`Error::Separated`], with the column's name.
    #[error(
        "the likelihood has no finite maximum: `{name}` helps to predict some results with certainty; more games help"
    )]
    SeparatedBy { name: String },

    /// Newton's method did not converge.
    #[error("the likelihood did not converge in {iterations} iterations")]
    NotConverged { iterations: u32 },

    /// The rows cannot be read, or not be written to their temporary file.
    #[error("cannot store or read the rows: {cause}")]
    Rows { cause: io::Error },

    /// The dataset cannot be read.
    #[error(transparent)]
    Dataset(darkqi_format::Error),

    /// The dataset's game or one of its options does not exist.
    #[error(transparent)]
    Setup(#[from] SetupError),

    /// The dataset is not one of an agent playing itself.
    #[error(
        "expected games of an agent against itself, found {}",
        if agents.is_empty() { "no agent".to_owned() } else { agents.join(" against ") }
    )]
    Agents { agents: Vec<String> },

    /// The dataset holds no games.
    #[error("expected at least one game, found none")]
    NoGames,

    /// The games have no quiet positions.
    #[error(
        "expected quiet positions (no capture in the ply before and after), found none in {games} games"
    )]
    NoPositions { games: u64 },

    /// A unit of a kind that the game does not have.
    #[error("unit: expected kinds of {game} out of {kinds}, got {kind}")]
    UnknownKind { kind: char, game: &'static str, kinds: String },

    /// A game without covered pieces is to be divided by them.
    #[error("phases by covered pieces: nothing is covered in {game}; expected phases by pieces")]
    NothingCovered { game: &'static str },

    /// The pieces of a game without regions are to be told apart by them.
    #[error(
        "regions: the board of {game} has none that its players name; expected another game, or the values without regions"
    )]
    NoRegions { game: &'static str },

    /// The luck-adjusted score of a game without covered pieces is to decide when to stop.
    #[error("luck_adjusted: nothing is covered in {game}; expected a game with covered pieces")]
    NoLuck { game: &'static str },

    /// The games of one deal are not adjacent in one shard, so that they would be taken for
    /// independent.
    #[error("deal {deal_id}: expected its games to be adjacent in one shard, found some elsewhere")]
    SplitDeal { deal_id: u64 },

    /// A dataset lacks a deal that others have, or has several games on one.
    #[error(
        "expected a game on each of the deals from 0 on, found none, or another one, on deal {deal} of dataset {dataset}"
    )]
    MissingDeal {
        deal: u64,
        /// The place of the dataset among those compared.
        dataset: usize,
    },

    /// The dataset has no such shards.
    #[error("shards: expected a range within 0..{shards}, found {found:?}")]
    Shards { found: Range<usize>, shards: usize },

    /// A result of another process that cannot be used.
    #[error("a part of another process: {fault}")]
    Part { fault: String },

    /// A game contradicts the rules.
    #[error("game {game_id}: {fault}")]
    Game { game_id: u64, fault: String },

    /// The analysis was stopped.
    #[error("stopped")]
    Stopped,
}

impl From<io::Error> for Error {
    fn from(cause: io::Error) -> Self {
        Self::Rows { cause }
    }
}

impl From<darkqi_format::Error> for Error {
    fn from(error: darkqi_format::Error) -> Self {
        match error {
            darkqi_format::Error::Stopped => Self::Stopped,
            error => Self::Dataset(error),
        }
    }
}

impl Error {
    /// Whether the games are valid but do not identify the estimate.
    pub fn is_inconclusive(&self) -> bool {
        matches!(
            self,
            Self::Clusters { .. }
                | Self::FewRows { .. }
                | Self::NotIdentified { .. }
                | Self::Outcome { .. }
                | Self::Separated { .. }
                | Self::SeparatedBy { .. }
                | Self::NoPositions { .. }
                | Self::NothingCovered { .. }
                | Self::NoRegions { .. }
                | Self::UnknownKind { .. }
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
