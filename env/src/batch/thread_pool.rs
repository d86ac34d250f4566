//! A thread pool for steps of microseconds: workers spin, then park.
//!
//! A step of 64 lanes takes 6 to 30 microseconds, and waking a parked thread takes about as long. So
//! a worker that has finished a job spins for a while before it parks (spin then park), and the
//! calling thread works, too: it waits for workers that have begun, never for one that still wakes
//! up. Each thread takes chunks from the front of its own share of the lanes, which are in its core's
//! cache from the step before, and then steals chunks from the back of the other shares (work
//! stealing).
//!
//! The pool is here because rayon takes longer with as many lanes as training uses. The example
//! `thread_pools` steps the same games with both on two threads. The time with rayon's
//! `in_place_scope`, which is faster here than its parallel iterators, as a multiple of the pool's
//! (medians of 41 rounds, AMD EPYC Zen 5):
//!
//! | lanes | banqi | jieqi | banqi, 50 microseconds between steps |
//! | ---: | ---: | ---: | ---: |
//! | 64 | 1.42 | 1.16 | 1.72 |
//! | 256 | 1.16 | 1.14 | 1.36 |
//! | 1,024 | 1.08 | 1.05 | 1.15 |
//! | 4,096 | 1.02 | 1.02 | 0.99 |
//! | 65,536 | 1.01 | 1.00 | 0.99 |
//!
//! Threads do not survive a fork. A child of fork works on here, because the caller waits for no
//! worker that has not begun; with rayon it would wait for ever.

#![expect(unsafe_code, reason = "workers read the job from the caller's stack")]

use std::any::Any;
use std::hint;
use std::io;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::thread::{self, Builder, JoinHandle};
use std::time::{Duration, Instant};

use arrayvec::ArrayVec;

/// How long a worker spins before it parks: longer than Python takes from one step to the next.
const SPIN_TIME: Duration = Duration::from_micros(100);

/// Spins between two looks at the clock, or two calls of `yield_now`.
const SPINS: u64 = 64;

/// The greatest number of shares. Workers beyond it have no share and only steal.
const MAX_SHARES: usize = 64;

/// Cores that the process may use.
pub(super) static CORES: LazyLock<usize> =
    LazyLock::new(|| thread::available_parallelism().map_or(1, usize::from));

/// The pool of the process: one thread per core, the caller's included. It is started when it is first
/// needed.
///
/// # Errors
/// If the system starts no more threads.
pub(super) fn global() -> io::Result<&'static ThreadPool> {
    static GLOBAL: OnceLock<ThreadPool> = OnceLock::new();
    static STARTING: Mutex<()> = Mutex::new(());
    if GLOBAL.get().is_none() {
        let _starting = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
        if GLOBAL.get().is_none() {
            // Nobody else is starting it.
            let _ = GLOBAL.set(ThreadPool::new(*CORES)?);
        }
    }
    Ok(GLOBAL.get().expect("it was started"))
}

/// Work on a number of lanes that can be divided among threads.
pub(super) trait Divisible: Send + Sized {
    /// Number of lanes.
    fn lanes(&self) -> usize;
    /// The work on the first `lanes` lanes, and the work on the others.
    fn split_at(self, lanes: usize) -> (Self, Self);
}

/// Threads that help the calling one.
#[derive(Debug, Default)]
pub(super) struct ThreadPool {
    slot: Arc<JobSlot>,
    workers: Vec<JoinHandle<()>>,
    /// Locked while a job runs.
    running: Mutex<()>,
    /// The process that the workers belong to.
    process: u32,
}

/// Where workers find the job of their pool.
#[derive(Debug, Default)]
struct JobSlot {
    /// From the lowest bit: the number of workers on the job (31 bits), [`OPEN`], and the number of
    /// the job (32 bits).
    state: AtomicU64,
    /// The job, while the slot is open or a worker is on the job.
    job: AtomicPtr<Job<'static>>,
    /// Workers that are parked or about to be.
    parked: AtomicUsize,
    /// Whether workers are to end.
    shutdown: AtomicBool,
}

