//! Threads that share out the lanes of a step.
//!
//! A step of a thousand lanes takes a tenth of a millisecond, so handing it over must take a
//! hundredth of that. The calling thread works, too, and never waits for one that has not begun:
//! whoever comes late finds the door closed. Those who wait for work look out for it for a while
//! before they sleep.

use std::any::Any;
use std::hint;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{self, Builder, JoinHandle};
use std::time::{Duration, Instant};

use arrayvec::ArrayVec;

/// How long a thread looks out for work before it sleeps: longer than Python takes from one step to
/// the next.
const LOOKOUT: Duration = Duration::from_micros(100);

/// Looks between two at the clock, or two times that others may go first.
const LOOKS: u64 = 64;

/// Parts that work is divided into at the most; further threads help others from the start.
const MAX_PARTS: usize = 64;

/// Cores that the process may use.
pub(super) static CORES: LazyLock<usize> =
    LazyLock::new(|| thread::available_parallelism().map_or(1, usize::from));

/// One crew for the whole process, a thread per core with the caller's.
pub(super) static SHARED: LazyLock<Crew> = LazyLock::new(|| {
    // Without threads there is no help, but all work is done.
    Crew::start(*CORES).unwrap_or_default()
});

/// Work on a number of lanes that can be divided among threads.
pub(super) trait Divisible: Send + Sized {
    /// Number of lanes.
    fn lanes(&self) -> usize;
    /// The work on the first lanes, and on the others.
    fn split_at(self, lanes: usize) -> (Self, Self);
}

/// Threads that help the one that calls.
#[derive(Debug, Default)]
pub(super) struct Crew {
    post: Arc<Post>,
    workers: Vec<JoinHandle<()>>,
    /// Whoever holds it has the crew at work.
    command: Mutex<()>,
    /// The process that the threads belong to.
    process: u32,
}

/// What the members of a crew look at.
#[derive(Debug, Default)]
struct Post {
    /// The door: [`OPEN`] while there is work, the number of helpers inside below it, the number of
    /// the work above.
    door: AtomicU64,
    /// The work, while the door is open or anybody is inside.
    work: AtomicPtr<Work<'static>>,
    /// Helpers that are asleep, or about to be.
    asleep: AtomicUsize,
    /// Whether there will be no more work.
    over: AtomicBool,
}

/// Set in [`Post::door`] while helpers may come in.
const OPEN: u64 = 1 << 31;

/// The number of the work in [`Post::door`].
const NUMBER: u32 = 32;

/// What helpers do, each by its number from 1.
struct Work<'a> {
    help: &'a (dyn Fn(usize) + Sync),
    /// What a helper panicked with.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

impl Crew {
    /// A crew of so many threads with the caller's, which is not started.
    ///
    /// # Errors
    /// If the system has no thread left.
    pub(super) fn start(threads: usize) -> std::io::Result<Self> {
        let mut crew = Self::default();
        crew.process = process::id();
        for number in 1..threads {
            let post = Arc::clone(&crew.post);
            let worker = Builder::new().name(format!("darkqi {number}"));
            crew.workers.push(worker.spawn(move || post.serve(number))?);
        }
        Ok(crew)
    }

    /// Number of threads with the caller's.
    pub(super) fn threads(&self) -> usize {
        1 + self.workers.len()
    }

    /// Does all the work in pieces of so many lanes, with the crew's help unless it is at work for
    /// somebody else.
    ///
    /// # Panics
    /// If `work` does.
    pub(super) fn share<T: Divisible>(&self, whole: T, piece: usize, work: impl Fn(T) + Sync) {
        let command = match self.command.try_lock() {
            Ok(command) => Some(command),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        };
        let threads = if command.is_some() { self.threads() } else { 1 };
        // A helper who must be woken for less than two pieces costs more than it saves.
        let parts = divide(whole, threads.min(MAX_PARTS), 2 * piece);
        // Everybody does a part of their own, whose lanes are in their cache, then helps others.
        let help = |number: usize| {
            let own = number % parts.len();
            while let Some(some) = take(&parts[own], piece, End::First) {
                work(some);
            }
            for other in (1..parts.len()).map(|step| &parts[(own + step) % parts.len()]) {
                while let Some(some) = take(other, piece, End::Last) {
                    work(some);
                }
            }
        };
        match command {
            Some(command) if parts.len() > 1 => self.call(&command, parts.len() - 1, &help),
            command => {
                drop(command);
                help(0);
            }
        }
    }

