//! Games in, batches of rows out.

use std::fmt;
use std::ops::Range;
use std::vec;

use darkqi_env::{Format, Registered, Rng, Stream, Visitor, games};
use rayon::prelude::{IntoParallelIterator, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::config::SamplerConfig;
use super::epoch::{self, Epoch};
use super::logged::{self, LoggedGame};
use super::replayed::ReplayedGame;
use super::rows::{RowLengths, TrainingRows};
use crate::error::{Error, Result};
use crate::format::options_from_json;
use crate::read::Dataset;

/// Rows that one task writes: enough that handing out tasks costs nothing beside writing.
const TASK_ROWS: usize = 256;

/// One epoch of a dataset, or one worker's share of it, of a game whose name is known only at run time.
///
/// It holds a shard's games, 6 bytes a ply, and [`SamplerConfig::buffer_size`] packed rows of some hundred bytes; more memory it does not
/// take, however large the dataset is.
pub trait Sampler: Send + fmt::Debug {
    /// Bytes of the buffers whose rows differ by game.
    fn lengths(&self) -> RowLengths;

    /// Writes the next rows and returns how many: fewer than there is room for only at the end of the epoch, from then on
    /// none.
    ///
    /// # Errors
    /// [`Error::Argument`] if a buffer has the wrong length, which changes nothing. Those of opening a shard's files and
    /// [`Error::Value`] where the log is not what the rules give, which names the file, its row, the game and the ply;
    /// they end the epoch, and what has been written into the buffers is no rows.
    fn fill(&mut self, rows: TrainingRows<'_>) -> Result<usize>;
}

/// Opens an epoch of a dataset.
///
/// # Errors
/// [`Error::Argument`] if the configuration is out of range, [`Error::Setup`] or [`Error::Option`] if the dataset is of a game
/// or of options that there are none of.
pub fn open(dataset: &Dataset, config: &SamplerConfig) -> Result<Box<dyn Sampler>> {
    struct Open<'a>(&'a Dataset, &'a SamplerConfig);
    impl Visitor for Open<'_> {
        type Output = Result<Box<dyn Sampler>>;
        fn visit<G: Registered>(self, rules: G) -> Self::Output {
            Ok(Box::new(GameSampler::new(rules, self.0, self.1)?))
        }
    }
    config.check()?;
    let options = options_from_json(&dataset.metadata().options)?;
    games::with(&dataset.metadata().game, &options, Open(dataset, config))?
}

/// [`Sampler`] of a game.
#[derive(Debug)]
struct GameSampler<G> {
    rules: G,
    dataset: Dataset,
    format: Format,
    lengths: RowLengths,
    buffer_size: usize,
    threads: Executor,
    epoch: Epoch,
    /// The games of the current shard that are to come.
    games: vec::IntoIter<LoggedGame>,
    buffer: ShuffleBuffer,
    /// Puts the buffer's rows in order; none where they come as they are logged.
    rng: Option<Rng>,
}

/// Games whose rows are being consumed.
#[derive(Debug, Default)]
struct ShuffleBuffer {
    games: Vec<ReplayedGame>,
    /// The game and the ply of each row.
    order: Vec<(u32, u16)>,
    /// Rows that have been consumed.
    consumed: usize,
}

impl<G: Registered> GameSampler<G> {
    fn new(rules: G, dataset: &Dataset, config: &SamplerConfig) -> Result<Self> {
        let lengths =
            RowLengths { observation: config.format.len(&G::LAYOUT), mask: rules.table().len() };
        Ok(Self {
            rules,
            dataset: dataset.clone(),
            format: config.format,
            lengths,
            buffer_size: config.buffer_size,
            threads: Executor::new(config.num_threads)?,
            epoch: Epoch::new(config, dataset.shards().len()),
            games: Vec::new().into_iter(),
            buffer: ShuffleBuffer::default(),
            rng: config.shuffle.then(|| epoch::rng(config, Stream::RowOrder)),
        })
    }

    /// Replaces the buffer by the next games; leaves it without rows where there are none.
    fn advance(&mut self) -> Result<()> {
        self.buffer = ShuffleBuffer::default();
        let mut games = Vec::new();
        let mut rows = 0;
        while rows < self.buffer_size {
            let Some(game) = self.games.next() else {
                let Some(shard) = self.epoch.next_shard() else { break };
                let share = |games| self.epoch.worker_rows(games);
                self.games = logged::read(&self.dataset, shard, share)?.into_iter();
                continue;
            };
            rows += game.plies.len();
            games.push(game);
        }
        let (dataset, rules) = (&self.dataset, &self.rules);
        let replayed = self.threads.map(games, |game| ReplayedGame::new(dataset, rules, game));
        // The first fault in the order of the games, whichever thread met one first.
        let games = replayed.into_iter().collect::<Result<Vec<_>>>()?;
        let mut order = Vec::with_capacity(rows);
        for (number, game) in (0..).zip(&games) {
            order.extend((0..game.plies()).map(|ply| (number, ply as u16)));
        }
        if let Some(rng) = &mut self.rng {
            rng.shuffle(&mut order);
        }
        self.buffer = ShuffleBuffer { games, order, consumed: 0 };
        Ok(())
    }

    fn try_fill(&mut self, mut rows: TrainingRows<'_>) -> Result<usize> {
        let mut filled = 0;
        while !rows.is_empty() {
            if self.buffer.is_exhausted() {
                self.advance()?;
                if self.buffer.is_exhausted() {
                    break;
                }
            }
            let places = self.buffer.take(rows.len());
            let (now, later) = rows.split_at(places.len(), &self.lengths);
            filled += places.len();
            rows = later;
            let tasks = now.chunks(TASK_ROWS, &self.lengths);
            let tasks: Vec<_> = self.buffer.order[places].chunks(TASK_ROWS).zip(tasks).collect();
            let (games, format, lengths) = (&self.buffer.games, self.format, &self.lengths);
            self.threads.map(tasks, |(places, mut rows)| {
                for (row, &(game, ply)) in places.iter().enumerate() {
                    games[game as usize].write::<G>(ply.into(), format, lengths, &mut rows, row);
                }
            });
        }
        Ok(filled)
    }

    /// Ends the epoch.
    fn end(&mut self) {
        self.epoch.end();
        self.games = Vec::new().into_iter();
        self.buffer = ShuffleBuffer::default();
    }
}

impl<G: Registered> Sampler for GameSampler<G> {
    fn lengths(&self) -> RowLengths {
        self.lengths
    }

    fn fill(&mut self, rows: TrainingRows<'_>) -> Result<usize> {
        rows.check(&self.lengths)?;
        let filled = self.try_fill(rows);
        if filled.is_err() {
            self.end();
        }
        filled
    }
}

impl ShuffleBuffer {
    fn is_exhausted(&self) -> bool {
        self.consumed == self.order.len()
    }

    /// The places in the order of the next rows, at most so many.
    fn take(&mut self, rows: usize) -> Range<usize> {
        let first = self.consumed;
        self.consumed = (first + rows).min(self.order.len());
        first..self.consumed
    }
}

/// Who works.
#[derive(Debug)]
enum Executor {
    Caller,
    Shared,
    Own(ThreadPool),
}

impl Executor {
    fn new(threads: Option<usize>) -> Result<Self> {
        let Some(threads) = threads else { return Ok(Self::Shared) };
        if threads == 1 {
            return Ok(Self::Caller);
        }
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        pool.map(Self::Own).map_err(|error| {
            let expected = "as many as can be started".to_owned();
            Error::Argument { name: "num_threads", expected, found: format!("{threads}: {error}") }
        })
    }

    /// Does something to all items; the results are in their order.
    fn map<T: Send, R: Send>(&self, items: Vec<T>, work: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
        match self {
            Self::Caller => items.into_iter().map(work).collect(),
            Self::Shared => items.into_par_iter().map(work).collect(),
            Self::Own(pool) => pool.install(|| items.into_par_iter().map(work).collect()),
        }
    }
}
