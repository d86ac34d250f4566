//! A search on a thread of its own.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::Instant;

use darkqi_engine::engines::Dialect;
use darkqi_engine::evaluation::centipawns_of_value;
use darkqi_engine::search::{Expectimax, Limits, SearchResult};
use darkqi_env::{Registered, Rng, Session, Stream, Viewer, Visitor, games};
use darkqi_format::{NoThreads, spawn};

use super::position::Position;
use super::server::Event;

/// A search under way.
#[derive(Debug)]
pub(super) struct Thinking {
    stop: Arc<AtomicBool>,
    /// Whether the move may be told only when the search has been stopped.
    pub(super) is_infinite: bool,
}

impl Thinking {
    /// Ends the search as soon as it looks.
    pub(super) fn stop(&mut self) {
        self.is_infinite = false;
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Starts a search of a game that is not over. What it finds is sent as events, and at the end
    /// the search itself.
    ///
    /// # Errors
    /// If the thread cannot be started. The search is lost.
    pub(super) fn start(
        position: &Position,
        search: Expectimax,
        limits: Limits,
        is_infinite: bool,
        events: Sender<Event>,
    ) -> Result<Self, NoThreads> {
        let stop = Arc::new(AtomicBool::new(false));
        let dialect = position.dialect;
        let job = Job { search, dialect, limits, stop: stop.clone(), events };
        let spec = position.state.spec();
        games::with(spec.name, &spec.options_in_force(), Start { position, job })
            .expect("the game of a position exists")?;
        Ok(Self { stop, is_infinite })
    }
}

/// The needs of the thread beside the position.
struct Job {
    search: Expectimax,
    dialect: Dialect,
    limits: Limits,
    stop: Arc<AtomicBool>,
    events: Sender<Event>,
}

struct Start<'a> {
    position: &'a Position,
    job: Job,
}

impl Visitor for Start<'_> {
    type Output = Result<(), NoThreads>;
    fn visit<G: Registered>(self, _: G) -> Self::Output {
        let session = (&*self.position.state as &dyn Any).downcast_ref::<Session<G>>();
        let session = session.expect("the session is of the game it names").clone();
        let events = self.job.events.clone();
        let work = move || {
            // The client waits for an answer, whatever happens.
            if catch_unwind(AssertUnwindSafe(|| self.job.run(&session))).is_err() {
                let _ = events.send(Event::Failed);
            }
        };
        spawn("darkqi-search", work).map(drop)
    }
}

impl Job {
    fn run<G: Registered>(self, session: &Session<G>) {
        let Self { mut search, dialect, limits, stop, events } = self;
        let (rules, state) = (session.rules(), session.state());
        let view = rules.view(state, Viewer::Player(rules.to_move(state)));
        let mut rng = Rng::new(0, Stream::Ply(rules.ply(state)));
        let begun = Instant::now();
        search.set_limits(limits);
        let name =
            |seat, action| dialect.move_name(&rules.table().name(action, rules.perspective(seat)));
        // Nobody listens any more once the server has ended.
        let found = search.search_until(rules, &view, &mut rng, &stop, &mut |found, variation| {
            let names: Vec<_> =
                variation().into_iter().map(|(seat, action)| name(seat, action)).collect();
            let _ = events.send(Event::Info(info(found, begun, &names.join(" "))));
        });
        if search.has_no_table() {
            let text =
                format!("Hash: there is no memory for {} MiB; searched without", search.hash());
            let _ = events.send(Event::Info(format!("info string {text}")));
        }
        if let Some(cause) = search.unhelped() {
            let _ = events.send(Event::Info(format!("info string {cause}; searched nothing")));
        }
        let best = name(rules.to_move(state), found.action);
        let _ = events.send(Event::Found { search: Box::new(search), best });
    }
}

/// The `info` line of a depth.
fn info(found: &SearchResult, begun: Instant, variation: &str) -> String {
    let elapsed = begun.elapsed();
    let rate = found.nodes as f64 / elapsed.as_secs_f64().max(1e-6);
    format!(
        "info depth {} score cp {} nodes {} nps {} time {} pv {variation}",
        found.depth,
        centipawns_of_value(found.value),
        found.nodes,
        rate as u64,
        elapsed.as_millis(),
    )
}
