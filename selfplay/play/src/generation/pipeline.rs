//! Playing and writing at the same time.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::thread;

use darkqi_datasets::{NoThreads, spawn_scoped};

/// Carries out orders on a thread of its own while `play` gives them. One is carried out, one waits and
/// one is prepared: memory does not grow with their number.
///
/// `play` is given a function that takes an order, and is false if no further one can be carried out;
/// `failed` is then set, and the error returned beside the result of `play`.
///
/// # Errors
/// If the thread cannot be started. Nothing was played then.
pub(super) fn while_writing<O: Send, R, E: Send>(
    failed: &AtomicBool,
    write: impl FnMut(O) -> Result<(), E> + Send,
    play: impl FnOnce(&dyn Fn(O) -> bool) -> R,
) -> Result<(R, Result<(), E>), NoThreads> {
    thread::scope(|scope| {
        let (sender, receiver) = sync_channel::<O>(1);
        let writing = spawn_scoped(scope, move || {
            let written = receiver.iter().try_for_each(write);
            failed.store(written.is_err(), Ordering::Relaxed);
            written
        })?;
        let played = play(&|order| sender.send(order).is_ok());
        drop(sender);
        Ok((played, writing.join().unwrap_or_else(|panic| resume_unwind(panic))))
    })
}
