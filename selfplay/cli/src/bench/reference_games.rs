//! The same games played one at a time, with all checks, and compared with those of the batch.
//!
//! A lane's game and its random actions are a function of the batch's seed, the lane and the game's
//! number. Played alone, the game must be the same to the last byte.

use darkqi_env::{AnyState, Format, MaskFormat, Rng, SetupError, Stream, Viewer, game_seed};

use super::config::Config;
use super::error::{BatchFault, Error};
use super::stepped_batch::SteppedBatch;

/// The number of games played alone, rounded up to the same number per lane.
const GAMES: usize = 256;

/// The number of lanes whose position and rows are compared after the last step.
const LANES: usize = 32;

/// Means may differ by this many standard errors. Chance exceeds it once in two million runs.
const SIGMAS: f64 = 5.0;

/// The lengths of games played one at a time.
#[derive(Debug)]
pub(super) struct ReferenceGames<'a> {
    config: &'a Config,
    /// The number of first games per lane that are played.
    pub(super) kept: usize,
    /// Some lanes, with the lengths of their first games.
    lengths: Vec<(usize, Vec<u32>)>,
}

impl<'a> ReferenceGames<'a> {
    /// Plays the first games of some lanes, spread evenly over all.
    ///
    /// # Errors
    /// If there is no such game or option.
    pub(super) fn new(config: &'a Config) -> Result<Self, SetupError> {
        let kept = GAMES.div_ceil(config.lanes);
        let play = |lane| {
            let lengths = (0..kept).map(|game| {
                let mut alone = ReferenceGame::new(config, lane, game as u32)?;
                while alone.state.outcome().is_none() {
                    alone.play();
                }
                Ok(alone.state.ply().into())
            });
            Ok((lane, lengths.collect::<Result<_, SetupError>>()?))
        };
        let lengths = spread(config.lanes, GAMES).map(play).collect::<Result<_, SetupError>>()?;
        Ok(Self { config, kept, lengths })
    }

    /// Mean length of the games played alone, in plies.
    pub(super) fn mean(&self) -> f64 {
        Lengths::new(self.lengths.iter().flat_map(|(_, lengths)| lengths)).mean
    }

    /// Compares the lengths of the first games of all lanes, which must be over: one by one where the
    /// game was played alone, and by their mean otherwise. All first games count, including the long
    /// ones, so the mean is unbiased.
    ///
    /// # Errors
    /// [`Error::Wrong`] if they disagree.
    pub(super) fn check_lengths(&self, run: &SteppedBatch) -> Result<(), Error> {
        let mut alone = self.lengths.iter().peekable();
        let mut others = Vec::new();
        for lane in 0..self.config.lanes {
            let found = run.games.first(lane);
            let Some((_, expected)) = alone.next_if(|&&(other, _)| other == lane) else {
                others.extend(found);
                continue;
            };
            let differs = (0..self.kept).find(|&game| found[game] != expected[game]);
            if let Some(game) = differs {
                let (found, expected) = (found[game], expected[game]);
                return Err(self.error(BatchFault::Length { lane, game, found, expected }));
            }
        }
        let alone = Lengths::new(self.lengths.iter().flat_map(|(_, lengths)| lengths));
        match Lengths::new(&others).standard_errors_apart(&alone) {
            Some(sigmas) if sigmas > SIGMAS => Err(self.error(BatchFault::MeanLength {
                found: Lengths::new(&others).mean,
                expected: alone.mean,
                sigmas,
            })),
            _ => Ok(()),
        }
    }

    /// Compares the current games of some lanes with the same games played alone: their seeds,
    /// positions, and the rows that the last step wrote.
    ///
    /// # Errors
    /// [`Error::Wrong`] if they disagree.
    pub(super) fn check_positions(&self, run: &SteppedBatch) -> Result<(), Error> {
        let Config { lanes, format, mask, .. } = *self.config;
        let lengths = run.batch.lengths();
        let seeds = run.batch.seeds();
        for lane in spread(lanes, LANES) {
            let game = run.games.finished(lane);
            let mut alone = ReferenceGame::new(self.config, lane, game)?;
            let (found, expected) = (seeds[lane], alone.seed);
            if found != expected {
                return Err(self.error(BatchFault::Seed { lane, game, found, expected }));
            }
            (0..run.games.plies(lane)).for_each(|_| alone.play());
            let expected = alone.state.fen();
            let found = run.batch.state(lane).map(|state| state.fen()).unwrap_or_default();
            if found != expected {
                return Err(self.error(BatchFault::Position { lane, found, expected }));
            }
            let row = |all: &'_ [u8], length| all[lane * length..][..length].to_vec();
            if row(&run.buffers.observation, lengths.observation) != alone.observation(format) {
                return Err(self.error(BatchFault::Row { lane, row: "observation" }));
            }
            if row(&run.buffers.mask, lengths.mask) != alone.mask(mask) {
                return Err(self.error(BatchFault::Row { lane, row: "action mask" }));
            }
        }
        Ok(())
    }

    pub(super) fn error(&self, fault: BatchFault) -> Error {
        let Config { lanes, threads, .. } = *self.config;
        Error::Wrong { game: self.config.game.clone(), lanes, threads, fault }
    }
}

/// At most this many lanes, evenly spaced.
fn spread(lanes: usize, most: usize) -> impl Iterator<Item = usize> {
    let count = lanes.min(most);
    // The last lane is among them: errors in splitting work show at the ends.
    (0..count).map(move |number| (number + 1) * lanes / count - 1)
}

/// A lane's game, played alone.
struct ReferenceGame {
    seed: u64,
    state: Box<dyn AnyState>,
    sampler: Rng,
}

