//! Thousands of games in one call. Nothing here knows a rule.
//!
//! Lane `i` plays its games one after another: the `k`-th is game `k * 2^32 + i` of the batch's
//! seed, whatever the number of lanes or threads. A batch may hold some of the lanes only, so that
//! several batches share them out.

mod lane;
mod mask;
mod rows;

use std::cell::RefCell;

use rayon::prelude::{
    IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator, ParallelSliceMut,
};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::{ActionError, BatchError, SetupError};
use crate::games::{self, Registered, Visitor};
use crate::hidden::Viewer;
use crate::observe::Format;
use crate::options::Options;
use crate::session::{AnyState, Session};
use crate::simd;
use crate::spec::Spec;
use lane::{Choice, Lane};
use rows::Row;

pub use mask::{Mask, MaskFormat};
pub use rows::{RowLengths, Rows};

/// Lanes that one task works on: few enough to share work out evenly, enough that handing out
/// tasks costs nothing beside stepping.
const TASK_LANES: usize = 64;

/// From this size on, rows are written past the caches: they would only push out the games, and be
/// pushed out themselves before anybody reads them.
const STREAMED_BYTES: usize = 10 << 20;

/// As many rows as fit in this are streamed at once: it lies well within the nearest cache.
const DRAFT_BYTES: usize = 24 << 10;

