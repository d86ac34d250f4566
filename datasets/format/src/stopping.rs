//! The end of a wait that has no end of its own: one for object storage.
//!
//! A long call has a flag that ends it, and looks at it between games. The wait for an object lies
//! below functions that know nothing of it, such as those that open a dataset. Therefore a thread knows
//! whether its call is to stop, and so do the threads that [`threads`](crate::threads) starts for it.

use std::cell::RefCell;
use std::sync::Arc;

use thiserror::Error;

/// Tells whether a call is to stop.
pub type IsStopped = Arc<dyn Fn() -> bool + Send + Sync>;

/// The error of a wait that was stopped: the cause of an [`std::io::Error`].
#[derive(Clone, Copy, Debug, Error)]
#[error("stopped")]
pub(crate) struct Stopped;

thread_local! {
    static ASKED: RefCell<Option<IsStopped>> = const { RefCell::new(None) };
}

/// Does some work. Once `is_stopped` is true, waits for object storage within it end with
/// [`Error::Stopped`](crate::Error::Stopped), and others do not begin: on this thread, and on those that
/// [`spawn`](crate::spawn()), [`spawn_scoped`](crate::spawn_scoped()) and
/// [`thread_pool`](crate::thread_pool()) start within it.
pub fn stopped_by<R>(is_stopped: IsStopped, work: impl FnOnce() -> R) -> R {
    inherit(Some(is_stopped), work)
}

/// Does some work of a call that [`current`] has told.
pub(crate) fn inherit<R>(asked: Option<IsStopped>, work: impl FnOnce() -> R) -> R {
    struct Restored(Option<IsStopped>);
    impl Drop for Restored {
        fn drop(&mut self) {
            ASKED.set(self.0.take());
        }
    }
    let _before = Restored(ASKED.replace(asked));
    work()
}

/// For all the work that this thread will do.
pub(crate) fn inherit_for_good(asked: Option<IsStopped>) {
    ASKED.set(asked);
}

/// The flag that stops the call of this thread.
pub(crate) fn current() -> Option<IsStopped> {
    ASKED.with_borrow(Clone::clone)
}

#[cfg(any(test, feature = "object-store"))]
/// Whether the call of this thread is to stop.
pub(crate) fn is_stopped() -> bool {
    current().is_some_and(|is_stopped| is_stopped())
}
