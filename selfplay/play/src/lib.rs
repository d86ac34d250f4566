//! Games between agents: self-play, matches, studies, and what is computed from logged games.
//!
//! The source is laid out in rooms; each uses only those above it:
//!
//! | room | what lives there |
//! | --- | --- |
//! | [`threads`] | the threads of a call |
//! | [`seeds`] | seeds as people give them, and new ones |
//! | [`variants`] | rules from files |
//! | [`options`] | options as people give them, declared once |
//! | [`reporting`] | progress, scores, settings that differ, endings in words |
//! | `transcript` | the record of a game, ply by ply |
//! | [`openings`] | how games begin |
//! | [`replay`] | logged games played again |
//! | [`learning`] | what value nets are fitted to |
//! | [`luck`] | what reveals of logged games were worth |
//! | [`generation`], [`verify`] | runs of games, self-play among them, and whole datasets verified |
//! | [`opponents`] | agents in games that a caller steps |
//! | [`recorder`] | such games logged |
//! | [`play`] | games between people and agents |
//! | [`arena`] | agents against one another, with ratings and a sequential test |
//! | [`balance`] | piece values by self-play |
//! | [`report`] | datasets as a page of HTML |
//! | [`studies`] | many runs that answer one question |
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use darkqi_engine::agents::AgentSpec;
//! use darkqi_format::Dataset;
//! use darkqi_play::generation::{Job, selfplay};
//!
//! # let folder = tempfile::tempdir()?;
//! # let dir = folder.path().join("games");
//! let agents = AgentSpec::parse_list("random")?;
//! let job = Job { games: 20, dir: Some(dir.clone()), ..Job::new("gaiqi", agents) };
//! let summary = selfplay(&job, &(), &AtomicBool::new(false))?;
//! assert_eq!(summary.games, 20);
//! assert_eq!(Dataset::open(&dir)?.num_games(), 20);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod arena;
pub mod balance;
mod error;
pub mod generation;
pub mod learning;
pub mod luck;
pub mod openings;
pub mod opponents;
pub mod options;
pub mod play;
pub mod recorder;
pub mod replay;
pub mod report;
pub mod reporting;
pub mod seeds;
pub mod studies;
pub mod threads;
mod transcript;
pub mod variants;
pub mod verify;

pub use error::Error;
