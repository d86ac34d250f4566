//! The measurement: warm-up, timed repeats, checks.
//!
//! What is to be compared is measured in turns, one repeat of each after the other: a machine that
//! is slow for a while is so for all of them.

use std::time::{Duration, Instant};

use super::fill::Fill;
use super::games::Total;
use super::proof::Proof;
use super::run::Run;
use super::{Config, Error, Fault};

/// No game has more plies: they are counted in 16 bits.
const MOST_PLIES: u64 = u16::MAX as u64;

/// Lanes begin together. After this many mean lengths of a game, chance has spread them.
const WARM_UP_LENGTHS: f64 = 2.0;

/// The clock is read about this often: reading it must cost nothing beside small batches.
const BURST: Duration = Duration::from_millis(1);

/// Memory is filled for this part of a repeat.
const FILL_SHARE: u32 = 8;

/// What was measured.
#[derive(Clone, Debug)]
pub(crate) struct Measurement {
    /// Bytes that a lane's step writes.
    pub(crate) bytes_per_step: usize,
    /// Steps of the whole batch before the first repeat.
    pub(crate) warm_up: u64,
    /// In the order in which they were measured.
    pub(crate) repeats: Vec<Repeat>,
    /// Games that ended in the repeats.
    pub(crate) games: u64,
    /// Their mean length in plies, NaN without any.
    pub(crate) mean_length: f64,
    /// Mean length of the games that were played alone to check the batch.
    pub(crate) alone_mean_length: f64,
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

/// Measures how fast batches step under random play once their lanes are out of phase, in turns and
/// so often. `each` is told of every repeat before it begins.
///
/// # Errors
/// If a configuration is out of range, or a batch does not do what it is timed for.
pub(crate) fn measure(
    configs: &[Config],
    repeats: usize,
    mut each: impl FnMut(&Config),
) -> Result<Vec<Measurement>, Error> {
    let trial = |config| Trial::new(config, repeats);
    let mut trials = configs.iter().map(trial).collect::<Result<Vec<_>, _>>()?;
    for _ in 0..repeats {
        for trial in &mut trials {
            each(trial.config);
            trial.repeat()?;
        }
    }
    trials.into_iter().map(Trial::finish).collect()
}

/// A batch that is measured.
struct Trial<'a> {
    config: &'a Config,
    proof: Proof<'a>,
    run: Run,
    fill: Fill,
    /// Steps between two looks at the clock.
    burst: u64,
    /// Steps of a repeat at least.
    least: u64,
    /// Steps of the whole batch before the first repeat.
    warm_up: u64,
    /// Games that had ended by then.
    before: Total,
    repeats: Vec<Repeat>,
}

impl<'a> Trial<'a> {
    /// A batch whose lanes are out of phase.
    fn new(config: &'a Config, repeats: usize) -> Result<Self, Error> {
        let proof = Proof::new(config)?;
        let mut run = Run::new(config, proof.kept)?;
        let started = Instant::now();
        warm_up(&mut run, &proof)?;
        let warm_up = run.games.steps();
        let step_time = started.elapsed().as_secs_f64() / warm_up as f64;
        proof.check_lengths(&run)?;
        let fill = Fill::new(config.lanes * run.bytes_per_step(), config.threads)?;
        let burst = (BURST.as_secs_f64() / step_time).ceil() as u64;
        // Together the repeats see every part of a game, even if the lanes are still nearly in step.
        let least = (proof.mean() / repeats as f64).ceil() as u64;
        let before = run.games.total();
        let repeats = Vec::with_capacity(repeats);
        Ok(Self { config, proof, run, fill, burst, least, warm_up, before, repeats })
    }

    fn repeat(&mut self) -> Result<(), Error> {
        let Config { lanes, duration, .. } = *self.config;
        let fill_rate = self.fill.rate(duration / FILL_SHARE);
        let (steps, elapsed) = timed(&mut self.run, duration, self.least, self.burst)?;
        self.repeats.push(Repeat { steps: steps * lanes as u64, elapsed, fill_rate });
        Ok(())
    }

    fn finish(mut self) -> Result<Measurement, Error> {
        let after = self.run.games.total();
        let games = after.games - self.before.games;
        check_change(&mut self.run, &self.proof)?;
        self.proof.check_positions(&self.run)?;
        Ok(Measurement {
            bytes_per_step: self.run.bytes_per_step(),
            warm_up: self.warm_up,
            repeats: self.repeats,
            games,
            mean_length: (after.plies - self.before.plies) as f64 / games as f64,
            alone_mean_length: self.proof.mean(),
        })
    }
}

/// Steps until the lanes are out of phase and each has ended its first games.
fn warm_up(run: &mut Run, proof: &Proof<'_>) -> Result<(), Error> {
    let least = (WARM_UP_LENGTHS * proof.mean()).ceil() as u64;
    while run.games.is_pending() || run.games.steps() < least {
        run.step()?;
        if run.games.steps() > MOST_PLIES {
            let lane = run.games.slowest();
            if run.games.plies(lane) > MOST_PLIES {
                return Err(proof.wrong(Fault::Endless { lane, steps: MOST_PLIES }));
            }
        }
    }
    Ok(())
}

/// Steps for at least this long and this often; gives the number of steps and the time they took.
fn timed(
    run: &mut Run,
    duration: Duration,
    least: u64,
    burst: u64,
) -> Result<(u64, Duration), Error> {
    let mut steps = 0;
    let started = Instant::now();
    loop {
        for _ in 0..burst {
            run.step()?;
        }
        steps += burst;
        let elapsed = started.elapsed();
        if elapsed >= duration && steps >= least {
            return Ok((steps, elapsed));
        }
    }
}

/// Takes one more step, which must give most lanes another observation.
fn check_change(run: &mut Run, proof: &Proof<'_>) -> Result<(), Error> {
    let before = run.buffers.observation.clone();
    run.step()?;
    let length = run.batch.lengths().observation;
    let rows = before.chunks_exact(length).zip(run.buffers.observation.chunks_exact(length));
    let changed = rows.filter(|(before, after)| before != after).count();
    // All of them, but for a rare position that looks to one side as the last did to the other.
    if changed * 2 < run.batch.config().lanes {
        return Err(proof.wrong(Fault::Unchanged { changed }));
    }
    Ok(())
}
