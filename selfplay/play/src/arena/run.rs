//! Plays a match, or what is left of it where it is logged.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use darkqi_env::Spec;
use thiserror::Error as ThisError;

use super::config::Match;
use super::results::Results;
use super::scoreboard::Scoreboard;
use crate::error::Error;
use crate::generation::{Schedule, run};
use crate::reporting::Progress;

/// Why a match was not played to its end, and what was.
#[derive(Debug, ThisError)]
#[error("{cause}")]
pub struct Failed {
    /// Why not.
    pub cause: Box<Error>,
    /// The results of the blocks that were finished before. None if none was played.
    pub so_far: Option<Box<Results>>,
    /// The dataset that holds their games.
    pub out: Option<PathBuf>,
}

impl<E: Into<Error>> From<E> for Failed {
    fn from(cause: E) -> Self {
        Self { cause: Box::new(cause.into()), so_far: None, out: None }
    }
}

/// How many games a match has, for those who divide it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// Pairs of agents.
    pub pairs: u64,
    /// Games of all pairs.
    pub games: u64,
    /// Games on a deal.
    pub deal_games: u64,
}

/// How many games a match has.
///
/// # Errors
/// If the configuration is faulty.
pub fn sizes(config: &Match) -> Result<Sizes, Error> {
    let spec = Spec::new(&config.game, &config.options)?;
    let schedule = Schedule::new(&config.job(&spec)?, &spec)?;
    let deal_games = schedule.deal_games();
    let pairs = deal_games / schedule.block_games;
    Ok(Sizes { pairs, games: schedule.games, deal_games })
}

/// Plays a match, or what is left of it where it is logged ([`Match::out`]).
///
/// When `stop` becomes true, games under way are dropped. The results are then those of the finished
/// blocks, marked as incomplete.
///
/// # Errors
/// If the configuration is faulty (nothing is written then), an agent fails or breaks the rules, or the
/// dataset cannot be read or written. The games that have ended stay in it, and the error has the results
/// of the blocks that were finished.
pub fn play(config: &Match, progress: &dyn Progress, stop: &AtomicBool) -> Result<Results, Failed> {
    let spec = Spec::new(&config.game, &config.options)?;
    let job = config.job(&spec)?;
    let scoreboard =
        |spec: &Spec, schedule: &Schedule| Ok(Scoreboard::new(spec, schedule, config.sprt));
    let (scoreboard, ran) = run(&job, scoreboard, progress, stop)?;
    let results = Results::new(&spec, &job, &scoreboard, &ran);
    match ran.end {
        Ok(_) => Ok(results),
        Err(cause) => {
            let so_far = (results.played() > 0).then(|| Box::new(results));
            Err(Failed { cause: Box::new(cause), so_far, out: config.out.clone() })
        }
    }
}