/// Set in [`JobSlot::state`] while workers may join the job.
const OPEN: u64 = 1 << 31;

/// The lowest bit of the number of the job in [`JobSlot::state`].
const JOB_SHIFT: u32 = 32;

/// The task of the workers, each with its number from 1.
struct Job<'a> {
    run: &'a (dyn Fn(usize) + Sync),
    /// The panic of a worker.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

impl ThreadPool {
    /// A pool of `threads` threads, one of which is the caller's.
    ///
    /// # Errors
    /// If the system starts no more threads.
    pub(super) fn new(threads: usize) -> io::Result<Self> {
        let mut pool = Self::default();
        pool.process = process::id();
        for number in 1..threads {
            let slot = Arc::clone(&pool.slot);
            let worker = Builder::new().name(format!("darkqi {number}"));
            pool.workers.push(worker.spawn(move || slot.work(number))?);
        }
        Ok(pool)
    }

    /// Number of threads, the caller's included.
    pub(super) fn threads(&self) -> usize {
        1 + self.workers.len()
    }

    /// Runs `work` on chunks of at most `chunk` lanes. While the pool runs another caller's job, the
    /// caller works alone. Only shares and chunks depend on the kind of work: all else is compiled once.
    ///
    /// # Panics
    /// If `work` does.
    pub(super) fn run<T: Divisible>(&self, whole: T, chunk: usize, work: &(dyn Fn(T) + Sync)) {
        let running = match self.running.try_lock() {
            Ok(running) => Some(running),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        };
        let threads = if running.is_some() { self.threads() } else { 1 };
        // Waking a worker for less than two chunks costs more than it saves.
        let shares = divide(whole, threads.min(MAX_SHARES), 2 * chunk);
        self.run_shares(running, shares.len(), &|share, end| {
            take(&shares[share], chunk, end).map(work).is_some()
        });
    }

    /// Empties shares with `run_chunk`, which runs a chunk from one end of a share, unless that is empty:
    /// each thread its own first. Without the guard of a job, the caller works alone.
    fn run_shares(
        &self,
        running: Option<MutexGuard<'_, ()>>,
        shares: usize,
        run_chunk: &(dyn Fn(usize, End) -> bool + Sync),
    ) {
        let run = |number: usize| {
            let own = number % shares;
            while run_chunk(own, End::Front) {}
            for other in (1..shares).map(|step| (own + step) % shares) {
                while run_chunk(other, End::Back) {}
            }
        };
        match running {
            Some(running) if shares > 1 => self.run_job(&running, shares - 1, &run),
            running => {
                drop(running);
                run(0);
            }
        }
    }

    /// Runs a job on the caller and on the workers that spin, of which at least `wake` are woken, and
    /// waits for all that joined. The guard shows that no other job runs.
    fn run_job(&self, _: &MutexGuard<'_, ()>, wake: usize, run: &(dyn Fn(usize) + Sync)) {
        let job = Job { run, panic: Mutex::new(None) };
        // The guard waits for the workers even if `run` panics: they use this frame.
        let open = self.slot.open(&job);
        if self.slot.parked.load(Ordering::SeqCst) > 0 {
            self.workers.iter().take(wake).for_each(|worker| worker.thread().unpark());
        }
        run(0);
        drop(open);
        if let Some(panic) = job.panic.into_inner().unwrap_or_else(PoisonError::into_inner) {
            resume_unwind(panic);
        }
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        // Threads do not survive a fork: the child has none to join.
        if self.process != process::id() {
            mem::forget(mem::take(&mut self.workers));
            return;
        }
        self.slot.shutdown.store(true, Ordering::SeqCst);
        for worker in self.workers.drain(..) {
            worker.thread().unpark();
            // Workers catch the panics of their jobs.
            let _ = worker.join();
        }
    }
}

/// A job that workers may join. Dropping it closes the slot and waits until no worker is on the job.
struct OpenJob<'a>(&'a JobSlot);

