//! Reviews that are under way or were asked for lately. They are made in the background, and go on as
//! long as somebody asks for them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde::Serialize;
use tokio::task;

use super::Finished;
use super::review::{REVIEWER, Review};
use crate::answer::Refusal;
use crate::work::{LONGEST, Work, lock};

/// Reviews that are kept. Beyond, the one is forgotten that was asked for longest ago.
const MOST: usize = 50;

/// How long a review goes on that nobody asks for.
const PATIENCE: Duration = Duration::from_secs(20);

/// The reviews by what they are of.
#[derive(Default)]
pub(crate) struct Reviews(Mutex<HashMap<String, Arc<Mutex<Progress>>>>);

/// How far a review is.
struct Progress {
    asked: Instant,
    done: usize,
    plies: usize,
    made: Option<Result<Review, Refusal>>,
}

/// How far a review is, and what it says once it is done.
#[derive(Serialize)]
pub(crate) struct Told {
    /// The search that makes it.
    by: &'static str,
    done: usize,
    plies: usize,
    review: Option<Review>,
}

impl Reviews {
    /// The review of this name, if it was asked for before. One that has failed is forgotten, so that it
    /// may be tried again.
    ///
    /// # Errors
    /// If it has failed.
    pub(crate) fn told(&self, name: &str) -> Result<Option<Told>, Refusal> {
        let mut reviews = lock(&self.0);
        let Some(progress) = reviews.get(name).cloned() else { return Ok(None) };
        let mut progress = lock(&progress);
        let was_left = progress.asked.elapsed() >= PATIENCE;
        progress.asked = Instant::now();
        if let Some(Err(refusal)) = &progress.made {
            reviews.remove(name);
            // One that nobody waited for is begun anew.
            return if was_left { Ok(None) } else { Err(refusal.clone()) };
        }
        let review = progress.made.as_ref().and_then(|made| made.as_ref().ok()).cloned();
        let (done, plies) = (progress.done, progress.plies);
        Ok(Some(Told { by: REVIEWER, done, plies, review }))
    }

    /// Begins a review.
    pub(crate) fn begin(&self, name: String, game: Finished, work: Work) -> Told {
        let plies = game.plies();
        let progress = Progress { asked: Instant::now(), done: 0, plies, made: None };
        let progress = Arc::new(Mutex::new(progress));
        let mut reviews = lock(&self.0);
        if reviews.len() >= MOST {
            let oldest = reviews.iter().min_by_key(|(_, progress)| lock(progress).asked);
            if let Some(oldest) = oldest.map(|(name, _)| name.clone()) {
                reviews.remove(&oldest);
            }
        }
        reviews.insert(name, progress.clone());
        task::spawn(async move {
            let told = progress.clone();
            let made = work.run(LONGEST, move |stop| {
                game.review(stop, |done| {
                    let mut progress = lock(&told);
                    progress.done = done;
                    progress.asked.elapsed() < PATIENCE
                })
            });
            let made = made.await;
            let mut progress = lock(&progress);
            (progress.done, progress.made) = (progress.plies, Some(made));
        });
        Told { by: REVIEWER, done: 0, plies, review: None }
    }
}
