//! The threads of calls: all that this crate and those that use it start.
//!
//! A thread that the system does not start is an error, and no panic. Each call has a pool of its own.
//! Threads do not survive a fork, and work that is sent to the pool of a parent process waits for ever,
//! so rayon's global pool is not used.

use std::mem;
use std::ops::Range;
use std::process;
use std::result;
use std::sync::Mutex;
use std::sync::mpsc::sync_channel;
use std::thread::{self, Builder, JoinHandle, Scope, ScopedJoinHandle};

use darkqi_env::batch::MAX_THREADS;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::{Error, NoThreads, Result};
use crate::stopping;

/// Starts a thread.
///
/// # Errors
/// If the system does not.
pub fn spawn<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> result::Result<JoinHandle<T>, NoThreads> {
    spawn_by(Builder::new().name(name.to_owned()), work)
}

/// Starts a thread as a builder says.
///
/// # Errors
/// If the system does not.
pub fn spawn_by<T: Send + 'static>(
    builder: Builder,
    work: impl FnOnce() -> T + Send + 'static,
) -> result::Result<JoinHandle<T>, NoThreads> {
    let asked = stopping::current();
    let work = move || stopping::inherit(asked, work);
    builder.spawn(work).map_err(|cause| NoThreads::new(1, cause))
}

/// Starts a thread that ends with a scope.
///
/// # Errors
/// If the system does not. The work is not done then; threads that wait for it must be told.
pub fn spawn_scoped<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> result::Result<ScopedJoinHandle<'scope, T>, NoThreads> {
    let asked = stopping::current();
    let work = move || stopping::inherit(asked, work);
    Builder::new().spawn_scoped(scope, work).map_err(|cause| NoThreads::new(1, cause))
}

/// Checks that this many threads can be started, for a library that panics where they cannot.
///
/// # Errors
/// If the system does not start all of them.
pub fn check_threads(threads: usize) -> result::Result<(), NoThreads> {
    let (hold, held) = sync_channel::<()>(0);
    let held = &Mutex::new(held);
    thread::scope(|scope| {
        // They end once there is nobody to send.
        let _hold = hold;
        let wait = || drop(held.lock().map(|held| held.recv()));
        let start = |_| spawn_scoped(scope, wait).map(drop);
        (0..threads).try_for_each(start).map_err(|cause| NoThreads { wanted: threads, ..cause })
    })
}

/// Starts a pool of this many threads.
///
/// # Errors
/// If the system does not start all of them.
pub fn thread_pool(threads: usize) -> result::Result<ThreadPool, NoThreads> {
    let asked = stopping::current();
    let inherit = move |_| stopping::inherit_for_good(asked.clone());
    let pool = ThreadPoolBuilder::new().num_threads(threads).start_handler(inherit).build();
    pool.map_err(|cause| NoThreads::new(threads, cause))
}

/// Runs work whose parallel parts use a thread pool of their own, of `threads` threads. `None` is one
/// per core.
///
/// # Errors
/// [`Error::Argument`] if the number is 0 or above 1024, [`Error::Threads`] if the system does not start
/// them.
pub fn with_threads<R: Send>(threads: Option<usize>, work: impl FnOnce() -> R + Send) -> Result<R> {
    Ok(pool(threads)?.install(work))
}

/// Runs work in the caller's pool, or else [`with_threads`], one per core.
///
/// # Errors
/// As [`with_threads`].
pub fn with_pool<R: Send>(work: impl FnOnce() -> R + Send) -> Result<R> {
    if has_pool() { Ok(work()) } else { with_threads(None, work) }
}

/// Does the work of each number, in parallel by the threads of the caller's pool; without one, by the
/// caller alone. The results are in the order of the numbers.
///
/// The type of the work is not a parameter: rayon's code would be compiled for each game whose
/// rules the work uses.
///
/// # Errors
/// One of those of the work, if there are any. Work that has not begun by then may be left out.
pub fn in_parallel<T: Send, E: Send>(
    numbers: Range<usize>,
    work: &(dyn Fn(usize) -> result::Result<T, E> + Sync),
) -> result::Result<Vec<T>, E> {
    if has_pool() {
        numbers.into_par_iter().map(work).collect()
    } else {
        numbers.map(work).collect()
    }
}

