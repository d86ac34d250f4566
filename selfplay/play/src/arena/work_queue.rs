//! The threads of a match: they take blocks from a queue, the calling thread counts what they finish.

use std::collections::HashSet;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use darkqi_datasets::{NoThreads, spawn_scoped};
use darkqi_env::Registered;

use super::blocks::{BlockQueue, Blocks, Table};
use super::error::Error;
use super::journal::Block;
use super::schedule::Schedule;
use crate::driver::{Driver, Interrupt};
use crate::reporting::Progress;

/// The blocks of a match that threads take and play.
pub(super) struct WorkQueue<'a> {
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

impl<'a> WorkQueue<'a> {
    /// The blocks of this part of the match that are not `done`; none of them if it is halted already.
    pub(super) fn new(
        schedule: &'a Schedule,
        done: &'a HashSet<(usize, u64)>,
        is_halted: bool,
        stop: &'a AtomicBool,
        progress: &'a dyn Progress,
    ) -> Self {
        Self {
            schedule,
            next: AtomicU64::new(schedule.own.start),
            done,
            is_halted: AtomicBool::new(is_halted),
            stop,
            progress,
        }
    }

    /// Ends all games.
    pub(super) fn halt(&self) {
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
    pub(super) fn play<G: Registered>(
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
                match spawn_scoped(scope, work) {
                    Ok(worker) => workers.push(worker),
                    Err(cause) => {
                        self.halt();
                        return Err(NoThreads { wanted: threads, ..cause }.into());
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
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::thread;
    use std::time::Duration;

    use darkqi_engine::agent::{Agent, AgentFailure, Decision, Request};
    use darkqi_engine::agents::AgentSpec;
    use darkqi_env::Registered;
    use darkqi_env::games::flipping::Flipping;

    use super::{Driver, Schedule, Table, WorkQueue};
    use crate::arena::Match;
    use crate::openings::Starts;

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
            let done = HashSet::new();
            let queue = WorkQueue::new(&schedule, &done, false, &stop, &());
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
