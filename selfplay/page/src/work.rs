//! Computations for requests, rationed by kind, on threads that may block. All of them end
//! when nobody waits for it any more, or when it takes too long.
//!
//! - Beginning (a new game, a game to save), thinking (a hint, a question to an agent) and reporting are
//!   refused beyond their rations.
//! - Reading (what lies in the folders) and telling (what a game looks like) wait for their turn, so that
//!   no page is refused for being fast.
//!
//! Each has a ration of its own: what is slow keeps nothing else waiting.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use serde::Serialize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task;
use tokio::time::timeout;

use super::answer::{Refusal, Written};
use super::log::log;

/// In the long run this many requests of a kind are answered in a second, unless they wait.
const PER_SECOND: u32 = 20;

/// This many are answered at once after a pause.
const BURST: u32 = 100;

/// This many of a kind are under way at a time.
const AT_A_TIME: usize = 8;

/// How long a request waits for its turn.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long an agent may think for an answer.
pub(super) const MAX_THOUGHT: Duration = Duration::from_secs(60);

/// How long anything else may take: large datasets are read for minutes.
pub(super) const LONGEST: Duration = Duration::from_secs(600);

/// What a mutex holds, also after a thread that held it has panicked.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How much work of a kind may still be asked for.
pub(super) struct Ration {
    /// When the requests so far are paid for (the generic cell rate algorithm, GCRA).
    paid: Mutex<Instant>,
    under_way: Arc<Semaphore>,
}

impl Default for Ration {
    fn default() -> Self {
        let under_way = Arc::new(Semaphore::new(AT_A_TIME));
        Self { paid: Mutex::new(Instant::now()), under_way }
    }
}

impl Ration {
    /// Takes one request's share.
    ///
    /// # Errors
    /// If too many came before, or are under way.
    pub(super) fn take(&self) -> Result<Work, Refusal> {
        self.take_at(Instant::now())
    }

    fn take_at(&self, now: Instant) -> Result<Work, Refusal> {
        let interval = Duration::from_secs(1) / PER_SECOND;
        let mut paid = lock(&self.paid);
        let after = (*paid).max(now) + interval;
        if after > now + interval * BURST {
            let reason = format!("too many requests; expected at most {PER_SECOND} a second");
            return Err(Refusal::new(StatusCode::TOO_MANY_REQUESTS, reason));
        }
        let permit = self.under_way.clone().try_acquire_owned().map_err(|_| busy())?;
        *paid = after;
        Ok(Work(permit))
    }

    /// Waits for a place, however many requests came before.
    ///
    /// # Errors
    /// If there is none for too long.
    pub(super) async fn wait(&self) -> Result<Work, Refusal> {
        match timeout(PATIENCE, self.under_way.clone().acquire_owned()).await {
            Ok(Ok(permit)) => Ok(Work(permit)),
            Ok(Err(_)) | Err(_) => Err(busy()),
        }
    }
}

fn busy() -> Refusal {
    let reason = format!("busy: {AT_A_TIME} requests are being worked on; try again later");
    Refusal::new(StatusCode::SERVICE_UNAVAILABLE, reason)
}

/// The right to do work, taken from the ration until it is dropped.
pub(super) struct Work(OwnedSemaphorePermit);

impl Work {
    /// Computes on a thread that may block. The flag is set when nobody waits for the result any more,
    /// or after `longest`.
    pub(super) async fn run<T: Send + 'static>(
        self,
        longest: Duration,
        compute: impl FnOnce(&Arc<AtomicBool>) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let waiting = Waiting::default();
        let stop = waiting.0.clone();
        let computed = task::spawn_blocking(move || {
            // Held until the work ends, which may be after its request is gone.
            let _permit = self.0;
            if stop.load(Ordering::Relaxed) {
                return Err(busy());
            }
            compute(&stop)
        });
        match timeout(longest, computed).await {
            Ok(Ok(done)) => done,
            Ok(Err(panic)) => {
                log(panic);
                let reason = "the server failed; its log says why";
                Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, reason))
            }
            Err(_) => {
                let reason = format!("it took longer than {} s", longest.as_secs());
                Err(Refusal::impossible(reason))
            }
        }
    }

    /// As [`Work::run`], with the answer as JSON, which is written there, too.
    pub(super) async fn answer<T: Serialize>(
        self,
        longest: Duration,
        compute: impl FnOnce(&Arc<AtomicBool>) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<Written, Refusal> {
        self.run(longest, move |stop| Written::new(&compute(stop)?)).await
    }
}

/// A request that is waited for. A server drops it when its connection ends.
#[derive(Default)]
struct Waiting(Arc<AtomicBool>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread;

    use tokio::runtime::Runtime;

    use super::*;

    #[test]
    fn a_burst_is_answered_and_then_so_many_a_second() {
        let ration = Ration::default();
        let start = Instant::now();
        let answered = |now| (0..1_000).filter(|_| ration.take_at(now).is_ok()).count();
        assert_eq!(answered(start), BURST as usize);
        assert_eq!(answered(start + Duration::from_millis(990)), 19);
        assert_eq!(answered(start + Duration::from_secs(100)), BURST as usize);
    }

    #[test]
    fn few_are_worked_on_at_a_time() {
        let ration = Ration::default();
        let now = Instant::now();
        let mut works: Vec<Work> =
            (0..AT_A_TIME).filter_map(|_| ration.take_at(now).ok()).collect();
        assert_eq!(works.len(), AT_A_TIME);
        let refusal = ration.take_at(now).err().expect("all are taken");
        assert!(refusal.to_string().contains("busy"), "{refusal}");
        works.pop();
        assert!(ration.take_at(now).is_ok());
    }

    #[test]
    fn work_ends_when_its_time_is_up() {
        let runtime = Runtime::new().expect("threads can be started");
        let ration = Ration::default();
        let (sender, ended) = channel();
        let refusal = runtime.block_on(async {
            let work = ration.wait().await.expect("there is a place");
            let endless = work.run(Duration::from_millis(20), move |stop| {
                while !stop.load(Ordering::Relaxed) {
                    thread::yield_now();
                }
                sender.send(()).map_err(Refusal::impossible)
            });
            endless.await.expect_err("it has no end")
        });
        assert!(refusal.to_string().contains("longer than"), "{refusal}");
        ended.recv_timeout(Duration::from_secs(60)).expect("it is stopped");
    }
}