    /// Has everybody help who is awake, so many at least, and waits for all who began to. Whoever
    /// has the command is the only one to call.
    fn call(&self, _: &MutexGuard<'_, ()>, helpers: usize, help: &(dyn Fn(usize) + Sync)) {
        let work = Work { help, panic: Mutex::new(None) };
        // Not even a panic leaves this frame, and with it the work, before all helpers have left.
        let visit = self.post.open(&work);
        if self.post.asleep.load(Ordering::SeqCst) > 0 {
            self.workers.iter().take(helpers).for_each(|worker| worker.thread().unpark());
        }
        help(0);
        drop(visit);
        if let Some(panic) = work.panic.into_inner().unwrap_or_else(PoisonError::into_inner) {
            resume_unwind(panic);
        }
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        // A fork has left the threads behind.
        if self.process != process::id() {
            mem::forget(mem::take(&mut self.workers));
            return;
        }
        self.post.over.store(true, Ordering::SeqCst);
        for worker in self.workers.drain(..) {
            worker.thread().unpark();
            // Helpers catch panics.
            let _ = worker.join();
        }
    }
}

/// While it lives helpers may work; dropping it closes the door and waits until all have left.
struct Visit<'a>(&'a Post);

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        let post = self.0;
        let mut door = post.door.fetch_and(!OPEN, Ordering::AcqRel) & !OPEN;
        for look in 1_u64.. {
            if door & (OPEN - 1) == 0 {
                break;
            }
            // Whoever is still inside may need this very core.
            if look % LOOKS == 0 {
                thread::yield_now()
            } else {
                hint::spin_loop()
            }
            door = post.door.load(Ordering::Acquire);
        }
        post.work.store(ptr::null_mut(), Ordering::Relaxed);
    }
}

/// A helper who has come in; dropping it is leaving.
struct Inside<'a>(&'a Post);

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.0.door.fetch_sub(1, Ordering::Release);
    }
}

impl Post {
    /// Lets helpers in. What is returned must be dropped before `work` is.
    fn open<'a>(&'a self, work: &'a Work<'_>) -> Visit<'a> {
        self.work.store(ptr::from_ref(work).cast_mut().cast(), Ordering::Relaxed);
        let number = self.door.load(Ordering::Relaxed) >> NUMBER;
        self.door.store((number + 1) << NUMBER | OPEN, Ordering::SeqCst);
        Visit(self)
    }

    /// Helps whenever there is work, until there will be no more.
    fn serve(&self, number: usize) {
        let mut last = 0;
        while let Some(work) = self.wait(last) {
            last = work;
            let Some(_inside) = self.enter(work) else { continue };
            // SAFETY: the door was open, so `call` had not dropped its `Visit`, and has not before
            // this thread is no longer inside: until then the work is there.
            let work = unsafe { &*self.work.load(Ordering::Relaxed) };
            let outcome = catch_unwind(AssertUnwindSafe(|| (work.help)(number)));
            if let Err(panic) = outcome {
                work.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(panic);
            }
        }
    }

    /// Waits for work after the last one and gives its number; none when all is over.
    fn wait(&self, last: u64) -> Option<u64> {
        let mut begin = None;
        for look in 1_u64.. {
            if let Some(number) = self.look(last) {
                return Some(number);
            }
            hint::spin_loop();
            if look % LOOKS == 0 && begin.get_or_insert_with(Instant::now).elapsed() > LOOKOUT {
                break;
            }
        }
        // Whoever opens the door looks for sleepers after it, and a sleeper at the door after
        // saying that it sleeps: one of them sees the other.
        self.asleep.fetch_add(1, Ordering::SeqCst);
        let number = loop {
            if self.over.load(Ordering::SeqCst) {
                break None;
            }
            if let Some(number) = self.look(last) {
                break Some(number);
            }
            thread::park();
        };
        self.asleep.fetch_sub(1, Ordering::SeqCst);
        number
    }

    /// The number of the work, if it is another than the last.
    fn look(&self, last: u64) -> Option<u64> {
        let number = self.door.load(Ordering::SeqCst) >> NUMBER;
        (number != last).then_some(number)
    }

    /// Goes in, if the door to this work is still open.
    fn enter(&self, work: u64) -> Option<Inside<'_>> {
        let enter = |door: u64| (door >> NUMBER == work && door & OPEN > 0).then_some(door + 1);
        self.door.fetch_update(Ordering::AcqRel, Ordering::Relaxed, enter).ok()?;
        Some(Inside(self))
    }
}

