//! Counts the results of a pair.

use std::borrow::Cow;
use std::collections::BTreeMap;

use darkqi_datasets::analysis::{Beginnings, Evidence};
use darkqi_env::MAX_PLAYERS;

use super::journal::{Block, FinishedGame};
use super::luck::LuckyBlocks;
use super::seats::Seating;

/// The points of a won game. Any number of winners can share them without rounding.
pub(super) const WIN: u32 = 420;

const _: () = {
    let mut winners = 2;
    while winners <= MAX_PLAYERS as u32 {
        assert!(WIN.is_multiple_of(winners));
        winners += 1;
    }
};

/// The results of a pair, from the view of its first agent.
#[derive(Clone, Debug, Default)]
pub(super) struct PairTally {
    pub(super) wins: u64,
    pub(super) draws: u64,
    pub(super) losses: u64,
    pub(super) truncated: u64,
    pub(super) plies: u64,
    /// Numbers of blocks, by the first agent's points in all their games.
    pub(super) scores: BTreeMap<u32, u64>,
    pub(super) reasons: BTreeMap<Cow<'static, str>, u64>,
    /// Of the first agent and of the second.
    pub(super) decisions: [u64; 2],
    pub(super) seconds: [f64; 2],
    pub(super) lucky: LuckyBlocks,
    /// How the blocks begin, as far as that is known.
    pub(super) beginnings: Beginnings,
}

impl PairTally {
    pub(super) fn add(&mut self, seating: Seating, block: &Block) {
        let mut sum = 0;
        for (number, game) in block.games.iter().enumerate() {
            let points = points(seating, number, game);
            sum += points;
            *match points.cmp(&(WIN / 2)) {
                std::cmp::Ordering::Greater => &mut self.wins,
                std::cmp::Ordering::Equal => &mut self.draws,
                std::cmp::Ordering::Less => &mut self.losses,
            } += 1;
            self.truncated += u64::from(game.truncated());
            self.plies += u64::from(game.plies);
            *self.reasons.entry(game.reason.clone()).or_default() += 1;
        }
        *self.scores.entry(sum).or_default() += 1;
        let won = f64::from(sum) / f64::from(WIN);
        self.lucky.add(block.block, won, block.games.len(), &block.luck);
        if let Some(hash) = block.beginning {
            self.beginnings.insert(hash);
        }
        for agent in 0..2 {
            self.decisions[agent] += block.decisions[agent];
            self.seconds[agent] += block.seconds[agent];
        }
    }

    /// What the blocks are worth as observations.
    pub(super) fn evidence(&self) -> Evidence {
        let known = self.beginnings.deals();
        let effective = (known > 0).then(|| self.beginnings.effective());
        Evidence::of("block", known, effective)
    }

    /// Number of blocks.
    pub(super) fn blocks(&self) -> u64 {
        self.scores.values().sum()
    }

    /// Number of games.
    pub(super) fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points of the first agent and of the second.
    pub(super) fn points(&self) -> [u64; 2] {
        let first = self.scores.iter().map(|(&points, count)| u64::from(points) * count).sum();
        [first, self.games() * u64::from(WIN) - first]
    }

    /// Block scores between 0 and 1, ascending, with their numbers of blocks.
    pub(super) fn cells(&self, seating: Seating) -> Vec<(f64, u64)> {
        let most = f64::from(most(seating));
        self.scores.iter().map(|(&points, &count)| (f64::from(points) / most, count)).collect()
    }

    /// The same with scores that no block had. With two sides these are all five scores of a pair of
    /// games; with more there are too many, and only the least and the greatest are added.
    pub(super) fn all_cells(&self, seating: Seating) -> Vec<(f64, u64)> {
        let most = most(seating);
        let mut scores = self.scores.clone();
        let step = if seating.sides() == 2 { WIN / 2 } else { most };
        for points in (0..=most).step_by(step as usize) {
            scores.entry(points).or_default();
        }
        Self { scores, ..Self::default() }.cells(seating)
    }

    /// The pentanomial frequencies: numbers of pairs of games by their half points. None unless there
    /// are two sides.
    pub(super) fn pentanomial(&self, seating: Seating) -> Option<[u64; 5]> {
        let count = |halves| self.scores.get(&(halves * WIN / 2)).copied().unwrap_or(0);
        (seating.sides() == 2).then(|| [0, 1, 2, 3, 4].map(count))
    }
}

/// Points of a block in which all games are won.
const fn most(seating: Seating) -> u32 {
    WIN * seating.games() as u32
}