thread_local! {
    /// Where a thread writes rows that it then streams out.
    static DRAFT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// More threads than this are a slip: no machine has so many cores.
pub const MAX_THREADS: usize = 1024;

/// How a batch is set up.
#[derive(Clone, Debug)]
pub struct BatchConfig {
    /// Number of lanes.
    pub lanes: usize,
    /// The number of the first lane: the others follow it. Games and errors go by it; everything
    /// else that takes a lane counts from 0.
    pub first_lane: usize,
    /// The batch's seed.
    pub seed: u64,
    /// How observations are written.
    pub format: Format,
    /// How masks are written.
    pub mask: MaskFormat,
    /// Number of threads; `None` for the process-wide pool, one per core.
    pub threads: Option<usize>,
}

/// Games of one kind, stepped together.
#[derive(Debug)]
pub struct Batch<G: Registered> {
    rules: G,
    config: BatchConfig,
    lanes: Vec<Lane<G>>,
    /// What may be done in each lane.
    choices: Vec<Choice>,
    pool: Option<ThreadPool>,
    /// Whether a ply has been played or the games have been handed out by a reset.
    touched: bool,
}

impl<G: Registered> Batch<G> {
    /// A batch with a game dealt in every lane.
    ///
    /// # Errors
    /// If the number of lanes or threads is out of range.
    pub fn new(rules: G, config: BatchConfig) -> Result<Self, BatchError> {
        let end = config.first_lane.saturating_add(config.lanes);
        if config.lanes == 0 || end as u64 > 1 << 32 {
            return Err(BatchError::Lanes(if config.lanes == 0 { 0 } else { end }));
        }
        let pool = match config.threads {
            None | Some(1) => None,
            Some(threads) if threads == 0 || threads > MAX_THREADS => {
                return Err(BatchError::ThreadCount(threads, MAX_THREADS));
            }
            Some(threads) => {
                let pool = ThreadPoolBuilder::new().num_threads(threads).build();
                Some(pool.map_err(|error| BatchError::Threads(threads, error.to_string()))?)
            }
        };
        let actions = rules.table().len();
        let mut choices: Vec<_> = (0..config.lanes).map(|_| Choice::new(actions)).collect();
        let deal = |(lane, choice)| Lane::new(&rules, config.seed, lane, choice);
        let lanes = (config.first_lane..).zip(&mut choices).map(deal).collect();
        Ok(Self { rules, config, lanes, choices, pool, touched: false })
    }

    /// Runs `work` on every lane and its row, in parallel.
    fn each_row<W>(&mut self, rows: Rows<'_>, work: W)
    where
        W: Fn(&G, &mut Lane<G>, &mut Choice, &mut Row<'_>) + Sync,
    {
        let lengths = self.lengths();
        let alone = self.works_alone();
        let Self { rules, lanes, choices, pool, .. } = self;
        let streamed = lanes.len() * (lengths.observation + lengths.mask) >= STREAMED_BYTES;
        let task = Task { rules, lengths: &lengths, lanes, choices, rows, streamed };
        if alone {
            task.run(&work);
        } else {
            on(pool.as_ref(), || task.share(&work));
        }
    }

    /// Whether the calling thread does all the work: waking others takes longer than a few lanes.
    fn works_alone(&self) -> bool {
        self.config.threads == Some(1) || self.lanes.len() <= TASK_LANES
    }

    fn lengths(&self) -> RowLengths {
        RowLengths {
            observation: self.config.format.len(&G::LAYOUT),
            mask: self.config.mask.len(self.rules.table().len()),
            players: self.rules.players(),
        }
    }
}

/// Runs in a pool of its own, or in the process-wide one.
fn on<R: Send>(pool: Option<&ThreadPool>, run: impl FnOnce() -> R + Send) -> R {
    match pool {
        Some(pool) => pool.install(run),
        None => run(),
    }
}

/// A run of lanes with their rows.
struct Task<'a, G: Registered> {
    rules: &'a G,
    lengths: &'a RowLengths,
    lanes: &'a mut [Lane<G>],
    choices: &'a mut [Choice],
    rows: Rows<'a>,
    /// Whether rows are written past the caches.
    streamed: bool,
}

impl<G: Registered> Task<'_, G> {
    /// Halves the run until it is short, so that idle threads can take the other half.
    fn share<W>(self, work: &W)
    where
        W: Fn(&G, &mut Lane<G>, &mut Choice, &mut Row<'_>) + Sync,
    {
        if self.lanes.len() <= TASK_LANES {
            return self.run(work);
        }
        let half = self.lanes.len() / 2;
        let (left, right) = self.split_at(half);
        rayon::join(|| left.share(work), || right.share(work));
    }

    /// The first lanes, and the others.
    fn split_at(self, lanes: usize) -> (Self, Self) {
        let (lanes, other_lanes) = self.lanes.split_at_mut(lanes);
        let (choices, other_choices) = self.choices.split_at_mut(lanes.len());
        let (rows, other_rows) = self.rows.split_at(lanes.len(), self.lengths);
        (
            Self { lanes, choices, rows, ..self },
            Self { lanes: other_lanes, choices: other_choices, rows: other_rows, ..self },
        )
    }

    fn run<W>(self, work: &W)
    where
        W: Fn(&G, &mut Lane<G>, &mut Choice, &mut Row<'_>) + Sync,
    {
        if !self.streamed {
            return self.run_in_place(work);
        }
        let drafted = (DRAFT_BYTES / (self.lengths.observation + self.lengths.mask)).max(1);
        DRAFT.with_borrow_mut(|draft| {
            let mut rest = self;
            while !rest.lanes.is_empty() {
                let count = drafted.min(rest.lanes.len());
                let (some, others) = rest.split_at(count);
                let Self { rules, lengths, lanes, choices, rows, streamed } = some;
                rows.stream(draft, |rows| {
                    Task { rules, lengths, lanes, choices, rows, streamed }.run_in_place(work);
                });
                rest = others;
            }
        });
        simd::publish();
    }

    fn run_in_place<W>(self, work: &W)
    where
        W: Fn(&G, &mut Lane<G>, &mut Choice, &mut Row<'_>) + Sync,
    {
        let mut lanes = self.lanes.iter_mut().peekable();
        for (choice, mut row) in self.choices.iter_mut().zip(self.rows.each(self.lengths)) {
            let Some(lane) = lanes.next() else { break };
            // The next game comes into reach while this one is played.
            if let Some(next) = lanes.peek() {
                simd::prefetch(&**next);
            }
            work(self.rules, lane, choice, &mut row);
        }
    }
}

/// A [`Batch`] of a game whose name is known only at run time.
pub trait AnyBatch: Send + Sync {
    /// The game with its options.
    fn spec(&self) -> Spec;
    /// How the batch was set up.
    fn config(&self) -> &BatchConfig;
    /// Bytes and elements of each row.
    fn lengths(&self) -> RowLengths;
    /// Deals a new game in every lane and writes all rows. With a seed the games are those of a
    /// new batch; without one, the first call hands out the games dealt already and later ones go
    /// on to each lane's next.
    ///
    /// # Errors
    /// If a buffer has the wrong length; nothing is changed then.
    fn reset(&mut self, seed: Option<u64>, rows: Rows<'_>) -> Result<(), BatchError>;
    /// Plays one action in every lane and writes all rows. A lane whose game ends reports so and
    /// deals its next game in the same step.
    ///
    /// # Errors
    /// If an action is not legal in its lane or a buffer has the wrong length; nothing is changed
    /// then.
    fn step(&mut self, actions: &[i64], rows: Rows<'_>) -> Result<(), BatchError>;
    /// Whether [`step`](Self::step) would play these actions. Nothing is changed.
    ///
    /// # Errors
    /// If an action is not legal in its lane or there are not as many as lanes.
    fn check_actions(&mut self, actions: &[i64]) -> Result<(), BatchError>;
    /// Writes what a viewer sees of every lane.
    ///
    /// # Errors
    /// If there is no such seat or the buffer has the wrong length.
    fn observe(&self, viewer: Viewer, out: &mut [u8]) -> Result<(), BatchError>;
    /// Draws a uniformly random legal action for every lane, from the stream of its game.
    ///
    /// # Errors
    /// If the buffer has the wrong length.
    fn sample_actions(&mut self, out: &mut [i64]) -> Result<(), BatchError>;
    /// A copy of one lane's game, unless there is no such lane.
    fn state(&self, lane: usize) -> Option<Box<dyn AnyState>>;
    /// The seed of each lane's current game: a single game dealt with it is the same.
    fn seeds(&self) -> Vec<u64>;
}

impl<G: Registered> AnyBatch for Batch<G> {
    fn spec(&self) -> Spec {
        Spec::of(&self.rules)
    }

    fn config(&self) -> &BatchConfig {
        &self.config
    }

    fn lengths(&self) -> RowLengths {
        self.lengths()
    }

    fn reset(&mut self, seed: Option<u64>, rows: Rows<'_>) -> Result<(), BatchError> {
        rows.check(self.lanes.len(), &self.lengths())?;
        let deal_anew = self.touched || seed.is_some();
        self.touched = true;
        self.config.seed = seed.unwrap_or(self.config.seed);
        let BatchConfig { seed: batch_seed, format, mask, .. } = self.config;
        self.each_row(rows, |rules, lane, choice, row| {
            if seed.is_some() {
                lane.restart(rules, batch_seed, choice);
            } else if deal_anew {
                lane.next_game(rules, batch_seed, choice);
            }
            row.clear_results();
            lane.write(rules, format, mask, choice, row);
        });
        Ok(())
    }

    fn step(&mut self, actions: &[i64], rows: Rows<'_>) -> Result<(), BatchError> {
        rows.check(self.lanes.len(), &self.lengths())?;
        // All actions are checked before any is played, and each is read once: what is played is
        // what was checked, even if the caller's buffer changes meanwhile.
        self.check_actions(actions)?;
        self.touched = true;
        let BatchConfig { seed, format, mask, .. } = self.config;
        self.each_row(rows, |rules, lane, choice, row| {
            lane.step(rules, seed, format, choice, row);
            lane.write(rules, format, mask, choice, row);
        });
        Ok(())
    }

    fn check_actions(&mut self, actions: &[i64]) -> Result<(), BatchError> {
        rows::check_length("actions", self.lanes.len(), actions.len())?;
        for (number, &action) in actions.iter().enumerate() {
            if !self.choices[number].set(action) {
                return Err(BatchError::Action {
                    lane: self.config.first_lane + number,
                    source: self.objection(number, action),
                });
            }
        }
        Ok(())
    }

    fn observe(&self, viewer: Viewer, out: &mut [u8]) -> Result<(), BatchError> {
        if let Viewer::Player(player) = viewer
            && player >= self.rules.players()
        {
            return Err(BatchError::Viewer { viewer: player, players: self.rules.players() });
        }
        let format = self.config.format;
        let length = format.len(&G::LAYOUT);
        rows::check_length("observation", self.lanes.len() * length, out.len())?;
        let write = |(row, lane): (&mut [u8], &Lane<G>)| {
            format.write(&self.rules, &self.rules.view(&lane.state, viewer), row);
        };
        if self.works_alone() {
            out.chunks_exact_mut(length).zip(&self.lanes).for_each(write);
        } else {
            on(self.pool.as_ref(), || {
                let rows = out.par_chunks_exact_mut(length);
                rows.zip(&self.lanes).with_min_len(TASK_LANES).for_each(write);
            });
        }
        Ok(())
    }

    fn sample_actions(&mut self, out: &mut [i64]) -> Result<(), BatchError> {
        rows::check_length("actions", self.lanes.len(), out.len())?;
        let alone = self.works_alone();
        let Self { choices, pool, .. } = self;
        let draw = |(action, choice): (&mut i64, &mut Choice)| *action = choice.sample();
        if alone {
            out.iter_mut().zip(choices).for_each(draw);
        } else {
            on(pool.as_ref(), || {
                out.par_iter_mut().zip(choices).with_min_len(TASK_LANES).for_each(draw);
            });
        }
        Ok(())
    }

    fn state(&self, lane: usize) -> Option<Box<dyn AnyState>> {
        let lane = self.lanes.get(lane)?;
        Some(Box::new(Session::new(self.rules.clone(), lane.state.clone())))
    }

    fn seeds(&self) -> Vec<u64> {
        self.lanes.iter().map(|lane| lane.seed(self.config.seed)).collect()
    }
}

impl<G: Registered> Batch<G> {
    /// Why an action cannot be played in a lane.
    #[cold]
    fn objection(&self, lane: usize, action: i64) -> ActionError {
        let mut session = Session::new(self.rules.clone(), self.lanes[lane].state.clone());
        let played = session.action(action).and_then(|action| session.apply(action));
        played.expect_err("the lane's mask refused the action")
    }
}

/// A batch by the game's name.
///
/// # Errors
/// If there is no such game or option, or the configuration is out of range.
pub fn make(
    game: &str,
    options: &Options,
    config: BatchConfig,
) -> Result<Box<dyn AnyBatch>, SetupError> {
    struct Make(BatchConfig);
    impl Visitor for Make {
        type Output = Result<Box<dyn AnyBatch>, BatchError>;
        fn visit<G: Registered>(self, rules: G) -> Self::Output {
            Ok(Box::new(Batch::new(rules, self.0)?))
        }
    }
    Ok(games::with(game, options, Make(config))??)
}
