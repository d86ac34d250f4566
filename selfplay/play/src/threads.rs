//! The threads of a call.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;

use darkqi_env::batch::MAX_THREADS;
use rayon::ThreadPool;

use crate::error::Error;

/// A thread for each core.
pub fn all_threads() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// A pool of this many threads.
///
/// # Errors
/// If there are too many, or they cannot be started.
pub fn thread_pool(threads: NonZeroUsize) -> Result<ThreadPool, Error> {
    let threads = threads.get();
    if threads > MAX_THREADS {
        return Err(Error::config("threads", format!("at most {MAX_THREADS}"), threads));
    }
    Ok(darkqi_format::thread_pool(threads)?)
}

/// Whether work on another thread is done, for a thread that has something to look at while it waits.
///
/// That a thread has finished is known only some time after the last thing that it does. One that wakes
/// its waiter and is not finished yet would be waited for once more, with nobody to wake.
#[derive(Debug)]
pub struct Completion {
    is_done: AtomicBool,
    waiter: Thread,
}

impl Completion {
    /// Of work that the calling thread is going to wait for.
    pub fn for_this_thread() -> Self {
        Self { is_done: AtomicBool::new(false), waiter: thread::current() }
    }

    /// The work is done, and nobody needs to wait for it any longer.
    pub fn tell(&self) {
        self.is_done.store(true, Ordering::Release);
        self.waiter.unpark();
    }

    /// Waits until the work is done, but no longer than this. Whether it is done.
    ///
    /// To be called by the thread that made this.
    pub fn wait(&self, most: Duration) -> bool {
        if !self.is_done.load(Ordering::Acquire) {
            thread::park_timeout(most);
        }
        self.is_done.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Duration;

    use super::Completion;

    #[test]
    fn work_is_done_before_its_thread_has_finished() {
        let done = &Completion::for_this_thread();
        let (sender, receiver) = channel();
        thread::scope(|scope| {
            let worker = scope.spawn(move || {
                done.tell();
                // Not finished before the waiter has seen it.
                receiver.recv()
            });
            // A thread may be woken for no reason, but not at each of these waits.
            let seen = (0..1000).any(|_| done.wait(Duration::from_secs(60)));
            assert!(seen && !worker.is_finished());
            sender.send(()).expect("the worker receives it");
        });
        assert!(done.wait(Duration::MAX));
    }
}
