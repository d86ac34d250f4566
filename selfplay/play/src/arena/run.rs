//! Plays a match, or what is left of it where it is logged.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use darkqi_env::Spec;
use thiserror::Error as ThisError;

use super::results::Results;
use super::scoreboard::Scoreboard;
use super::sprt::Sprt;
use crate::error::Error;
use crate::generation::{Job, SHARD_GAMES, Schedule, Seating, run};
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

impl Failed {
    /// The error of a study that had the match played.
    pub(crate) fn into_error(self) -> Error {
        match *self.cause {
            Error::Stopped => Error::Stopped,
            _ => Error::Match(self),
        }
    }
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
/// If the job is faulty.
pub fn sizes(job: &Job) -> Result<Sizes, Error> {
    let spec = Spec::new(&job.game, &job.options)?;
    let schedule = Schedule::new(job, Seating::Pairs, &spec)?;
    let deal_games = schedule.deal_games();
    let pairs = deal_games / schedule.block_games;
    Ok(Sizes { pairs, games: schedule.games, deal_games })
}

/// Plays a match, or what is left of it where it is logged ([`Job::dir`]): all pairs of agents play the
/// same duplicate deals. A match that its folder holds is resumed; its threads and its test may differ
/// then, and its games may be more.
///
/// With [`Job::shards`] only these are played. [`finish`](crate::generation::finish()) then makes one
/// dataset of all, of which the same match without `shards` gives the results.
///
/// When `stop` becomes true, games under way are dropped. The results are then those of the finished
/// blocks, marked as incomplete.
///
/// # Errors
/// If the job is faulty (nothing is written then), an agent fails or breaks the rules, or the
/// dataset cannot be read or written. The games that have ended stay in it, and the error has the results
/// of the blocks that were finished.
pub fn play(job: &Job, progress: &dyn Progress, stop: &AtomicBool) -> Result<Results, Failed> {
    let job = &Job { resume: true, ..job.afresh() };
    let test = test(job)?;
    let of_files =
        [("shards", job.shards.is_some()), ("shard_games", job.shard_games != SHARD_GAMES)];
    if let Some((field, _)) = of_files.iter().find(|(_, is_given)| *is_given && job.dir.is_none()) {
        return Err(Error::config(field, "a folder beside them", "none").into());
    }
    let scoreboard = |spec: &Spec, schedule: &Schedule| Ok(Scoreboard::new(spec, schedule, test));
    let (scoreboard, ran) = run(job, Seating::Pairs, scoreboard, progress, stop)?;
    let results = Results::new(job, &scoreboard, &ran);
    match ran.end {
        Ok(_) => Ok(results),
        Err(cause) => {
            let so_far = (results.played() > 0).then(|| Box::new(results));
            Err(Failed { cause: Box::new(cause), so_far, out: job.dir.clone() })
        }
    }
}

/// The test of a match, if there is one.
///
/// # Errors
/// If it is faulty, or there are not two agents.
fn test(job: &Job) -> Result<Option<Sprt>, Error> {
    let Some([elo0, elo1]) = job.sprt else { return Ok(None) };
    if job.agents.len() != 2 {
        let found = format!("{} agents", job.agents.len());
        return Err(Error::config("sprt", "exactly two agents", found));
    }
    let test = Sprt { elo0, elo1, alpha: job.alpha, beta: job.beta };
    test.check()?;
    Ok(Some(test))
}
