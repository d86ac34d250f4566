//! Plays a match: threads take blocks from a queue, the calling thread counts what they finish.

use std::collections::HashSet;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use darkqi_env::Registered;
use darkqi_env::games::{self, Visitor};

use super::blocks::{BlockQueue, Blocks, Table};
use super::config::Match;
use super::error::Error;
use super::header::Header;
use super::journal::{Block, Journal};
use super::luck::Luck;
use super::results::{Pairing, Results, rankings};
use super::schedule::Schedule;
use super::scoreboard::Scoreboard;
use super::sprt::Verdict;
use super::tally::PairTally;
use crate::agents::AgentSpec;
use crate::driver::{Agent, Driver, Interrupt};
use crate::openings::Starts;
use crate::reporting::Progress;

/// Plays a match, or what is left of it where it has a journal.
///
/// When `stop` becomes true, games under way are dropped. The results are then those of the finished
/// blocks, marked as incomplete.
///
/// # Errors
/// If the configuration is faulty (nothing is written then), an agent breaks the rules, or the
/// journal cannot be read or written. The blocks in the journal stay valid.
pub fn play(config: &Match, progress: &dyn Progress, stop: &AtomicBool) -> Result<Results, Error> {
    struct Play<'a> {
        config: &'a Match,
        progress: &'a dyn Progress,
        stop: &'a AtomicBool,
    }
    impl Visitor for Play<'_> {
        type Output = Result<Results, Error>;
        fn visit<G: Registered>(self, rules: G) -> Self::Output {
            run(&rules, self.config, self.progress, self.stop)
        }
    }
    games::with(&config.game, &config.options, Play { config, progress, stop })?
}

fn run<G: Registered>(
    rules: &G,
    config: &Match,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<Results, Error> {
    let started = Instant::now();
    let schedule = Schedule::new(config, rules)?;
    // What leaves no game to play is refused before anything is written.
    let starts = Starts::new(rules, &schedule.openings)?;
    let names: Vec<String> = config.agents.iter().map(AgentSpec::to_string).collect();
    let luck = Luck::new(rules);
    let agents: Vec<Box<dyn Agent<G>>> =
        config.agents.iter().map(|agent| agent.build(rules)).collect::<Result<_, _>>()?;
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

    let queue = WorkQueue {
        schedule: &schedule,
        next: AtomicU64::new(own.start),
        done: &done,
        is_halted: AtomicBool::new(scoreboard.decided() || stop.load(Ordering::Relaxed)),
        stop,
        progress,
    };
    let threads = (config.threads.get() as u64).min(left) as usize;
    let most = (games as usize).div_ceil(threads.max(1));
    let drivers = (0..threads).map(|_| {
        let agents = agents.iter().map(|agent| agent.boxed_clone()).collect();
        Driver::new(rules, agents, most)
    });
    let table = Table { rules, starts: &starts, names: &names, luck: luck.as_ref() };
    queue.play(table, drivers.collect(), |pair, block| {
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
    })?;

    let tallies = scoreboard.tallies();
    let played: u64 = tallies.iter().map(PairTally::blocks).sum();
    let pairings = tallies.iter().enumerate();
    let (agents, cycles) = rankings(&schedule, &names, tallies);
    Ok(Results {
        software_version: header.software_version,
        game: G::NAME.to_owned(),
        options: header.options,
        seed: config.seed,
        openings: schedule.openings.lines.clone(),
        remove: schedule.openings.remove.clone(),
        random_plies: schedule.openings.random_plies,
        seats: schedule.seating.seats(),
        games_per_block: schedule.seating.games(),
        games_per_pair: schedule.blocks * games_per_block,
        complete: scoreboard.decided() || played == schedule.all_blocks(),
        agents,
        pairs: pairings.map(|(pair, tally)| Pairing::new(&schedule, &names, pair, tally)).collect(),
        cycles,
        sprt: scoreboard.verdict(),
        resumed_games: done.len() as u64 * games_per_block,
        seconds: started.elapsed().as_secs_f64(),
    })
}

/// The blocks of a match that threads take and play.
struct WorkQueue<'a> {
    schedule: &'a Schedule,
    /// The next block that no thread has taken, in the order of [`Schedule::nth`].
    next: AtomicU64,
    /// Pairs and numbers of the blocks that the journal holds.
    done: &'a HashSet<(usize, u64)>,
    /// No more blocks are needed, can be kept or are wanted by the caller. This ends decisions that are
    /// being made, too: a search or an engine may take long.
    is_halted: AtomicBool,
    /// The caller wants no more blocks. The calling thread looks at it.
    stop: &'a AtomicBool,
    progress: &'a dyn Progress,
}

/// Time between two looks at the flag by which the caller stops a match.
const STOP_INTERVAL: Duration = Duration::from_millis(50);

/// Halts the other threads if its own panics: their blocks would be lost.
struct HaltOnPanic<'a>(&'a AtomicBool);

impl Drop for HaltOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

