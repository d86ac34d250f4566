//! The threads that step the lanes of a batch.

use super::config::MAX_THREADS;
use super::thread_pool::{self, Divisible, ThreadPool};
use crate::error::BatchError;

/// The threads that step the lanes of a batch.
#[derive(Debug)]
pub(super) enum Workers {
    /// The calling thread alone.
    Caller,
    /// The pool of the process.
    Global,
    /// A pool of the batch's own.
    Own(ThreadPool),
}

impl Workers {
    /// `threads` threads, the caller's included; the pool of the process without a number.
    ///
    /// # Errors
    /// If the number is out of range or the system starts no more threads.
    pub(super) fn new(threads: Option<usize>) -> Result<Self, BatchError> {
        match threads {
            None => Ok(Self::Global),
            Some(1) => Ok(Self::Caller),
            Some(threads @ 2..=MAX_THREADS) => match ThreadPool::new(threads) {
                Ok(pool) => Ok(Self::Own(pool)),
                Err(error) => Err(BatchError::Threads(threads, error.to_string())),
            },
            Some(threads) => Err(BatchError::ThreadCount(threads, MAX_THREADS)),
        }
    }

    /// Starts the pool of the process if it is going to be used.
    ///
    /// # Errors
    /// If the system starts no more threads.
    pub(super) fn start(&self) -> Result<(), BatchError> {
        if matches!(self, Self::Global)
            && let Err(error) = thread_pool::global()
        {
            return Err(BatchError::Threads(*thread_pool::CORES, error.to_string()));
        }
        Ok(())
    }

    pub(super) fn threads(&self) -> usize {
        match self {
            Self::Caller => 1,
            Self::Global => *thread_pool::CORES,
            Self::Own(pool) => pool.threads(),
        }
    }

    /// The threads besides the calling one, if there are any.
    fn pool(&self) -> Option<&ThreadPool> {
        match self {
            Self::Caller => None,
            // Where it could not be started, this is too little for it to have been started before.
            Self::Global => thread_pool::global().ok(),
            Self::Own(pool) => Some(pool),
        }
    }

    /// Runs `work` on chunks of at most `chunk` lanes; on all at once where one thread does it.
    pub(super) fn run<T: Divisible>(&self, whole: T, chunk: usize, work: impl Fn(T) + Sync) {
        let pool = if whole.lanes() > chunk { self.pool() } else { None };
        match pool {
            Some(pool) => pool.run(whole, chunk, &work),
            None => work(whole),
        }
    }
}
