//! The measurement: warm-up and timed repeats.
//!
//! Configurations that are to be compared are measured in turns, one repeat of each after the other,
//! so that a temporary load of the machine affects all of them.

use std::fmt::{self, Display, Formatter};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use darkqi_env::{Format, Options, batch::MaskFormat};

use super::lane_games::{GameTotals, LaneGames};
use super::memory_fill::MemoryFill;
use super::stepped_batch::SteppedBatch;

/// The greatest length of a game: plies are counted in 16 bits.
const MAX_PLIES: u64 = u16::MAX as u64;

/// Lanes begin together. After this many mean game lengths they are out of phase.
const WARM_UP_LENGTHS: f64 = 2.0;

/// The clock is read about this often, so that reading it adds nothing to the steps of small batches.
const BURST: Duration = Duration::from_millis(1);

/// Memory is filled for this fraction of a repeat, as a divisor.
const FILL_SHARE: u32 = 8;

/// What is measured.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// The game's name in the registry.
    pub(crate) game: String,
    /// Its options, the rest at their defaults.
    pub(crate) options: Options,
    pub(crate) lanes: usize,
    pub(crate) threads: usize,
    pub(crate) format: Format,
    pub(crate) mask: MaskFormat,
    pub(crate) seed: u64,
    /// The least duration of a repeat.
    pub(crate) duration: Duration,
}

impl Display for Config {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} with {} lanes and {} threads", self.game, self.lanes, self.threads)
    }
}

/// The result of a measurement.
#[derive(Clone, Debug)]
pub(crate) struct Measurement {
    /// Bytes written by the step of one lane.
    pub(crate) bytes_per_step: usize,
    /// Steps of the whole batch before the first repeat.
    pub(crate) warm_up: u64,
    /// In the order of measurement.
    pub(crate) repeats: Vec<Repeat>,
    /// Games that ended in the repeats.
    pub(crate) games: u64,
    /// Their mean length in plies, NaN without any.
    pub(crate) mean_length: f64,
}

/// One timed repeat.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Repeat {
    /// Steps of all lanes together.
    pub(crate) steps: u64,
    pub(crate) elapsed: Duration,
    /// Bytes per second that the machine wrote to a buffer of the rows' size just before.
    pub(crate) fill_rate: f64,
}

impl Repeat {
    pub(crate) fn steps_per_second(&self) -> f64 {
        self.steps as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }
}

/// Measures how fast batches step under random play once their lanes are out of phase: `repeats`
/// times, in turns. `each` is called before every repeat.
///
/// # Errors
/// If a configuration is out of range, or a batch does not play as it should.
pub(crate) fn measure(
    configs: &[Config],
    repeats: usize,
    mut each: impl FnMut(&Config),
) -> Result<Vec<Measurement>> {
    let batch = |config| BatchMeasurement::new(config, repeats);
    let mut batches = configs.iter().map(batch).collect::<Result<Vec<_>>>()?;
    for _ in 0..repeats {
        for batch in &mut batches {
            each(batch.config);
            batch.repeat()?;
        }
    }
    batches.into_iter().map(BatchMeasurement::finish).collect()
}

/// A batch that is measured.
struct BatchMeasurement<'a> {
    config: &'a Config,
    stepped: SteppedBatch,
    fill: MemoryFill,
    /// Steps between two looks at the clock.
    burst: u64,
    /// Steps of a repeat at least.
    least: u64,
    /// Steps of the whole batch before the first repeat.
    warm_up: u64,
    /// Games that had ended by then.
    before: GameTotals,
    repeats: Vec<Repeat>,
}

impl<'a> BatchMeasurement<'a> {
    /// A batch whose lanes are out of phase.
    fn new(config: &'a Config, repeats: usize) -> Result<Self> {
        let mut stepped = SteppedBatch::new(config)?;
        let started = Instant::now();
        warm_up(&mut stepped, config)?;
        let warm_up = stepped.games.steps();
        let step_time = started.elapsed().as_secs_f64() / warm_up as f64;
        let fill = MemoryFill::new(config.lanes * stepped.bytes_per_step(), config.threads)?;
        let burst = (BURST.as_secs_f64() / step_time).ceil() as u64;
        // Together the repeats see every part of a game, even if the lanes are still nearly in step.
        let before = stepped.games.total();
        let least = (before.mean_length() / repeats as f64).ceil() as u64;
        let repeats = Vec::with_capacity(repeats);
        Ok(Self { config, stepped, fill, burst, least, warm_up, before, repeats })
    }

    fn repeat(&mut self) -> Result<()> {
        let Config { lanes, duration, .. } = *self.config;
        let fill_rate = self.fill.rate(duration / FILL_SHARE);
        let (steps, elapsed) = timed(&mut self.stepped, duration, self.least, self.burst)?;
        self.repeats.push(Repeat { steps: steps * lanes as u64, elapsed, fill_rate });
        Ok(())
    }

    fn finish(mut self) -> Result<Measurement> {
        let (after, before) = (self.stepped.games.total(), self.before);
        let (games, plies) = (after.games - before.games, after.plies - before.plies);
        check_change(&mut self.stepped, self.config)?;
        Ok(Measurement {
            bytes_per_step: self.stepped.bytes_per_step(),
            warm_up: self.warm_up,
            repeats: self.repeats,
            games,
            mean_length: GameTotals { games, plies }.mean_length(),
        })
    }
}

/// Steps until the lanes are out of phase and each has ended its first games.
fn warm_up(stepped: &mut SteppedBatch, config: &Config) -> Result<()> {
    let is_in_step = |games: &LaneGames| {
        games.is_pending() || (games.steps() as f64) < WARM_UP_LENGTHS * games.total().mean_length()
    };
    while is_in_step(&stepped.games) {
        stepped.step()?;
        if stepped.games.steps() > MAX_PLIES {
            let lane = stepped.games.longest();
            if stepped.games.plies(lane) > MAX_PLIES {
                bail!("{config} is wrong: lane {lane} has ended no game within {MAX_PLIES} steps");
            }
        }
    }
    Ok(())
}

/// Steps for at least this long and this often; gives the number of steps and the time they took.
fn timed(
    stepped: &mut SteppedBatch,
    duration: Duration,
    least: u64,
    burst: u64,
) -> Result<(u64, Duration)> {
    let mut steps = 0;
    let started = Instant::now();
    loop {
        for _ in 0..burst {
            stepped.step()?;
        }
        steps += burst;
        let elapsed = started.elapsed();
        if elapsed >= duration && steps >= least {
            return Ok((steps, elapsed));
        }
    }
}

/// Takes one more step, which must give most lanes whose game goes on another observation.
fn check_change(stepped: &mut SteppedBatch, config: &Config) -> Result<()> {
    let before = stepped.buffers.observation.clone();
    stepped.step()?;
    let length = stepped.batch.lengths().observation;
    let row = |lane: usize| lane * length..(lane + 1) * length;
    let buffers = &stepped.buffers;
    let is_same = |&lane: &usize| before[row(lane)] == buffers.observation[row(lane)];
    // New deals of a game look alike.
    let going_on = (0..config.lanes).filter(|&lane| !buffers.ended(lane));
    let (same, changed): (Vec<_>, Vec<_>) = going_on.partition(is_same);
    // All of them, but for a rare position that looks to one side as the last did to the other.
    if changed.len() < same.len() {
        let changed = changed.len();
        bail!("{config} is wrong: a step changed the observations of {changed} lanes only");
    }
    Ok(())
}
