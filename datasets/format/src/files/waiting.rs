//! Waiting for what may never come.

use std::io;
use std::pin::pin;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use crate::stopping::{Stopped, is_stopped};

/// How long it may go unnoticed that a call is to stop.
const PATIENCE: Duration = Duration::from_millis(50);

/// The work that waits on a thread.
#[derive(Debug)]
pub(super) struct Waiter(Option<Runtime>);

impl Waiter {
    /// # Errors
    /// If the system has no more files.
    pub(super) fn new() -> io::Result<Self> {
        Builder::new_current_thread().enable_all().build().map(|runtime| Self(Some(runtime)))
    }

    /// Waits for the result of some work. All waiting for object storage is done here.
    ///
    /// # Errors
    /// The errors of the work; [`Stopped`] as soon as the call of this thread is to stop, also before the
    /// work has begun.
    pub(super) fn wait<T>(&self, work: impl Future<Output = io::Result<T>>) -> io::Result<T> {
        let runtime = self.0.as_ref().expect("it is taken when this is dropped");
        runtime.block_on(async {
            let mut work = pin!(work);
            while !is_stopped() {
                if let Ok(done) = timeout(PATIENCE, &mut work).await {
                    return done;
                }
            }
            Err(io::Error::other(Stopped))
        })
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        // A name that is being looked up on another thread is not waited for.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;
    use std::time::{Duration, Instant};

    use super::Waiter;
    use crate::error::{Error, Result};
    use crate::stopping::stopped_by;
    use crate::{in_parallel, spawn, with_threads};

    /// Waits for what never comes.
    fn wait() -> Result<()> {
        let waited = Waiter::new().and_then(|waiter| waiter.wait(pending::<io::Result<()>>()));
        waited.map_err(Error::io("read", "s3://bucket/x".as_ref()))
    }

    #[test]
    fn a_wait_ends_when_its_call_is_to_stop_on_every_thread() {
        let on_a_thread = || spawn("waits", wait)?.join().expect("it does not panic");
        let in_a_pool = || with_threads(Some(2), || in_parallel(0..2, &|_| wait()))?.map(drop);
        let waits: [(_, &dyn Fn() -> Result<()>); 3] =
            [("the caller", &wait), ("a thread", &on_a_thread), ("a pool", &in_a_pool)];
        for (name, wait) in waits {
            let stop = Arc::new(AtomicBool::new(false));
            let (asked, setting) = (stop.clone(), stop.clone());
            let begun = Instant::now();
            let setter = thread::spawn(move || {
                thread::sleep(Duration::from_millis(100));
                setting.store(true, Ordering::Relaxed);
            });
            let waited = stopped_by(Arc::new(move || asked.load(Ordering::Relaxed)), wait);
            assert!(matches!(waited, Err(Error::Stopped)), "{name}: {waited:?}");
            assert!(begun.elapsed() >= Duration::from_millis(100), "{name}");
            setter.join().expect("it does not panic");
        }
    }

    #[test]
    fn a_call_that_is_to_stop_begins_nothing() {
        let waiter = Waiter::new().expect("there are files");
        let touched = AtomicBool::new(false);
        let work = async {
            touched.store(true, Ordering::Relaxed);
            Ok(())
        };
        let waited = stopped_by(Arc::new(|| true), || waiter.wait(work));
        assert!(waited.is_err() && !touched.load(Ordering::Relaxed));
        // The flag is that of the call, not of the thread.
        assert!(waiter.wait(async { Ok(()) }).is_ok());
    }
}
