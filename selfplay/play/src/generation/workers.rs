//! The workers: threads that take numbers of games from a queue, play the games and hand them over.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use arrayvec::ArrayVec;
use darkqi_engine::agent::AnyAgent;
use darkqi_env::{Spec, game::MAX_PLAYERS};
use darkqi_format::{GameRecord, NoThreads, spawn_scoped};

use super::job::{Job, Seating};
use super::lockstep::Worker;
use super::schedule::Schedule;
use crate::error::Error;
use crate::openings::Starts;
use crate::reporting::Progress;
use crate::transcript::Names;

/// Time between two looks at the flag by which the caller stops a run.
pub(super) const STOP_INTERVAL: Duration = Duration::from_millis(50);

/// The common part of a run's games.
pub(super) struct Table {
    pub(super) spec: Spec,
    pub(super) schedule: Schedule,
    pub(super) starts: Starts,
    pub(super) names: Names,
    /// The agents of the roster; each thread plays with copies.
    agents: Mutex<Vec<Box<dyn AnyAgent>>>,
    /// Whether decisions are timed.
    pub(super) is_timed: bool,
}

impl Table {
    /// # Errors
    /// If the job is faulty, or an agent cannot be made.
    pub(super) fn new(job: &Job, seating: Seating) -> Result<Self, Error> {
        let spec = Spec::new(&job.game, &job.options)?;
        let schedule = Schedule::new(job, seating, &spec)?;
        let starts = Starts::new(&spec, &schedule.openings)?;
        let agents = schedule.roster.iter().map(|agent| agent.make(&spec));
        let agents = Mutex::new(agents.collect::<Result<_, _>>()?);
        let names = Names::new(&spec);
        Ok(Self { spec, schedule, starts, names, agents, is_timed: seating == Seating::Pairs })
    }

    /// The number of games at a time by which an agent gains most.
    pub(super) fn batch_size(&self) -> usize {
        self.agents().iter().map(|agent| agent.batch_size()).max().unwrap_or(1)
    }

    /// How often engines were started again, by agent.
    pub(super) fn restarts(&self) -> BTreeMap<String, u64> {
        let agents = self.agents();
        let restarts = self.schedule.roster.iter().zip(&*agents);
        let restarts = restarts.map(|(spec, agent)| (spec.to_string(), agent.restarts()));
        restarts.filter(|&(_, restarts)| restarts > 0).collect()
    }

    fn agents(&self) -> MutexGuard<'_, Vec<Box<dyn AnyAgent>>> {
        self.agents.lock().expect("copying an agent does not panic")
    }
}

/// By seat, the time of its decisions.
pub(crate) type Times = ArrayVec<Duration, MAX_PLAYERS>;

/// A game that has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) record: GameRecord,
    /// Of a game that this run has played.
    pub(crate) times: Option<Times>,
}

/// The numbers of the games that are still to be played, ascending.
pub(super) struct Queue<'a> {
    state: Mutex<QueueState<'a>>,
    changed: Condvar,
    /// No more games are needed, can be kept or are wanted. This ends decisions that are being made,
    /// too: a search or an engine may take long.
    pub(super) is_halted: AtomicBool,
    /// The caller wants no more games.
    stop: &'a AtomicBool,
}

struct QueueState<'a> {
    numbers: Box<dyn Iterator<Item = u64> + Send + 'a>,
    next: Option<u64>,
    /// Games from here on must not begin yet: those before them are kept in memory until their turn.
    limit: u64,
}

impl<'a> Queue<'a> {
    pub(super) fn new(
        mut numbers: impl Iterator<Item = u64> + Send + 'a,
        limit: u64,
        stop: &'a AtomicBool,
    ) -> Self {
        let next = numbers.next();
        let state = QueueState { numbers: Box::new(numbers), next, limit };
        let (state, changed) = (Mutex::new(state), Condvar::new());
        Self { state, changed, is_halted: AtomicBool::new(false), stop }
    }

    /// Lets games up to this number begin.
    pub(super) fn allow(&self, limit: u64) {
        self.state().limit = limit;
        self.changed.notify_all();
    }

    /// Ends all games.
    pub(super) fn halt(&self) {
        self.is_halted.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.is_halted.load(Ordering::Relaxed) || self.stop.load(Ordering::Relaxed)
    }