impl ReferenceGame {
    fn new(config: &Config, lane: usize, game: u32) -> Result<Self, SetupError> {
        let seed = game_seed(config.seed, u64::from(game) << 32 | lane as u64);
        let state = darkqi_env::deal(&config.game, &config.options, seed)?;
        Ok(Self { seed, state, sampler: Rng::new(seed, Stream::Sample) })
    }

    /// Plays a random action; does nothing once the game is over.
    fn play(&mut self) {
        let legal = self.state.legal_actions();
        if !legal.is_empty() {
            let action = *self.sampler.choose(legal);
            self.state.apply(action).expect("listed actions are legal");
        }
    }

    /// What the mover sees.
    fn observation(&self, format: Format) -> Vec<u8> {
        let mut row = vec![0; format.len(&self.state.spec().layout)];
        self.state.observe(Viewer::Player(self.state.current_player()), format, &mut row);
        row
    }

    /// What the mover may do.
    fn mask(&self, format: MaskFormat) -> Vec<u8> {
        let mut row = vec![0; format.len(self.state.spec().num_actions)];
        for action in self.state.legal_actions().iter().map(|action| action.index()) {
            match format {
                MaskFormat::Bool => row[action] = 1,
                MaskFormat::Bits => row[action / 8] |= 1 << (action % 8),
            }
        }
        row
    }
}

/// Count, mean and squared deviations of lengths.
#[derive(Clone, Copy, Debug)]
struct Lengths {
    count: f64,
    mean: f64,
    /// Sum of squared deviations from the mean.
    squares: f64,
}

impl Lengths {
    fn new<'a>(lengths: impl IntoIterator<Item = &'a u32> + Clone) -> Self {
        let values = || lengths.clone().into_iter().map(|&length| f64::from(length));
        let count = values().count() as f64;
        let mean = values().sum::<f64>() / count;
        Self { count, mean, squares: values().map(|value| (value - mean).powi(2)).sum() }
    }

    /// The difference of two means in standard errors. The variance is pooled, since both are samples
    /// of the same games unless there is a fault. None if a sample is empty.
    fn standard_errors_apart(&self, other: &Self) -> Option<f64> {
        if self.count == 0.0 || other.count == 0.0 {
            return None;
        }
        let variance = (self.squares + other.squares) / (self.count + other.count - 2.0).max(1.0);
        let difference = (self.mean - other.mean).abs();
        let error = (variance * (1.0 / self.count + 1.0 / other.count)).sqrt();
        Some(if difference == 0.0 { 0.0 } else { difference / error })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use darkqi_env::{Format, MaskFormat, Options};

    use super::{Lengths, ReferenceGames, spread};
    use crate::bench::config::Config;
    use crate::bench::error::{BatchFault, Error};
    use crate::bench::stepped_batch::SteppedBatch;

    fn config() -> Config {
        Config {
            game: "gaiqi".into(),
            options: Options::new(),
            lanes: 300,
            threads: 1,
            format: Format::Tokens,
            mask: MaskFormat::Bits,
            seed: 5,
            duration: Duration::from_millis(1),
        }
    }

    fn stepped(config: &Config, reference: &ReferenceGames<'_>) -> SteppedBatch {
        let mut run = SteppedBatch::new(config, reference.kept).expect("the game exists");
        while run.games.is_pending() {
            run.step().expect("its own actions are legal");
        }
        run
    }

    fn fault(result: Result<(), Error>) -> BatchFault {
        match result {
            Err(Error::Wrong { fault, .. }) => fault,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_correct_batch_passes_and_a_faulty_one_does_not() {
        let config = config();
        let mut reference = ReferenceGames::new(&config).expect("the game exists");
        let mut run = stepped(&config, &reference);
        reference.check_lengths(&run).expect("the lengths are right");
        reference.check_positions(&run).expect("the positions are right");

        run.buffers.mask.iter_mut().for_each(|byte| *byte = !*byte);
        let wrong = fault(reference.check_positions(&run));
        assert!(matches!(wrong, BatchFault::Row { row: "action mask", .. }), "{wrong}");
        run.buffers.observation.iter_mut().for_each(|byte| *byte ^= 1);
        let wrong = fault(reference.check_positions(&run));
        assert!(matches!(wrong, BatchFault::Row { row: "observation", .. }), "{wrong}");
        // A step that the counts of games miss.
        let games = run.games.clone();
        run.step().expect("its own actions are legal");
        run.games = games;
        let wrong = fault(reference.check_positions(&run));
        assert!(matches!(wrong, BatchFault::Position { .. } | BatchFault::Seed { .. }), "{wrong}");

        reference.lengths[7].1[0] += 1;
        let wrong = fault(reference.check_lengths(&run));
        assert!(matches!(wrong, BatchFault::Length { game: 0, .. }), "{wrong}");
    }

    #[test]
    fn means_are_compared_by_their_errors() {
        let sample = |lengths: &[u32]| Lengths::new(lengths);
        // Squared deviations 8 and 8 over 4 degrees of freedom: variance 4, error 2 sqrt(2/3).
        let apart =
            sample(&[8, 10, 12]).standard_errors_apart(&sample(&[18, 20, 22])).expect("not empty");
        assert!((apart - 10.0 / (8.0_f64 / 3.0).sqrt()).abs() < 1e-12, "{apart}");
        assert_eq!(sample(&[5, 5]).standard_errors_apart(&sample(&[5])), Some(0.0));
        assert_eq!(sample(&[5, 5]).standard_errors_apart(&sample(&[6])), Some(f64::INFINITY));
        assert_eq!(sample(&[]).standard_errors_apart(&sample(&[6])), None);
    }

    #[test]
    fn lanes_are_spread_to_the_last() {
        assert_eq!(spread(3, 8).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(spread(10, 4).collect::<Vec<_>>(), [1, 4, 6, 9]);
    }
}
