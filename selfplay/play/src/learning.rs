//! Positions of logged games with the inputs of a value net, and what the net should say of them.

use std::sync::atomic::{AtomicBool, Ordering};

use darkqi_engine::evaluation::{Evaluation, Prior, input_count, reflections};
use darkqi_engine::judge::{Judge, judge};
use darkqi_env::{AnyState, Player, Rng, Stream, game::MAX_PLAYERS, rng::game_seed};
use darkqi_format::{Dataset, GameRecord, PlyRecord, in_parallel};

use crate::error::Error;
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

/// Positions, each as a seat sees it: `N` of them.
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
    /// Number of teams; a seat without allies is one.
    pub teams: usize,
    /// Half the log odds that the viewer's team wins, by the linear evaluation: `N` numbers.
    pub logits: Vec<f32>,
    /// The viewer's share of a victory, and the part of it that is left as a draw by counters comes near: `N`
    /// numbers. With `t = tanh(logit + output of the net)`, the expected result is this times
    /// `(teams - 2 + teams * t) / (2 * teams - 2)`: in games of two this times `t`.
    pub fading: Vec<f32>,
    /// The value of the viewer's search, from -1 to 1, when it moved next; the result if it moved no
    /// more. In games of two: what the mover's search expected.
    pub values: Vec<f32>,
    /// The viewer's result, from -1 to 1.
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

/// Takes positions from a dataset whose agents log values.
///
/// A position is taken only if its mover logged a value and is not in check; in games of two, whose
/// search looks at captures below the leaves, only if it does not capture either. There a position is
/// seen by both seats, in others by one that is drawn. The result does not depend on the number of
/// threads; rayon's pool of the caller replays the games.
///
/// # Errors
/// If a file cannot be read, a game breaks the rules, or `share` is no probability;
/// [`Error::Stopped`] when `stop` becomes true.
pub fn value_positions(
    dataset: &Dataset,
    sampling: Sampling,
    stop: &AtomicBool,
) -> Result<Positions, Error> {
    if !(0.0..=1.0).contains(&sampling.share) {
        return Err(Error::Share { found: sampling.share });
    }
    let spec = dataset.metadata().spec()?;
    let (replayer, judge) = (Replayer::new(&spec), judge(&spec));
    let sampler = Sampler { seats: spec.num_players, replayer, judge, sampling };
    let shards = 0..dataset.shards().len();
    let shards = in_parallel(shards, &|shard| sampler.shard(dataset, shard, stop))?;
    let mut all = Positions {
        input_count: input_count(&spec.layout),
        squares: spec.layout.size.squares(),
        pieces: spec.layout.pieces.len(),
        reflections: reflections(&spec.layout, spec.layout_reflections()),
        teams: spec.teams.iter().max().map_or(0, |last| last + 1),
        ..Positions::default()
    };
    shards.iter().for_each(|positions| all.append(positions));
    Ok(all)
}

struct Sampler {
    seats: usize,
    replayer: Replayer,
    judge: Box<dyn Judge>,
    sampling: Sampling,
}

impl Sampler {
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
        let seats = self.seats;
        let mut rng = Rng::new(game_seed(self.sampling.seed, game.game_id), Stream::Sample);
        // The ply of each position that is taken, and who sees it.
        let mut taken: Vec<(usize, Player)> = Vec::new();
        let mut adjudged = [0.0; MAX_PLAYERS];
        let mut next = game.moves.iter().enumerate();
        let differences = self.replayer.replay(game, |_, state| {
            let Some((number, ply)) = next.next() else {
                if self.sampling.adjudicate {
                    for (seat, result) in adjudged.iter_mut().enumerate().take(seats) {
                        *result = Evaluation::MOST * self.judge.prior(state, seat).result();
                    }
                }
                return;
            };
            if self.is_wanted(ply, state, &mut rng) {
                let viewers = match seats {
                    2 => 0..2,
                    _ => {
                        let viewer = rng.below(seats as u32) as Player;
                        viewer..viewer + 1
                    }
                };
                for viewer in viewers {
                    taken.push((number, viewer));
                    self.position(state, viewer, positions);
                }
            }
        });
        if !differences.is_empty() {
            return Err(Error::Replay(Difference::list(game.game_id, &differences)));
        }
        for (number, viewer) in taken {
            let result = match game.rewards[viewer] {
                0.0 if self.sampling.adjudicate => adjudged[viewer],
                reward => reward,
            };
            // With more seats, the mover's value says nothing of any other.
            let is_telling = |ply: &&PlyRecord| seats == 2 || ply.player as Player == viewer;
            let told = game.moves[number..].iter().find(is_telling);
            let value = told.and_then(|ply| Some(ply.value.as_ref()?[viewer]));
            positions.values.push(value.unwrap_or(result));
            positions.results.push(result);
        }
        Ok(())
    }

    /// Whether a position is taken in which this ply is played next.
    fn is_wanted(&self, ply: &PlyRecord, state: &dyn AnyState, rng: &mut Rng) -> bool {
        let captures = self.seats == 2 && (ply.captured.is_some() || ply.captured_covered);
        let is_sampled = rng.uniform() < self.sampling.share;
        is_sampled && ply.value.is_some() && !captures && !state.is_check()
    }

    /// Adds a position, but for its value and its result.
    fn position(&self, state: &dyn AnyState, viewer: Player, positions: &mut Positions) {
        let Prior { logit, fading, .. } = self.judge.prior(state, viewer);
        positions.starts.push(positions.inputs.len() as u64);
        self.judge.add_inputs(state, viewer, &mut positions.inputs);
        positions.logits.push(logit);
        positions.fading.push(fading);
    }
}
