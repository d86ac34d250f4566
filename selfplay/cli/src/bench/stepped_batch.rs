//! A batch with its rows, stepped at random.

use anyhow::{Result, bail};
use darkqi_env::{
    AnyBatch, BatchConfig, BatchError,
    batch::{Buffers, RowLengths},
};

use super::lane_games::LaneGames;
use super::machine;
use super::measure::Config;

/// A batch under random play.
pub(super) struct SteppedBatch {
    pub(super) batch: Box<dyn AnyBatch>,
    pub(super) buffers: Buffers,
    actions: Vec<i64>,
    pub(super) games: LaneGames,
}

impl SteppedBatch {
    /// A batch that has just been dealt.
    ///
    /// # Errors
    /// If there is no such game or option, or the batch is too large.
    pub(super) fn new(config: &Config) -> Result<Self> {
        let setup = |lanes| BatchConfig {
            lanes,
            seed: config.seed,
            format: config.format,
            mask: config.mask,
            threads: Some(config.threads),
            ..BatchConfig::default()
        };
        // One lane gives the size of all others.
        let lengths = darkqi_env::make(&config.game, &config.options, setup(1))?.lengths();
        check_memory(config, bytes_per_step(&lengths))?;
        let batch = darkqi_env::make(&config.game, &config.options, setup(config.lanes))?;
        let buffers = Buffers::new(&*batch);
        let actions = vec![0; config.lanes];
        Ok(Self { batch, buffers, actions, games: LaneGames::new(config.lanes) })
    }

    pub(super) fn bytes_per_step(&self) -> usize {
        bytes_per_step(&self.batch.lengths())
    }

    /// Plays a random action in every lane.
    ///
    /// # Errors
    /// If the batch refuses actions that it sampled itself.
    pub(super) fn step(&mut self) -> Result<(), BatchError> {
        let Self { batch, buffers, actions, games } = self;
        batch.sample_actions(actions)?;
        batch.step(actions, buffers.rows())?;
        games.record(&buffers.terminated, &buffers.truncated);
        Ok(())
    }
}

/// Bytes written by the step of one lane: its rows in all buffers.
fn bytes_per_step(lengths: &RowLengths) -> usize {
    let RowLengths { observation, mask, players } = *lengths;
    observation
        + mask
        + players * size_of::<f32>()
        + size_of::<i8>()
        + 2 * size_of::<bool>()
        + size_of::<i64>()
}

/// # Errors
/// If the rows, and as much memory again for the comparison with a plain fill, do not fit.
fn check_memory(config: &Config, bytes_per_step: usize) -> Result<()> {
    const GIB: f64 = (1_u64 << 30) as f64;
    let needed = 2.0 * config.lanes as f64 * bytes_per_step as f64 / GIB;
    match machine::free_memory().map(|free| free as f64 / GIB) {
        Some(free) if needed > free => bail!(
            "{} with {} lanes: the rows and a copy of them take {needed:.1} GiB, {free:.1} GiB of \
             memory are free",
            config.game,
            config.lanes
        ),
        _ => Ok(()),
    }
}
