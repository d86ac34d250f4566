//! The threads of a call.

use std::num::NonZeroUsize;
use std::thread;

use darkqi_env::MAX_THREADS;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::Error;

/// A thread for each core.
pub fn all_threads() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// A pool of this many threads.
///
/// # Errors
/// If there are too many, or they cannot be started.
pub(crate) fn thread_pool(threads: NonZeroUsize) -> Result<ThreadPool, Error> {
    let threads = threads.get();
    if threads > MAX_THREADS {
        let expected = format!("at most {MAX_THREADS}");
        return Err(Error::Config { field: "threads", found: threads as u64, expected });
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|cause| Error::Threads { threads, cause: cause.to_string() })
}
