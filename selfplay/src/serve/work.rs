//! What costs more than an answer: a new game, a hint, a question to an agent, a report. It is
//! rationed. A hint, a question and a report end when nobody waits for them any more, a hint also
//! with its position and after a minute.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::answer::{Answer, Refusal, blocking};

/// In the long run this many requests for work are answered in a second.
const PER_SECOND: u32 = 20;

/// This many are answered at once after a pause.
const BURST: u32 = 100;

/// This many are under way at a time.
const AT_A_TIME: usize = 8;

/// How much work may still be asked for.
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
    /// Takes one request's share at this moment.
    ///
    /// # Errors
    /// If too many came before, or are under way.
    pub(super) fn take(&self, now: Instant) -> Result<Work, Refusal> {
        let interval = Duration::from_secs(1) / PER_SECOND;
        let mut paid = self.paid.lock().unwrap_or_else(PoisonError::into_inner);
        let after = (*paid).max(now) + interval;
        if after > now + interval * BURST {
            let reason = format!("too many requests; expected at most {PER_SECOND} a second");
            return Err(Refusal::new(StatusCode::TOO_MANY_REQUESTS, reason));
        }
        let permit = self.under_way.clone().try_acquire_owned().map_err(|_| {
            let reason = format!("busy: {AT_A_TIME} requests are being worked on; try again later");
            Refusal::new(StatusCode::SERVICE_UNAVAILABLE, reason)
        })?;
        *paid = after;
        Ok(Work(permit))
    }
}

/// The right to do work, taken from the ration until it is dropped.
pub(super) struct Work(OwnedSemaphorePermit);

impl Work {
    /// Computes an answer on a thread that may block. The flag is set when nobody waits for the
    /// answer any more.
    pub(super) async fn compute<T: Send + 'static>(
        self,
        compute: impl FnOnce(&AtomicBool) -> Result<T, Refusal> + Send + 'static,
    ) -> Answer<T> {
        let waiting = Waiting::default();
        let stop = waiting.0.clone();
        blocking(move || {
            // Held until the work ends, which may be after its request is gone.
            let _permit = self.0;
            compute(&stop)
        })
        .await
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
    use super::*;

    #[test]
    fn a_burst_is_answered_and_then_so_many_a_second() {
        let ration = Ration::default();
        let start = Instant::now();
        let answered = |now| (0..1_000).filter(|_| ration.take(now).is_ok()).count();
        assert_eq!(answered(start), BURST as usize);
        assert_eq!(answered(start + Duration::from_millis(990)), 19);
        assert_eq!(answered(start + Duration::from_secs(100)), BURST as usize);
    }

    #[test]
    fn few_are_worked_on_at_a_time() {
        let ration = Ration::default();
        let now = Instant::now();
        let mut works: Vec<Work> = (0..AT_A_TIME).filter_map(|_| ration.take(now).ok()).collect();
        assert_eq!(works.len(), AT_A_TIME);
        let refusal = ration.take(now).err().expect("all are taken");
        assert!(refusal.to_string().contains("busy"), "{refusal}");
        works.pop();
        assert!(ration.take(now).is_ok());
    }
}