impl WorkQueue<'_> {
    /// Ends all games.
    fn halt(&self) {
        self.is_halted.store(true, Ordering::Relaxed);
    }

    fn is_halted(&self) -> bool {
        self.is_halted.load(Ordering::Relaxed)
    }

    /// Gives `keep` the finished blocks until no thread plays.
    fn keep(
        &self,
        finished: Receiver<(usize, Block)>,
        mut keep: impl FnMut(usize, Block) -> Result<(), Error>,
    ) -> Result<(), Error> {
        loop {
            if self.stop.load(Ordering::Relaxed) {
                self.halt();
            }
            match finished.recv_timeout(STOP_INTERVAL) {
                Ok((pair, block)) => keep(pair, block)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
        }
    }

    /// Plays with these drivers, a thread each, while `keep` takes the blocks that they finish.
    fn play<G: Registered>(
        &self,
        table: Table<'_, G>,
        drivers: Vec<Driver<'_, G>>,
        keep: impl FnMut(usize, Block) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let threads = drivers.len();
        // A short queue: no thread waits for a slow write, and few blocks are lost in a crash.
        let (sender, receiver) = sync_channel(2 * threads);
        thread::scope(|scope| {
            let mut workers = Vec::with_capacity(threads);
            for mut driver in drivers {
                let sender = sender.clone();
                let work = move || {
                    let _guard = HaltOnPanic(&self.is_halted);
                    let share = Share { queue: self, sender };
                    match driver.run(&mut Blocks::new(table, self.schedule, share)) {
                        Ok(()) | Err(Interrupt::Stopped) => Ok(()),
                        Err(Interrupt::Failed(error)) => {
                            self.halt();
                            Err(error)
                        }
                    }
                };
                match thread::Builder::new().spawn_scoped(scope, work) {
                    Ok(worker) => workers.push(worker),
                    Err(cause) => {
                        self.halt();
                        return Err(Error::Threads { threads, cause });
                    }
                }
            }
            drop(sender);
            let kept = self.keep(receiver, keep);
            if kept.is_err() {
                self.halt();
            }
            let mut result = kept;
            for worker in workers {
                let worked = worker.join().unwrap_or_else(|panic| resume_unwind(panic));
                result = result.and(worked);
            }
            result
        })
    }
}

/// One thread's access to the queue, and to the thread that counts.
struct Share<'a> {
    queue: &'a WorkQueue<'a>,
    sender: SyncSender<(usize, Block)>,
}

impl BlockQueue for Share<'_> {
    fn next(&mut self) -> Option<(usize, u64)> {
        let WorkQueue { schedule, next, done, .. } = self.queue;
        while !self.is_stopped() {
            let n = next.fetch_add(1, Ordering::Relaxed);
            if n >= schedule.own.end {
                break;
            }
            let block = schedule.nth(n);
            if !done.contains(&block) {
                return Some(block);
            }
        }
        None
    }

    fn played(&mut self, plies: u16) {
        self.queue.progress.played(plies);
    }

    fn finish(&mut self, pair: usize, block: Block) {
        if self.sender.send((pair, block)).is_err() {
            // The receiver is gone: the journal cannot be written.
            self.queue.halt();
        }
    }

    fn is_stopped(&self) -> bool {
        self.queue.is_halted() || self.queue.stop.load(Ordering::Relaxed)
    }

    fn stop(&self) -> &AtomicBool {
        &self.queue.is_halted
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
    use std::thread;
    use std::time::Duration;

    use darkqi_env::Registered;
    use darkqi_env::games::flipping::Flipping;

    use super::{Driver, Match, Schedule, Starts, Table, WorkQueue};
    use crate::agents::AgentSpec;
    use crate::driver::{Agent, AgentFailure, Decision, Request};

    /// The first of two that is asked waits until it is stopped. The other one fails.
    #[derive(Clone)]
    struct Unequal {
        asked: Arc<AtomicUsize>,
        /// How often the one that waits looks, so that a test ends, too, if nothing stops it.
        looks: usize,
    }

    impl<G: Registered> Agent<G> for Unequal {
        fn decide(
            &mut self,
            _: &G,
            request: &mut Request<'_, G>,
        ) -> Result<Decision, AgentFailure> {
            if self.asked.fetch_add(1, Ordering::Relaxed) > 0 {
                return Err(AgentFailure::new(0, "no idea"));
            }
            let is_stopped = (0..self.looks).any(|_| {
                thread::sleep(Duration::from_millis(1));
                request.stop.load(Ordering::Relaxed)
            });
            assert!(is_stopped, "nothing stopped it");
            Ok(request.legal[0].into())
        }

        fn boxed_clone(&self) -> Box<dyn Agent<G>> {
            Box::new(self.clone())
        }
    }

    #[test]
    fn a_failure_or_the_caller_ends_decisions_on_all_threads() {
        for (threads, stop) in [(2, false), (1, true)] {
            let specs = AgentSpec::parse_list("greedy,random").expect("the agents exist");
            let rules = Flipping::default();
            let schedule = Schedule::new(&Match::new("flipping", specs), &rules);
            let schedule = schedule.expect("the schedule is sound");
            let starts = Starts::new(&rules, &schedule.openings).expect("there are openings");
            let names = ["one".to_owned(), "other".to_owned()];
            let table = Table { rules: &rules, starts: &starts, names: &names, luck: None };
            let stop = AtomicBool::new(stop);
            let queue = WorkQueue {
                schedule: &schedule,
                next: AtomicU64::new(0),
                done: &HashSet::new(),
                is_halted: AtomicBool::new(false),
                stop: &stop,
                progress: &(),
            };
            let agent = Unequal { asked: Arc::default(), looks: 20_000 };
            let drivers = (0..threads).map(|_| {
                let agents: Vec<Box<dyn Agent<Flipping>>> =
                    vec![agent.boxed_clone(), agent.boxed_clone()];
                Driver::new(&rules, agents, 1)
            });
            let played = queue.play(table, drivers.collect(), |_, _| Ok(()));
            assert_eq!(played.is_err(), threads == 2);
        }
    }
}
