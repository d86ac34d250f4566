//! Agents against one another on duplicate deals: who is stronger, and how sure is that?
//!
//! All pairs of agents play the same deals. A *block* is one deal with every way of seating the
//! pair; its games share the deal and, where play begins with random plies, these too. What a block
//! gives depends on the match and on its number, not on threads or on what else is played.
//!
//! - `config`, `seats`: what to play, and who sits where in a block;
//! - `opening`, `blocks`, `run`: how it is played;
//! - `journal`, `header`: finished blocks kept in a file, to go on from;
//! - `tally`, `elo`, `sprt`, `ratings`: what the scores say;
//! - `results`: all of that.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use darkqi_selfplay::AgentSpec;
//! use darkqi_selfplay::arena::{self, Decision, Match, Sprt};
//!
//! let agents = AgentSpec::parse_list("greedy,random")?;
//! let config = Match { games: 500, sprt: Some(Sprt::new(0.0, 100.0)), ..Match::new("gaiqi", agents) };
//! let results = arena::play(&config, &(), &AtomicBool::new(false))?;
//! assert!(results.pairs[0].elo.is_some_and(|elo| elo.low > 0.0));
//! assert_eq!(results.sprt.map(|verdict| verdict.decision), Some(Decision::H1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod blocks;
mod config;
mod elo;
mod error;
mod header;
mod journal;
mod opening;
mod ratings;
mod results;
mod run;
mod seats;
mod sprt;
mod tally;

pub use config::Match;
pub use darkqi_datasets::analysis::{Estimate, elo_of_score, score_of_elo};
pub use error::Error;
pub use journal::JournalError;
pub use ratings::RatingKind;
pub use results::{BlockScore, Pairing, Ranking, Results};
pub use run::play;
pub use sprt::{Decision, MAX_ELO, Sprt, Verdict};