/// Points of the first agent in a game. Winners share a game (RULES.md 9.24). Of a drawn or truncated
/// game each agent gets half.
fn points(seating: Seating, number: usize, game: &FinishedGame) -> u32 {
    let winners = || {
        let won = game.rewards.iter().enumerate().filter(|&(_, &reward)| reward > 0.0);
        won.map(|(seat, _)| seating.agent(number, seat))
    };
    let first = winners().filter(|&agent| agent == 0).count() as u32;
    match winners().count() as u32 {
        0 => WIN / 2,
        all => WIN / all * first,
    }
}

#[cfg(test)]
mod tests {
    use super::{PairTally, Seating};
    use crate::arena::journal::{Block, FinishedGame};

    fn apart(seats: usize) -> Seating {
        Seating::new(seats, |one, other| one == other)
    }

    fn game(rewards: &[f32], reason: &'static str) -> FinishedGame {
        FinishedGame { rewards: rewards.to_vec(), reason: reason.into(), plies: 10 }
    }

    fn tally(seats: usize, blocks: &[&[FinishedGame]]) -> PairTally {
        let mut tally = PairTally::default();
        for (games, number) in blocks.iter().zip(0..) {
            let (games, luck) = (games.to_vec(), Vec::new());
            let (decisions, seconds) = ([6, 4], [0.5, 0.25]);
            let block = Block {
                first: 0,
                second: 1,
                block: number,
                games,
                luck,
                beginning: None,
                decisions,
                seconds,
            };
            tally.add(apart(seats), &block);
        }
        tally
    }

    #[test]
    fn pairs_of_games() {
        let (one, other) = (game(&[1.0, -1.0], "checkmate"), game(&[-1.0, 1.0], "checkmate"));
        let (draw, cut) = (game(&[0.0, 0.0], "repetition"), game(&[0.0, 0.0], "max_plies"));
        // The first agent has the second seat in the second game.
        let tally = tally(
            2,
            &[
                &[one.clone(), other.clone()],
                &[one.clone(), one.clone()],
                &[other.clone(), one.clone()],
                &[draw.clone(), cut.clone()],
                &[one.clone(), draw.clone()],
                &[cut, one.clone()],
            ],
        );
        let seating = apart(2);
        assert_eq!([tally.wins, tally.draws, tally.losses], [4, 4, 4]);
        assert_eq!((tally.blocks(), tally.games(), tally.truncated), (6, 12, 2));
        assert_eq!(tally.points(), [6 * 420, 6 * 420]);
        assert_eq!(tally.pentanomial(seating), Some([1, 1, 2, 1, 1]));
        let cells = [(0.0, 1), (0.25, 1), (0.5, 2), (0.75, 1), (1.0, 1)];
        assert_eq!(tally.cells(seating), cells);
        assert_eq!((tally.plies, tally.reasons["checkmate"]), (120, 8));
        assert_eq!((tally.decisions, tally.seconds), ([36, 24], [3.0, 1.5]));
    }

    #[test]
    fn winners_share_a_game() {
        let third = 1.0 / 3.0;
        // Seated 0 1 0, 1 0 1, 1 0 0, 0 1 1, 0 0 1, 1 1 0.
        let games = [
            game(&[1.0, -0.5, -0.5], "kingdoms"),
            game(&[0.5, 0.5, -1.0], "kingdoms"),
            game(&[0.5, 0.5, -1.0], "kingdoms"),
            game(&[-0.5, 1.0, -0.5], "kingdoms"),
            game(&[third, third, third], "kingdoms"),
            game(&[0.0, 0.0, 0.0], "max_plies"),
        ];
        let tally = tally(3, &[&games]);
        // 1, 1/2, 1/2, 0, 2/3, 1/2.
        assert_eq!(tally.points()[0], 420 + 210 + 210 + 280 + 210);
        assert_eq!([tally.wins, tally.draws, tally.losses], [2, 3, 1]);
        assert_eq!(tally.pentanomial(apart(3)), None);
        let score = 1330.0 / 2520.0;
        let cells = [(0.0, 0), (score, 1), (1.0, 0)];
        assert_eq!(tally.all_cells(apart(3)), cells);
    }

    #[test]
    fn empty_cells_of_pairs() {
        let draw = game(&[0.0, 0.0], "repetition");
        let tally = tally(2, &[&[draw.clone(), draw]]);
        let cells = [(0.0, 0), (0.25, 0), (0.5, 1), (0.75, 0), (1.0, 0)];
        assert_eq!(tally.all_cells(apart(2)), cells);
        assert_eq!(tally.cells(apart(2)), [(0.5, 1)]);
    }
}
