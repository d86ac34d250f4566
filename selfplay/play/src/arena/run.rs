//! Plays a match, or what is left of it where it has a journal.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use darkqi_engine::agent::Agent;
use darkqi_engine::agents::{AgentError, AgentSpec};
use darkqi_env::Registered;
use darkqi_env::games::{self, Visitor};
use thiserror::Error as ThisError;

use super::blocks::Table;
use super::config::Match;
use super::error::Error;
use super::header::Header;
use super::journal::{Block, Journal};
use super::luck::Luck;
use super::results::Results;
use super::schedule::Schedule;
use super::scoreboard::Scoreboard;
use super::sprt::Verdict;
use super::work_queue::WorkQueue;
use crate::driver::Driver;
use crate::openings::Starts;
use crate::reporting::Progress;

/// Why a match was not played to its end, and what was.
#[derive(Debug, ThisError)]
#[error("{cause}")]
pub struct Failed {
    /// Why not.
    pub cause: Box<Error>,
    /// The results of the blocks that were finished before. None if none was played.
    pub so_far: Option<Box<Results>>,
    /// The journal that holds these blocks.
    pub journal: Option<PathBuf>,
}

impl<E: Into<Error>> From<E> for Failed {
    fn from(cause: E) -> Self {
        Self { cause: Box::new(cause.into()), so_far: None, journal: None }
    }
}

/// Plays a match, or what is left of it where it has a journal.
///
/// When `stop` becomes true, games under way are dropped. The results are then those of the finished
/// blocks, marked as incomplete.
///
/// # Errors
/// If the configuration is faulty (nothing is written then), an agent fails or breaks the rules, or the
/// journal cannot be read or written. The blocks in the journal stay valid, and the error has the results
/// of those that were finished.
pub fn play(config: &Match, progress: &dyn Progress, stop: &AtomicBool) -> Result<Results, Failed> {
    struct Play<'a> {
        config: &'a Match,
        progress: &'a dyn Progress,
        stop: &'a AtomicBool,
    }
    impl Visitor for Play<'_> {
        type Output = Result<Results, Failed>;
        fn visit<G: Registered>(self, rules: G) -> Self::Output {
            run(&rules, self.config, self.progress, self.stop)
        }
    }
    let agents = config.agents.iter().map(AgentSpec::afresh).collect();
    let config = &Match { agents, ..config.clone() };
    games::with(&config.game, &config.options, Play { config, progress, stop })?
}

fn run<G: Registered>(
    rules: &G,
    config: &Match,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<Results, Failed> {
    let started = Instant::now();
    let schedule = Schedule::new(config, rules)?;
    // What leaves no game to play is refused before anything is written.
    let starts = Starts::new(rules, &schedule.openings)?;
    let luck = Luck::new(rules);
    let agents: Vec<Box<dyn Agent<G>>> =
        config.agents.iter().map(|agent| agent.build(rules)).collect::<Result<_, AgentError>>()?;
    let header = Header::new(config, rules, &schedule)?;
    let mut scoreboard = Scoreboard::new(&schedule, config.sprt);
    let mut done = HashSet::new();
    let mut resume = |block: Block| {
        let pair = block.check(&schedule)?;
        if !done.insert((pair, block.block)) {
            return Err(format!("block {} of this pair is on an earlier line", block.block));
        }
        scoreboard.add(pair, block);
        Ok(())
    };
    let mut journal = match &config.journal {
        Some(path) => Some(Journal::open(path, &header, &mut resume)?),
        None => None,
    };
    let own = schedule.own.clone();
    let kept = done.iter().filter(|&&(pair, block)| schedule.is_own(pair, block)).count() as u64;
    let left = own.end - own.start - kept;
    let games_per_block = schedule.seating.games() as u64;
    let games = (own.end - own.start) * games_per_block;
    progress.begin(games, kept * games_per_block);

    let is_halted = scoreboard.decided() || stop.load(Ordering::Relaxed);
    let queue = WorkQueue::new(&schedule, &done, is_halted, stop, progress);
    let threads = (config.threads.get() as u64).min(left) as usize;
    let most = (games as usize).div_ceil(threads.max(1));
    let drivers = (0..threads).map(|_| {
        let agents = agents.iter().map(|agent| agent.boxed_clone()).collect();
        Driver::new(rules, agents, most)
    });
    let table = Table { rules, starts: &starts, names: &header.agents, luck: luck.as_ref() };
    let played = queue.play(table, drivers.collect(), |pair, block| {
        if let Some(journal) = &mut journal {
            journal.add(&block)?;
        }
        scoreboard.add(pair, block);
        if let Some(Verdict { lower, upper, llr, .. }) = scoreboard.verdict() {
            progress.standing(&format!("LLR {llr:.2} of {lower:.2} to {upper:.2}"));
        }
        if scoreboard.decided() {
            queue.halt();
        }
        Ok(())
    });

    let resumed = done.len() as u64;
    let restarts = header.agents.iter().cloned().zip(agents.iter().map(|agent| agent.restarts()));
    let restarts = restarts.filter(|&(_, restarts)| restarts > 0).collect();
    let results = Results::new(header, &schedule, &scoreboard, resumed, started.elapsed());
    let results = Results { restarts, ..results };
    match played {
        Ok(()) => Ok(results),
        Err(cause) => {
            let is_any = results.played() > 0;
            let so_far = is_any.then(|| Box::new(results));
            Err(Failed { cause: Box::new(cause), so_far, journal: config.journal.clone() })
        }
    }
}
