//! Agents, self-play and the command line.
//!
//! Every public item is at the root or in [`arena`], [`balance`], [`report`], [`studies`] or [`cli`].
//! The source is laid out in rooms; each uses only those above it:
//!
//! | room | what lives there |
//! | --- | --- |
//! | `raster` | drawings as pixels |
//! | `threads` | the threads of a call |
//! | `seeds` | seeds as people give them, and new ones |
//! | `reporting` | progress, scores, settings that differ, endings in words |
//! | `driver` | the loop in which games are played, and what it asks of an agent |
//! | `tables` | endgame tables: what is solved |
//! | `small_boards` | banqi on boards so small that it can be solved |
//! | `evaluation` | what a position and its pieces are worth, without search |
//! | `nets` | nets from files |
//! | `search` | game-tree searches |
//! | `engines` | programs that speak UCI |
//! | `agents` | the registry of agents, agents as text |
//! | `openings` | how games begin |
//! | `replay` | logged games played again |
//! | `learning` | what value nets are fitted to |
//! | `luck` | what reveals of logged games were worth |
//! | `generation`, `verify` | self-play into datasets, and whole datasets verified |
//! | `opponents` | agents in games that a caller steps |
//! | `recorder` | such games logged |
//! | `play` | games between people and agents |
//! | [`arena`] | agents against one another, with ratings and a sequential test |
//! | [`balance`] | piece values by self-play |
//! | [`report`] | datasets as a page of HTML |
//! | [`studies`] | many runs that answer one question |
//! | `serve` | the page in the browser |
//! | `bench` | how fast batches step |
//! | `uci` | the search behind UCI |
//! | [`cli`] | the `darkqi` command |
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

mod agents;
pub mod arena;
pub mod balance;
mod bench;
pub mod cli;
mod driver;
mod engines;
mod error;
mod evaluation;
mod generation;
mod learning;
mod luck;
mod nets;
mod openings;
mod opponents;
mod play;
mod raster;
mod recorder;
mod replay;
pub mod report;
mod reporting;
mod search;
mod seeds;
mod serve;
mod small_boards;
pub mod studies;
mod tables;
mod threads;
mod uci;
mod verify;

pub use agents::{
    AgentError, AgentInfo, AgentOption, AgentSpec, COMMON_OPTIONS, Greedy, Policy, PolicyDecisions,
    PolicyFault, Random, agent_options, agents, baseline_net,
};
pub use driver::{Agent, AgentFailure, Decision, NEVER, Request};
pub use error::Error;
pub use evaluation::{Evaluation, EvaluationFileError, PieceValues, ValueNet, Weights};
pub use generation::{
    Config, Finished, Lengths, SHARD_GAMES, Standing, Summary, Surveyed, finish, kept_games, list,
    prepare, selfplay, survey,
};
pub use learning::{Positions, Sampling, value_positions};
pub use luck::reveal_judge;
pub use nets::{Block, set_onnx_library};
pub use openings::{OpeningError, check_openings, read_openings};
pub use opponents::{
    CallerSeat, Stopped, batch_against, batch_against_until, choose, choose_until,
};
pub use raster::{Bitmap, bitmap, png, write_gif};
pub use recorder::{Recorder, Recording};
pub use replay::{
    Difference, ReplayedGame, ReplayedPly, ReplayedPosition, Replayer, replay, replay_seen_by,
};
pub use reporting::{Bar, Mismatch, Progress};
pub use search::{Expectimax, Ismcts, Limits, SearchResult, Visits};
pub use seeds::new_seed;
pub use small_boards::{SmallBoard, SmallBoardError, Solution, SolvedAction, SolvedReveal};
pub use tables::{GeneratedTables, TableValue, Tables, TablesError, TablesOfSize, generate_tables};
pub use threads::{Completion, all_threads};
pub use verify::{Fault, Verification, VerificationParts, verify, verify_part};