    /// The next game. None if there is none or, unless the caller waits, if it must not begin yet.
    pub(super) fn take(&self, waits: bool) -> Option<u64> {
        let mut state = self.state();
        while !self.is_stopped() {
            let next = state.next?;
            if next < state.limit {
                state.next = state.numbers.next();
                return Some(next);
            }
            if !waits {
                break;
            }
            let waited = self.changed.wait_timeout(state, STOP_INTERVAL);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        None
    }

    fn state(&self) -> MutexGuard<'_, QueueState<'a>> {
        // Taking a number leaves no half-changed state.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Plays the games of a queue with this many threads while `collect` takes those that have ended, until
/// no thread plays. `most` games at most are played at a time by a thread.
///
/// # Errors
/// If an agent breaks the rules or fails, the threads cannot be started, or `collect` fails.
pub(super) fn play<R>(
    table: &Table,
    queue: &Queue<'_>,
    threads: usize,
    most: usize,
    progress: &dyn Progress,
    collect: impl FnOnce(Receiver<Ended>) -> R,
) -> (R, Result<(), Error>) {
    // The queue's limit bounds what waits.
    let (sender, receiver) = channel();
    thread::scope(|scope| {
        // The scope waits for its threads, also where this one panics.
        let _guard = HaltOnPanic(queue);
        let mut workers = Vec::with_capacity(threads);
        let mut result = Ok(());
        for _ in 0..threads {
            let agents = table.agents().iter().map(|agent| agent.boxed_clone()).collect();
            let mut worker = Worker { table, queue, progress, sender: sender.clone(), agents };
            let work = move || {
                let _guard = HaltOnPanic(queue);
                worker.run(most).inspect_err(|_| queue.halt())
            };
            match spawn_scoped(scope, work) {
                Ok(worker) => workers.push(worker),
                Err(cause) => {
                    queue.halt();
                    result = Err(NoThreads { wanted: threads, ..cause }.into());
                    break;
                }
            }
        }
        drop(sender);
        let collected = collect(receiver);
        for worker in workers {
            let worked = worker.join().unwrap_or_else(|panic| resume_unwind(panic));
            result = result.and(worked);
        }
        (collected, result)
    })
}

/// Halts the other threads if its own panics.
struct HaltOnPanic<'a, 'b>(&'a Queue<'b>);

impl Drop for HaltOnPanic<'_, '_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.halt();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::ops::Range;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex};
    use std::thread;
    use std::time::Duration;

    use darkqi_env::Action;
    use darkqi_format::GameRecord;

    use super::{Error, Queue, STOP_INTERVAL, Table, play};
    use crate::generation::{Job, Seating};
    use darkqi_engine::agent::{AgentFailure, AnyAgent, Ask, Decision};
    use darkqi_engine::agents::AgentSpec;

    /// Plays random actions, and from a given decision on an illegal one. Writes down the games.
    #[derive(Clone)]
    struct Cheat {
        honest: u32,
        batch_size: usize,
        written: Arc<Mutex<Vec<u64>>>,
    }

    fn cheat(honest: u32, batch_size: usize) -> Cheat {
        Cheat { honest, batch_size, written: Arc::default() }
    }

    impl AnyAgent for Cheat {
        fn decide(
            &mut self,
            asks: &mut [Ask<'_>],
            decisions: &mut Vec<Decision>,
        ) -> Result<(), AgentFailure> {
            for ask in asks {
                let Some(honest) = self.honest.checked_sub(1) else {
                    decisions.push(Action(u16::MAX).into());
                    continue;
                };
                self.honest = honest;
                self.written.lock().expect("nobody panics").push(ask.game());
                let legal = ask.legal();
                decisions.push((*ask.rng().choose(legal)).into());
            }
            Ok(())
        }

        fn batch_size(&self) -> usize {
            self.batch_size
        }

        fn boxed_clone(&self) -> Box<dyn AnyAgent> {
            Box::new(self.clone())
        }
    }

    fn table(agents: [&dyn AnyAgent; 2]) -> Table {
        // The names of the agents. The agents themselves are replaced.
        let names = AgentSpec::parse_list("random,greedy").expect("the agents exist");
        let table = Table::new(&Job::new("jieqi", names), Seating::Seats)
            .expect("the configuration is sound");
        Table { agents: Mutex::new(agents.map(|agent| agent.boxed_clone()).into()), ..table }
    }

    fn played(
        agents: [Cheat; 2],
        threads: usize,
        ids: Range<u64>,
    ) -> Result<Vec<GameRecord>, Error> {
        let stop = AtomicBool::new(false);
        let queue = Queue::new(ids, u64::MAX, &stop);
        let [one, other] = &agents;
        let collect = |ended: std::sync::mpsc::Receiver<_>| ended.iter().collect();
        let (ended, result): (Vec<super::Ended>, _) =
            play(&table([one, other]), &queue, threads, 64, &(), collect);
        let mut games: Vec<_> = ended.into_iter().map(|ended| ended.record).collect();
        games.sort_by_key(|game| game.game_id);
        result.map(|()| games)
    }

    #[test]
    fn an_illegal_action_is_an_error() {
        let Err(error) = played([cheat(3, 1), cheat(1, 1)], 1, 5..6) else {
            panic!("it is illegal")
        };
        let expected = "game 5, ply 3: agent greedy chose action 65535, which is not legal";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn games_do_not_depend_on_batch_sizes_and_threads() {
        let games = |threads, batch_size| {
            let honest = cheat(u32::MAX, batch_size);
            played([honest.clone(), honest], threads, 0..40).expect("all is legal")
        };
        let alone = games(1, 1);
        assert!((0..40).eq(alone.iter().map(|game| game.game_id)));
        assert_eq!(games(1, 7), alone);
        assert_eq!(games(2, 64), alone);
    }

    #[test]
    fn games_that_are_played_at_the_same_time_are_told_apart() {
        let honest = cheat(u32::MAX, 3);
        let games = played([honest.clone(), honest.clone()], 1, 0..4).expect("all is legal");
        let written = honest.written.lock().expect("nobody panics");
        assert!(!written.windows(2).all(|two| two[0] == two[1]), "several at the same time");
        let mut plies = BTreeMap::<u64, u16>::new();
        written.iter().for_each(|&game| *plies.entry(game).or_default() += 1);
        let mut found: Vec<_> = plies.into_values().collect();
        let mut expected: Vec<_> = games.iter().map(|game| game.plies).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected);
    }

    #[test]
    fn games_beyond_the_limit_wait() {
        let stop = AtomicBool::new(false);
        let queue = Queue::new(0..20, 5, &stop);
        let honest = cheat(u32::MAX, 8);
        let (before, result) = play(&table([&honest, &honest]), &queue, 2, 8, &(), |ended| {
            let first: Vec<u64> = ended.iter().take(5).map(|ended| ended.record.game_id).collect();
            assert!(first.iter().all(|&id| id < 5), "{first:?}");
            assert!(ended.recv_timeout(2 * STOP_INTERVAL).is_err());
            queue.allow(20);
            first.len() + ended.iter().count()
        });
        result.expect("all is legal");
        assert_eq!(before, 20);
    }

    /// The first of two that is asked waits until it is stopped. The other one fails.
    #[derive(Clone)]
    struct Unequal {
        asked: Arc<AtomicUsize>,
    }

    impl AnyAgent for Unequal {
        fn decide(
            &mut self,
            asks: &mut [Ask<'_>],
            decisions: &mut Vec<Decision>,
        ) -> Result<(), AgentFailure> {
            if self.asked.fetch_add(1, Ordering::Relaxed) > 0 {
                return Err(AgentFailure::new(0, "no idea"));
            }
            let is_stopped = (0..20_000).any(|_| {
                thread::sleep(Duration::from_millis(1));
                asks[0].stop().load(Ordering::Relaxed)
            });
            assert!(is_stopped, "nothing stopped it");
            decisions.push(asks[0].legal()[0].into());
            Ok(())
        }

        fn boxed_clone(&self) -> Box<dyn AnyAgent> {
            Box::new(self.clone())
        }
    }

    #[test]
    fn a_failure_ends_decisions_on_all_threads() {
        let agent = Unequal { asked: Arc::default() };
        let stop = AtomicBool::new(false);
        let queue = Queue::new(0..100, 100, &stop);
        let collect = |ended: std::sync::mpsc::Receiver<_>| ended.iter().count();
        let (_, result) = play(&table([&agent, &agent]), &queue, 2, 1, &(), collect);
        assert!(result.is_err());
    }
}
