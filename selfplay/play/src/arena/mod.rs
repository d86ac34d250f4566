//! The arena: agents against one another on duplicate deals, with ratings and a sequential test.
//!
//! All pairs of agents play the same deals. A *block* is one deal with every way of seating the pair.
//! Its games share the deal and, if there is one, the opening. A match is a run of games like
//! self-play, and can be logged like it.
//!
//! - `run`: the match;
//! - `luck`: the luck of reveals, and the score without it;
//! - `scoreboard`, `tally`: what counts the games;
//! - `elo`, `sprt`, `ratings`, `cycles`: what the scores say;
//! - `results`: all of that.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use darkqi_engine::agents::AgentSpec;
//! use darkqi_play::arena::{self, Decision};
//! use darkqi_play::generation::Job;
//!
//! let agents = AgentSpec::parse_list("greedy,random")?;
//! let job = Job { games: 500, sprt: Some([0.0, 100.0]), ..Job::new("gaiqi", agents) };
//! let results = arena::play(&job, &(), &AtomicBool::new(false))?;
//! assert!(results.pairs[0].elo.is_some_and(|elo| elo.low > 0.0));
//! assert_eq!(results.sprt.map(|verdict| verdict.decision), Some(Decision::H1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cycles;
mod elo;
mod luck;
mod ratings;
mod results;
mod run;
mod scoreboard;
mod sprt;
mod tally;

pub use cycles::Cycle;
pub use luck::LuckAdjusted;
pub use ratings::RatingKind;
pub use results::{BlockScore, Pairing, Ranking, Results};
pub use run::{Failed, Sizes, play, sizes};
pub use sprt::{Decision, MAX_ELO, Sprt, Verdict};
