//! From logged games to batches of training rows.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::vec;

use darkqi_env::{Format, Rng, Spec, Stream, batch::RowLengths};
use rayon::prelude::{IntoParallelIterator, ParallelIterator};

use super::config::SamplerConfig;
use super::epoch::{self, Epoch};
use super::logged::{self, LoggedGame};
use super::replayed::ReplayedGame;
use super::rows::{TrainingRows, Widths};
use crate::error::{Error, Result};
use crate::read::Dataset;
use crate::threads::Threads;

/// Rows written by one task: enough to make the cost of scheduling negligible.
const TASK_ROWS: usize = 256;

/// One epoch of a dataset, or one worker's part of it.
///
/// A sampler holds one shard's games (16 bytes per ply, and values and policies as targets) and
/// [`SamplerConfig::buffer_size`] compact rows of about a hundred bytes. Its memory does not grow
/// with the dataset.
#[derive(Debug)]
pub struct Sampler {
    spec: Spec,
    dataset: Dataset,
    format: Format,
    pub(super) targets: bool,
    lengths: RowLengths,
    buffer_size: usize,
    threads: Threads,
    epoch: Epoch,
    /// The remaining games of the current shard.
    games: vec::IntoIter<LoggedGame>,
    buffer: ShuffleBuffer,
    /// Shuffles the buffer's rows; none without shuffling. The order must never change, as in
    /// [`Epoch`].
    rng: Option<Rng>,
}

/// Replayed games whose rows are mixed with one another: a shuffle buffer.
#[derive(Debug, Default)]
struct ShuffleBuffer {
    games: Vec<ReplayedGame>,
    /// The index of the game and the ply of each row, in the order in which they are returned.
    order: Vec<(u32, u16)>,
    /// The number of rows already returned.
    consumed: usize,
}

impl Sampler {
    /// Opens an epoch of a dataset.
    ///
    /// # Errors
    /// [`Error::Argument`] if the configuration is out of range, [`Error::Setup`] or
    /// [`Error::Option`] if the dataset's game or options do not exist.
    pub fn open(dataset: &Dataset, config: &SamplerConfig) -> Result<Self> {
        config.check()?;
        let spec = dataset.metadata().spec()?;
        let lengths = RowLengths {
            observation: config.format.len(&spec.layout),
            mask: spec.num_actions,
            players: spec.num_players,
        };
        Ok(Self {
            spec,
            dataset: dataset.clone(),
            format: config.format,
            targets: config.targets,
            lengths,
            buffer_size: config.buffer_size,
            threads: Threads::new(config.threads)?,
            epoch: Epoch::new(config, dataset.shards().len()),
            games: Vec::new().into_iter(),
            buffer: ShuffleBuffer::default(),
            rng: config.shuffle.then(|| epoch::rng(config, Stream::RowOrder)),
        })
    }

    /// Bytes per row of the buffers whose row length depends on the game.
    pub fn lengths(&self) -> RowLengths {
        self.lengths
    }

    /// Writes the next rows and returns their number. It is smaller than the room only at the end
    /// of the epoch, and 0 after it.
    ///
    /// # Errors
    /// [`Error::Argument`] if a buffer has the wrong length; nothing changes then. Errors
    /// of opening a shard's files, and [`Error::Value`] where the log contradicts the rules; the
    /// message names the file, its row, the game and the ply. These end the epoch, and the buffers'
    /// contents are undefined.
    pub fn fill(&mut self, rows: TrainingRows<'_>) -> Result<usize> {
        self.fill_until(rows, &AtomicBool::new(false))
    }

    /// As [`Sampler::fill`], until the flag is set.
    ///
    /// # Errors
    /// As [`Sampler::fill`]; and [`Error::Stopped`] once `stop` is true, which also ends the epoch.
    pub fn fill_until(&mut self, rows: TrainingRows<'_>, stop: &AtomicBool) -> Result<usize> {
        rows.check(&Widths::new(&self.lengths, self.targets))?;
        // Rows may have been left out by the time that the flag was set.
        let filled = self.try_fill(rows, stop).and_then(|filled| {
            check_running(stop)?;
            Ok(filled)
        });
        if filled.is_err() {
            self.end();
        }
        filled
    }

    /// Refills the buffer with the next games. It stays empty at the end of the epoch.
    fn advance(&mut self, stop: &AtomicBool) -> Result<()> {
        self.buffer = ShuffleBuffer::default();
        let mut games = Vec::new();
        let mut rows = 0;
        while rows < self.buffer_size {
            let Some(game) = self.games.next() else {
                check_running(stop)?;
                let Some(shard) = self.epoch.next_shard() else { break };
                let share = |games| self.epoch.worker_rows(games);
                self.games = logged::read(&self.dataset, shard, self.targets, share)?.into_iter();
                continue;
            };
            rows += game.plies.len();
            games.push(game);
        }
        let (dataset, spec) = (&self.dataset, &self.spec);
        let replayed = map(&self.threads, games, &|game| {
            check_running(stop)?;
            ReplayedGame::new(dataset, spec, game)
        });
        // The first error in the order of the games, whichever thread found one first.
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

    fn try_fill(&mut self, mut rows: TrainingRows<'_>, stop: &AtomicBool) -> Result<usize> {
        let widths = Widths::new(&self.lengths, self.targets);
        let mut filled = 0;
        while !rows.is_empty() {
            check_running(stop)?;
            if self.buffer.is_exhausted() {
                self.advance(stop)?;
                if self.buffer.is_exhausted() {
                    break;
                }
            }
            let places = self.buffer.take(rows.len());
            let (now, later) = rows.split_at(places.len(), &widths);
            filled += places.len();
            rows = later;
            let tasks = now.chunks(TASK_ROWS, &widths);
            let tasks: Vec<_> = self.buffer.order[places].chunks(TASK_ROWS).zip(tasks).collect();
            let (games, spec) = (&self.buffer.games, &self.spec);
            let (format, lengths) = (self.format, &self.lengths);
            map(&self.threads, tasks, &|(places, mut rows)| {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                for (row, &(game, ply)) in places.iter().enumerate() {
                    games[game as usize].write(spec, ply.into(), format, lengths, &mut rows, row);
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

impl ShuffleBuffer {
    fn is_exhausted(&self) -> bool {
        self.consumed == self.order.len()
    }

    /// The range in `order` of the next rows, at most `rows`.
    fn take(&mut self, rows: usize) -> Range<usize> {
        let first = self.consumed;
        self.consumed = (first + rows).min(self.order.len());
        first..self.consumed
    }
}

/// # Errors
/// [`Error::Stopped`] once the flag is set.
fn check_running(stop: &AtomicBool) -> Result<()> {
    if stop.load(Ordering::Relaxed) { Err(Error::Stopped) } else { Ok(()) }
}

/// Maps all items in parallel. Results are in the order of the items.
fn map<T: Send, R: Send>(
    threads: &Threads,
    items: Vec<T>,
    work: &(dyn Fn(T) -> R + Sync),
) -> Vec<R> {
    match threads.pool() {
        Some(pool) => pool.install(|| items.into_par_iter().map(work).collect()),
        None => items.into_iter().map(work).collect(),
    }
}