impl Drop for OpenJob<'_> {
    fn drop(&mut self) {
        let slot = self.0;
        let mut state = slot.state.fetch_and(!OPEN, Ordering::AcqRel) & !OPEN;
        for spin in 1_u64.. {
            if state & (OPEN - 1) == 0 {
                break;
            }
            // The worker may need this very core.
            if spin % SPINS == 0 {
                thread::yield_now()
            } else {
                hint::spin_loop()
            }
            state = slot.state.load(Ordering::Acquire);
        }
        slot.job.store(ptr::null_mut(), Ordering::Relaxed);
    }
}

/// A worker on the job. Dropping it leaves the job.
struct Joined<'a>(&'a JobSlot);

impl Drop for Joined<'_> {
    fn drop(&mut self) {
        self.0.state.fetch_sub(1, Ordering::Release);
    }
}

impl JobSlot {
    /// Offers a job to the workers. The guard must be dropped before `job` is.
    fn open<'a>(&'a self, job: &'a Job<'_>) -> OpenJob<'a> {
        self.job.store(ptr::from_ref(job).cast_mut().cast(), Ordering::Relaxed);
        let number = self.state.load(Ordering::Relaxed) >> JOB_SHIFT;
        self.state.store((number + 1) << JOB_SHIFT | OPEN, Ordering::SeqCst);
        OpenJob(self)
    }

    /// Runs one job after another until the pool shuts down.
    fn work(&self, worker: usize) {
        let mut last = 0;
        while let Some(number) = self.next_job(last) {
            last = number;
            let Some(_joined) = self.join(number) else { continue };
            // SAFETY: the slot was open when this worker joined, so `run_job` had not dropped its
            // `OpenJob` then, and that drop waits for `_joined`: the job is there until then.
            let job = unsafe { &*self.job.load(Ordering::Relaxed) };
            let outcome = catch_unwind(AssertUnwindSafe(|| (job.run)(worker)));
            if let Err(panic) = outcome {
                job.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(panic);
            }
        }
    }

    /// Waits for another job than the last and gives its number; none when the pool shuts down.
    fn next_job(&self, last: u64) -> Option<u64> {
        let mut begin = None;
        for spin in 1_u64.. {
            if let Some(number) = self.newer_job(last) {
                return Some(number);
            }
            hint::spin_loop();
            if spin % SPINS == 0 && begin.get_or_insert_with(Instant::now).elapsed() > SPIN_TIME {
                break;
            }
        }
        // The caller opens the slot and then reads `parked`; a worker adds to `parked` and then reads
        // the slot. All four are sequentially consistent, so one of the two sees the other.
        self.parked.fetch_add(1, Ordering::SeqCst);
        let number = loop {
            if self.shutdown.load(Ordering::SeqCst) {
                break None;
            }
            if let Some(number) = self.newer_job(last) {
                break Some(number);
            }
            thread::park();
        };
        self.parked.fetch_sub(1, Ordering::SeqCst);
        number
    }

    /// The number of the job, if it is another than the last.
    fn newer_job(&self, last: u64) -> Option<u64> {
        let number = self.state.load(Ordering::SeqCst) >> JOB_SHIFT;
        (number != last).then_some(number)
    }

    /// Joins the job with this number, if the slot is still open for it.
    fn join(&self, number: u64) -> Option<Joined<'_>> {
        let join =
            |state: u64| (state >> JOB_SHIFT == number && state & OPEN > 0).then_some(state + 1);
        self.state.fetch_update(Ordering::AcqRel, Ordering::Relaxed, join).ok()?;
        Some(Joined(self))
    }
}

/// The lanes of one thread, as far as no chunk has taken them.
type Share<T> = Mutex<Option<T>>;

/// Divides work evenly into at most `most` shares of at least `least` lanes.
fn divide<T: Divisible>(whole: T, most: usize, least: usize) -> ArrayVec<Share<T>, MAX_SHARES> {
    let count = (whole.lanes() / least).clamp(1, most);
    let mut shares = ArrayVec::new();
    let mut rest = whole;
    for number in 0..count - 1 {
        let lanes = rest.lanes().div_ceil(count - number);
        let (share, others) = rest.split_at(lanes);
        shares.push(Mutex::new(Some(share)));
        rest = others;
    }
    shares.push(Mutex::new(Some(rest)));
    shares
}