/// What is left of a part of the work.
type Part<T> = Mutex<Option<T>>;

/// Divides work into even parts, of `least` lanes or more.
fn divide<T: Divisible>(whole: T, most: usize, least: usize) -> ArrayVec<Part<T>, MAX_PARTS> {
    let count = (whole.lanes() / least).clamp(1, most);
    let mut parts = ArrayVec::new();
    let mut rest = whole;
    for number in 0..count - 1 {
        let lanes = rest.lanes().div_ceil(count - number);
        let (part, others) = rest.split_at(lanes);
        parts.push(Mutex::new(Some(part)));
        rest = others;
    }
    parts.push(Mutex::new(Some(rest)));
    parts
}

/// Which end of a part is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    First,
    Last,
}

/// Takes so many of the first or last lanes out of a part, or what there is.
fn take<T: Divisible>(part: &Part<T>, count: usize, end: End) -> Option<T> {
    let mut part = part.lock().unwrap_or_else(PoisonError::into_inner);
    let whole = part.take()?;
    let lanes = whole.lanes();
    if lanes <= count {
        return Some(whole);
    }
    let (piece, rest) = match end {
        End::First => whole.split_at(count),
        End::Last => {
            let (rest, piece) = whole.split_at(lanes - count);
            (piece, rest)
        }
    };
    *part = Some(rest);
    Some(piece)
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;
    use std::time::Duration;

    use super::{Crew, Divisible, LOOKOUT};

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

    fn crew(threads: usize) -> Crew {
        Crew::start(threads).expect("the system has threads")
    }

    #[test]
    fn every_lane_is_worked_on_once() {
        for threads in [1, 2, 3, 8, 70] {
            let crew = crew(threads);
            for lanes in (1..130).chain([1000, 5000]) {
                let mut counts = vec![0; lanes];
                crew.share(Counts(&mut counts), 7, |Counts(counts)| {
                    assert!(counts.len() <= 7);
                    counts.iter_mut().for_each(|count| *count += 1);
                });
                assert_eq!(counts, vec![1; lanes]);
            }
        }
    }

    #[test]
    fn helpers_come_awake_and_asleep() {
        let crew = crew(2);
        let caller = thread::current().id();
        for pause in [Duration::ZERO, 3 * LOOKOUT, Duration::from_millis(20)] {
            // Whoever begins first waits for the other, so it is done only if both have come.
            let begun = AtomicUsize::new(0);
            let by_caller = AtomicUsize::new(0);
            thread::sleep(pause);
            crew.share(Counts(&mut [0; 4]), 1, |_| {
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
    fn a_crew_at_work_is_not_waited_for() {
        let crew = crew(3);
        let inner = AtomicUsize::new(0);
        crew.share(Counts(&mut [0; 30]), 1, |_| {
            crew.share(Counts(&mut [0; 4]), 2, |Counts(counts)| {
                inner.fetch_add(counts.len(), Ordering::Relaxed);
            });
        });
        assert_eq!(inner.into_inner(), 120);
    }

    #[test]
    fn panics_reach_the_caller() {
        let crew = crew(4);
        for bad in 0..40 {
            let mut counts: Vec<u32> = (0..40).collect();
            let work = |Counts(counts): Counts<'_>| assert!(!counts.contains(&bad), "lane {bad}");
            let share = || crew.share(Counts(&mut counts), 1, work);
            let panic = catch_unwind(AssertUnwindSafe(share)).expect_err("a lane is bad");
            assert_eq!(panic.downcast_ref::<String>(), Some(&format!("lane {bad}")));
            // The crew works on.
            let mut counts = [0; 40];
            crew.share(Counts(&mut counts), 1, |Counts(counts)| counts[0] += 1);
            assert_eq!(counts, [1; 40]);
        }
    }
}