/// Does the work of each number as [`in_parallel`] does, and passes on the results in the order of the
/// numbers. Sums of them are therefore equal bit by bit for any number of threads. At most `at_once`
/// results are held at once, which limits the memory.
///
/// # Errors
/// The first of those of the work and of `take`, in the order of the numbers.
pub fn in_order<T: Send, E: Send>(
    numbers: Range<usize>,
    at_once: usize,
    work: &(dyn Fn(usize) -> result::Result<T, E> + Sync),
    mut take: impl FnMut(T) -> result::Result<(), E>,
) -> result::Result<(), E> {
    for first in numbers.clone().step_by(at_once) {
        let some = first..numbers.end.min(first + at_once);
        // Each is done to its end, whatever comes of others, so that the first error is always the same.
        let results: Vec<_> = if has_pool() {
            some.into_par_iter().map(work).collect()
        } else {
            some.map(work).collect()
        };
        results.into_iter().try_for_each(|result| take(result?))?;
    }
    Ok(())
}

/// Whether the caller is a thread of a pool. Without one, rayon would use its global pool.
fn has_pool() -> bool {
    rayon::current_thread_index().is_some()
}

/// # Errors
/// As [`with_threads`].
pub(crate) fn check(threads: Option<usize>) -> Result<()> {
    match threads {
        Some(threads) if threads == 0 || threads > MAX_THREADS => {
            let expected = format!("a number from 1 to {MAX_THREADS}");
            Err(Error::Argument { name: "threads", expected, found: threads.to_string() })
        }
        _ => Ok(()),
    }
}

/// One per core, unless another number is given.
fn count(threads: Option<usize>) -> usize {
    threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from))
}

fn pool(threads: Option<usize>) -> Result<ThreadPool> {
    check(threads)?;
    Ok(thread_pool(count(threads))?)
}

/// The threads of an object that is used more than once.
#[derive(Debug)]
pub(crate) struct Threads {
    /// None for the calling thread alone.
    pool: Option<ThreadPool>,
    /// The process that the pool's threads belong to.
    process: u32,
}

impl Threads {
    /// This many threads; 1 is the calling thread alone, `None` one per core.
    ///
    /// # Errors
    /// As [`with_threads`].
    pub(crate) fn new(threads: Option<usize>) -> Result<Self> {
        check(threads)?;
        let pool = if count(threads) == 1 { None } else { Some(pool(threads)?) };
        Ok(Self { pool, process: process::id() })
    }

    /// The pool; none for the calling thread alone, as in a process that was forked later.
    pub(crate) fn pool(&self) -> Option<&ThreadPool> {
        self.pool.as_ref().filter(|_| self.process == process::id())
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        // In a forked process there are no threads to end, and one may have held a lock of the pool.
        if self.process != process::id() {
            mem::forget(self.pool.take());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_numbers_and_errors_are_passed_on() {
        let squares = with_threads(Some(3), || {
            in_parallel(5..500, &|number| Ok::<_, usize>(number * number))
        });
        let expected: Vec<usize> = (5..500).map(|number| number * number).collect();
        assert_eq!(squares.expect("threads can be started"), Ok(expected));
        let refused = |number| if number == 70 { Err(number) } else { Ok(number) };
        assert_eq!(in_parallel(0..100, &refused), Err(70));
    }

    #[test]
    fn without_a_pool_the_caller_does_all_the_work() {
        let caller = thread::current().id();
        let threads = in_parallel(0..50, &|_| Ok::<_, ()>(thread::current().id()));
        assert_eq!(threads, Ok(vec![caller; 50]));
    }
}
