//! Agents, self-play and the command line.
//!
//! - [`agents`]: what an agent is, and the registry of them;
//! - `driver`: the loop in which games are played;
//! - [`config`], [`generate`], [`progress`], [`summary`], [`score`]: self-play into datasets;
//! - [`arena`]: agents against one another, with ratings and tests;
//! - [`choice`]: an agent asked about one game;
//! - [`opponents`]: batches of one seat against an agent;
//! - [`balance`]: piece values by self-play;
//! - [`replay`], [`mod@verify`]: logged games played again and compared, and whole datasets;
//! - `bench`: how fast batches step;
//! - [`cli`]: the `darkqi` command.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use darkqi_datasets::Dataset;
//! use darkqi_selfplay::{Config, selfplay};
//!
//! # let folder = tempfile::tempdir()?;
//! # let dir = folder.path().join("games");
//! let config = Config { games: 20, ..Config::new("gaiqi", &dir) };
//! let summary = selfplay(&config, &(), &AtomicBool::new(false))?;
//! assert_eq!(summary.games, 20);
//! assert_eq!(Dataset::open(&dir)?.num_games(), 20);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod agents;
pub mod arena;
pub mod balance;
mod bench;
pub mod choice;
pub mod cli;
pub mod config;
mod driver;
pub mod error;
pub mod generate;
mod mismatch;
pub mod opponents;
pub mod progress;
pub mod replay;
mod resume;
pub mod score;
mod search;
pub mod summary;
pub mod verify;

pub use agents::{
    Agent, AgentError, AgentInfo, AgentOption, AgentSpec, Decision, PieceValues, Request,
    ValuesError,
};
pub use choice::choose;
pub use config::Config;
pub use error::Error;
pub use generate::selfplay;
pub use mismatch::Mismatch;
pub use opponents::{Seat, batch_against};
pub use progress::{Bar, Progress};
pub use replay::{Difference, Replayer};
pub use score::Score;
pub use search::{Evaluation, Expectimax, Found, Ismcts, Limits, Weights};
pub use summary::{Lengths, Standing, Summary};
pub use verify::{Fault, Verification, verify};
