//! Positions of logged games with the inputs of a value net, and what the net should say of them.

use std::sync::atomic::{AtomicBool, Ordering};

use darkqi_datasets::{Dataset, GameRecord, PlyRecord, in_parallel, options_from_json};
use darkqi_env::games::{self, Visitor};
use darkqi_env::{Player, Registered, Rng, Stream, Viewer, game_seed};
use libm::tanhf;

use crate::error::Error;
use crate::evaluation::{Evaluation, each_input, input_count, reflections};
use crate::replay::{Difference, Replayer};

/// Which positions are taken from games.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sampling {
    /// The probability that a position is taken, of those that can be.
    pub share: f64,
    /// The seed of the choice of positions.
    pub seed: u64,
    /// Whether a drawn game counts as what the evaluation says of its last position.
    pub adjudicate: bool,
}

/// Positions, each as a seat sees it: `N` of them, two for each position that was taken.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Positions {
    /// Number of inputs of a net for the game.
    pub input_count: usize,
    /// Number of squares. The first inputs are those of squares: one per square and piece id.
    pub squares: usize,
    /// Number of piece ids.
    pub pieces: usize,
    /// Where each input goes in a symmetry of the game: the identity and the others.
    pub reflections: Vec<Vec<u32>>,
    /// The active inputs of all positions.
    pub inputs: Vec<u32>,
    /// Where the inputs of each position begin: `N` numbers.
    pub starts: Vec<u64>,
    /// The logit of the linear evaluation for the viewer: `N` numbers.
    pub logits: Vec<f32>,
    /// What is left of a result as a draw by counters comes near. The expected result is this times
    /// `tanh(logit + output of the net)`.
    pub fading: Vec<f32>,
    /// What the search expected for the viewer, from -1 to 1.
    pub values: Vec<f32>,
    /// What the viewer got in the end, from -1 to 1.
    pub results: Vec<f32>,
}

impl Positions {
    fn append(&mut self, other: &Self) {
        let begun = self.inputs.len() as u64;
        self.inputs.extend(&other.inputs);
        self.starts.extend(other.starts.iter().map(|start| begun + start));
        self.logits.extend(&other.logits);
        self.fading.extend(&other.fading);
        self.values.extend(&other.values);
        self.results.extend(&other.results);
    }
}

/// Takes positions from a dataset whose agents log values, for a game of two.
///
/// A position is taken only if its mover logged a value, is not in check and does not capture: a
/// search evaluates no others. It is seen by each seat in turn. The result does not depend on the
/// number of threads; rayon's pool of the caller replays the games.
///
/// # Errors
/// If a file cannot be read, a game breaks the rules, the game is not one of two, or `share` is no
/// probability; [`Error::Stopped`] when `stop` becomes true.
pub fn value_positions(
    dataset: &Dataset,
    sampling: Sampling,
    stop: &AtomicBool,
) -> Result<Positions, Error> {
    struct Take<'a>(&'a Dataset, Sampling, &'a AtomicBool);
    impl Visitor for Take<'_> {
        type Output = Result<Positions, Error>;
        fn visit<G: Registered>(self, rules: G) -> Self::Output {
            let Self(dataset, sampling, stop) = self;
            if rules.players() != 2 {
                return Err(Error::NotOfTwo { game: G::NAME, seats: rules.players() });
            }
            let sampler = Sampler {
                replayer: Replayer::new(rules),
                evaluation: Evaluation::built_in::<G>(),
                sampling,
            };
            let shards = 0..dataset.shards().len();
            let shards = in_parallel(shards, &|shard| sampler.shard(dataset, shard, stop))?;
            let mut all = Positions {
                input_count: input_count(&G::LAYOUT),
                squares: G::LAYOUT.size.squares(),
                pieces: G::LAYOUT.pieces.len(),
                reflections: reflections(&G::LAYOUT, G::REFLECTIONS),
                ..Positions::default()
            };
            shards.iter().for_each(|positions| all.append(positions));
            Ok(all)
        }
    }
    if !(0.0..=1.0).contains(&sampling.share) {
        return Err(Error::Share { found: sampling.share });
    }
    let metadata = dataset.metadata();
    let options = options_from_json(&metadata.options)?;
    games::with(&metadata.game, &options, Take(dataset, sampling, stop))?
}

struct Sampler<G> {
    replayer: Replayer<G>,
    evaluation: Evaluation,
    sampling: Sampling,
}

impl<G: Registered> Sampler<G> {
    fn shard(
        &self,
        dataset: &Dataset,
        shard: usize,
        stop: &AtomicBool,
    ) -> Result<Positions, Error> {
        let mut positions = Positions::default();
        for game in dataset.shard_replays(shard) {
            if stop.load(Ordering::Relaxed) {
                return Err(Error::Stopped);
            }
            self.game(&game?, &mut positions)?;
        }
        Ok(positions)
    }

    /// Adds the positions of a game.
    fn game(&self, game: &GameRecord, positions: &mut Positions) -> Result<(), Error> {
        let rules = self.replayer.rules();
        let mut rng = Rng::new(game_seed(self.sampling.seed, game.game_id), Stream::Sample);
        let mut viewers: Vec<Player> = Vec::new();
        let mut last = 0.0;
        let mut next = game.moves.iter();
        let differences = self.replayer.replay(game, |_, state| {
            let Some(ply) = next.next() else {
                // The logit of seat 0.
                let view = rules.view(state, Viewer::Player(0));
                last = self.evaluation.logit(rules, &view, 0).0;
                return;
            };
            if self.is_wanted(ply, state, &mut rng) {
                for viewer in 0..2 {
                    viewers.push(viewer);
                    self.position(ply, state, viewer, positions);
                }
            }
        });
        if !differences.is_empty() {
            return Err(Error::Replay(Difference::list(game.game_id, &differences)));
        }
        let result = |viewer: Player| match game.rewards[viewer] {
            0.0 if self.sampling.adjudicate => {
                Evaluation::MOST * tanhf(if viewer == 0 { last } else { -last })
            }
            reward => reward,
        };
        positions.results.extend(viewers.into_iter().map(result));
        Ok(())
    }

    /// Whether a position is taken in which this ply is played next.
    fn is_wanted(&self, ply: &PlyRecord, state: &G::State, rng: &mut Rng) -> bool {
        let captures = ply.captured.is_some() || ply.captured_covered;
        let is_sampled = rng.uniform() < self.sampling.share;
        is_sampled && ply.value.is_some() && !captures && !self.replayer.rules().is_check(state)
    }

    /// Adds a position, but for its result.
    fn position(
        &self,
        ply: &PlyRecord,
        state: &G::State,
        viewer: Player,
        positions: &mut Positions,
    ) {
        let rules = self.replayer.rules();
        let view = rules.view(state, Viewer::Player(viewer));
        let (logit, fading) = self.evaluation.logit(rules, &view, viewer);
        positions.starts.push(positions.inputs.len() as u64);
        each_input(rules, &view, |input| positions.inputs.push(input as u32));
        positions.logits.push(logit);
        positions.fading.push(fading);
        positions.values.push(ply.value.as_ref().map_or(0.0, |values| values[viewer]));
    }
}
