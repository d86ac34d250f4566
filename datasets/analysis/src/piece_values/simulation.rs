//! Positions of simulated games with results drawn from known values.

use std::io;

use darkqi_env::{Registered, Rng};
use rand::RngExt as _;
use rand::distr::Open01;

use super::feature::Feature;
use super::positions::{PositionSampler, Scratch};
use super::row_file::{Block, RowFile};
use super::sample::SampledRows;
use crate::games::DealSet;
use crate::games::fixtures;
use crate::games::fixtures::Player;
use crate::statistics::regression::{Row, RowSource};

/// Repetitions. The standard error of a coverage of 95 % is then 0.7 %.
pub(super) const RUNS: usize = 1000;

/// Positions of games, several of which may share a deal.
pub(super) struct Positions {
    pub(super) columns: Vec<Feature>,
    /// The deal and the positions of each game.
    pub(super) games: Vec<(u64, Vec<Vec<f32>>)>,
}

impl Positions {
    pub(super) fn of<G: Registered + Default>(games: u64, per_game: usize, per_deal: u64) -> Self {
        let sampler = PositionSampler::new(G::default(), per_game);
        Self::by(&G::default(), &sampler, sampler.columns().to_vec(), games, per_deal)
    }

    /// The positions of a sampler, whose rows have these columns.
    pub(super) fn by<G: Registered>(
        rules: &G,
        sampler: &PositionSampler,
        columns: Vec<Feature>,
        games: u64,
        per_deal: u64,
    ) -> Self {
        let mut scratch = Scratch::default();
        let mut found = Vec::new();
        for game_id in 0..games {
            let game = fixtures::play(rules, game_id, game_id / per_deal, Player::Random);
            let mut positions = Vec::new();
            sampler
                .sample(&game, &mut scratch, &mut |position| positions.push(position.x.to_vec()))
                .expect("the game is sound");
            if !positions.is_empty() {
                found.push((game.deal_id, positions));
            }
        }
        Self { columns, games: found }
    }

    /// The column of the face-up pieces of a kind.
    pub(super) fn place(&self, kind: char) -> usize {
        let place = self.columns.iter().position(|&column| column == Feature::Kind(kind));
        place.expect("it is a kind of the game")
    }

    /// Arbitrary true values, for the features that vary.
    pub(super) fn truth(&self) -> Vec<f64> {
        let varies = |at: usize| {
            let first = self.games[0].1[0][at];
            self.columns[at] == Feature::FirstMove
                || self.games.iter().flat_map(|game| &game.1).any(|x| x[at] != first)
        };
        let value = |at: usize| if varies(at) { 0.6 * ((at * 7 + 3) as f64).sin() } else { 0.0 };
        (0..self.columns.len()).map(value).collect()
    }

    /// Results simulated from these values at each game's last position. The games of a deal share
    /// the random number with probability 1/2.
    pub(super) fn draw(&self, truth: &[f64], rng: &mut Rng) -> Results<'_> {
        let mut shared = (u64::MAX, 0.0);
        let mut scores = Vec::with_capacity(self.games.len());
        for (deal, positions) in &self.games {
            if shared.0 != *deal {
                shared = (*deal, rng.sample(Open01));
            }
            let chance = if rng.below(2) == 0 { shared.1 } else { rng.sample(Open01) };
            let last = positions.last().expect("it has some");
            let eta: f64 = last.iter().zip(truth).map(|(&x, value)| f64::from(x) * value).sum();
            let p = 1.0 / (1.0 + (-eta).exp());
            // The sum of two Bernoulli trials, so that there are draws.
            let score = if chance < p * p {
                1.0
            } else if chance < p * (2.0 - p) {
                0.5
            } else {
                0.0
            };
            scores.push(score);
        }
        Results { positions: self, scores }
    }
}

/// Positions with the results of their games.
pub(super) struct Results<'a> {
    pub(super) positions: &'a Positions,
    pub(super) scores: Vec<f64>,
}

impl RowSource for Results<'_> {
    fn width(&self) -> usize {
        self.positions.columns.len()
    }

    fn blocks(&self) -> usize {
        1
    }

    fn visit(&self, _: usize, each: &mut dyn FnMut(Row<'_>)) -> io::Result<()> {
        let mut row = Vec::new();
        for ((cluster, positions), &y) in self.positions.games.iter().zip(&self.scores) {
            for x in positions {
                row.clear();
                row.extend(x.iter().map(|&value| f64::from(value)));
                let weight = 1.0 / positions.len() as f64;
                each(Row { x: &row, y, weight, cluster: *cluster });
            }
        }
        Ok(())
    }
}

impl Results<'_> {
    /// The rows as sampled from a dataset.
    pub(super) fn sampled(&self) -> SampledRows<RowFile> {
        let mut sampled =
            SampledRows::new(RowFile::new(self.width()).expect("temporary files can be made"));
        let mut block = Block::default();
        for ((deal, positions), &score) in self.positions.games.iter().zip(&self.scores) {
            for x in positions {
                block.push(*deal, score as f32, 1.0 / positions.len() as f32, x);
            }
        }
        sampled.rows.add(&block).expect("it can be written");
        sampled.games = self.scores.len() as u64;
        sampled.quiet_games = sampled.games;
        sampled.deals = DealSet::default();
        sampled
    }
}