/// The end of a share that a chunk is taken from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Front,
    Back,
}

/// Takes a chunk of at most `lanes` lanes, unless the share is empty.
fn take<T: Divisible>(share: &Share<T>, lanes: usize, end: End) -> Option<T> {
    let mut share = share.lock().unwrap_or_else(PoisonError::into_inner);
    let whole = share.take()?;
    let count = whole.lanes();
    if count <= lanes {
        return Some(whole);
    }
    let (chunk, rest) = match end {
        End::Front => whole.split_at(lanes),
        End::Back => {
            let (rest, chunk) = whole.split_at(count - lanes);
            (chunk, rest)
        }
    };
    *share = Some(rest);
    Some(chunk)
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;
    use std::time::Duration;

    use super::{Divisible, SPIN_TIME, ThreadPool};

    /// A count for each lane.
    struct Counts<'a>(&'a mut [u32]);

    impl Divisible for Counts<'_> {
        fn lanes(&self) -> usize {
            self.0.len()
        }

        fn split_at(self, lanes: usize) -> (Self, Self) {
            let (first, others) = self.0.split_at_mut(lanes);
            (Self(first), Self(others))
        }
    }

    fn pool(threads: usize) -> ThreadPool {
        ThreadPool::new(threads).expect("the system has threads")
    }

    #[test]
    fn every_lane_is_processed_once() {
        for threads in [1, 2, 3, 8, 70] {
            let pool = pool(threads);
            for lanes in (1..130).chain([1000, 5000]) {
                let mut counts = vec![0; lanes];
                pool.run(Counts(&mut counts), 7, &|Counts(counts)| {
                    assert!(counts.len() <= 7);
                    counts.iter_mut().for_each(|count| *count += 1);
                });
                assert_eq!(counts, vec![1; lanes]);
            }
        }
    }

    #[test]
    fn spinning_and_parked_workers_join() {
        let pool = pool(2);
        let caller = thread::current().id();
        for pause in [Duration::ZERO, 3 * SPIN_TIME, Duration::from_millis(20)] {
            // The first chunk waits for a second one, so this ends only if both threads work.
            let begun = AtomicUsize::new(0);
            let by_caller = AtomicUsize::new(0);
            thread::sleep(pause);
            pool.run(Counts(&mut [0; 4]), 1, &|_| {
                begun.fetch_add(1, Ordering::SeqCst);
                while begun.load(Ordering::SeqCst) < 2 {
                    thread::yield_now();
                }
                let is_caller = thread::current().id() == caller;
                by_caller.fetch_add(is_caller.into(), Ordering::SeqCst);
            });
            assert!((1..4).contains(&by_caller.into_inner()));
        }
    }

    #[test]
    fn a_call_does_not_wait_for_a_busy_pool() {
        let pool = pool(3);
        let inner = AtomicUsize::new(0);
        pool.run(Counts(&mut [0; 30]), 1, &|_| {
            pool.run(Counts(&mut [0; 4]), 2, &|Counts(counts)| {
                inner.fetch_add(counts.len(), Ordering::Relaxed);
            });
        });
        assert_eq!(inner.into_inner(), 120);
    }

    #[test]
    fn panics_reach_the_caller() {
        let pool = pool(4);
        for bad in 0..40 {
            let mut counts: Vec<u32> = (0..40).collect();
            let work = |Counts(counts): Counts<'_>| assert!(!counts.contains(&bad), "lane {bad}");
            let run = || pool.run(Counts(&mut counts), 1, &work);
            let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("a lane is bad");
            assert_eq!(panic.downcast_ref::<String>(), Some(&format!("lane {bad}")));
            // The pool still works.
            let mut counts = [0; 40];
            pool.run(Counts(&mut counts), 1, &|Counts(counts)| counts[0] += 1);
            assert_eq!(counts, [1; 40]);
        }
    }
}
