//! Counts the results of a pair.

use std::borrow::Cow;
use std::collections::BTreeMap;

use darkqi_analysis::{Beginnings, Evidence};
use darkqi_env::game::MAX_PLAYERS;
use darkqi_format::PlyRecord;

use super::luck::{Luck, LuckyBlocks};
use crate::error::Error;
use crate::generation::{Ended, PairSeats};

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
    /// Of the first agent and of the second, in games that this run has played.
    pub(super) decisions: [u64; 2],
    pub(super) seconds: [f64; 2],
    pub(super) lucky: LuckyBlocks,
    /// How the blocks begin.
    pub(super) beginnings: Beginnings,
}

impl PairTally {
    /// Counts the games of a block, given by the number of its deal, which begin after this many plies.
    pub(super) fn add(
        &mut self,
        seats: PairSeats,
        deal: u64,
        opening: u16,
        block: &[Ended],
        luck: Option<&Luck>,
    ) -> Result<(), Error> {
        let mut sum = 0;
        let mut lucky = vec![0.0; luck.map_or(0, Luck::width)];
        // First, so that nothing of a faulty block is counted.
        for (number, Ended { record, .. }) in block.iter().enumerate() {
            let fault = |fault| Error::Replay(format!("game {}: {fault}", record.game_id));
            luck.map_or(Ok(()), |luck| luck.add(&mut lucky, seats, number, record))
                .map_err(fault)?;
        }
        for (number, Ended { record, times }) in block.iter().enumerate() {
            let points = points(seats, number, &record.rewards);
            sum += points;
            *match points.cmp(&(WIN / 2)) {
                std::cmp::Ordering::Greater => &mut self.wins,
                std::cmp::Ordering::Equal => &mut self.draws,
                std::cmp::Ordering::Less => &mut self.losses,
            } += 1;
            self.truncated += u64::from(!record.terminated);
            self.plies += u64::from(opening) + u64::from(record.plies);
            *self.reasons.entry(record.reason.clone()).or_default() += 1;
            for (seat, time) in times.iter().flatten().enumerate() {
                let agent = seats.agent(number, seat);
                let is_its = |ply: &&PlyRecord| ply.player as usize == seat;
                self.decisions[agent] += record.moves.iter().filter(is_its).count() as u64;
                self.seconds[agent] += time.as_secs_f64();
            }
        }
        *self.scores.entry(sum).or_default() += 1;
        let won = f64::from(sum) / f64::from(WIN);
        let lucky = lucky.into_iter().map(|sum| sum as f32).collect();
        self.lucky.add(deal, won, block.len(), lucky);
        self.beginnings.insert(beginning(block));
        Ok(())
    }

    /// The blocks as observations.
    pub(super) fn evidence(&self) -> Evidence {
        let (blocks, effective) = (self.beginnings.deals(), self.beginnings.effective());
        Evidence::of("block", blocks, (blocks > 0).then_some(effective))
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
    pub(super) fn cells(&self, seats: PairSeats) -> Vec<(f64, u64)> {
        let most = f64::from(most(seats));
        self.scores.iter().map(|(&points, &count)| (f64::from(points) / most, count)).collect()
    }

    /// The block scores, with those that no block had. With two sides these are all five scores of a pair of
    /// games; with more there are too many, and only the least and the greatest are added.
    pub(super) fn all_cells(&self, seats: PairSeats) -> Vec<(f64, u64)> {
        let most = most(seats);
        let mut scores = self.scores.clone();
        let step = if seats.sides() == 2 { WIN / 2 } else { most };
        for points in (0..=most).step_by(step as usize) {
            scores.entry(points).or_default();
        }
        Self { scores, ..Self::default() }.cells(seats)
    }

    /// The pentanomial frequencies: numbers of pairs of games by their half points. None unless there
    /// are two sides.
    pub(super) fn pentanomial(&self, seats: PairSeats) -> Option<[u64; 5]> {
        let count = |halves| self.scores.get(&(halves * WIN / 2)).copied().unwrap_or(0);
        (seats.sides() == 2).then(|| [0, 1, 2, 3, 4].map(count))
    }
}

/// Points of a block in which all games are won.
const fn most(seats: PairSeats) -> u32 {
    WIN * seats.games() as u32
}

/// How the games of a block begin, by its position and the first plies of each.
fn beginning(block: &[Ended]) -> u64 {
    let games = block.iter().flat_map(|Ended { record, .. }| {
        let plies = Beginnings::plies(record.rewards.len());
        let actions = record.moves.iter().take(plies).map(|ply| ply.action);
        // No action has this index, so games are told apart.
        actions.chain([u16::MAX])
    });
    Beginnings::hash(&block[0].record.deal, games)
}

/// Points of the first agent in a game. Winners share a game (RULES.md 9.24). Of a drawn or truncated
/// game each agent gets half.
fn points(seats: PairSeats, number: usize, rewards: &[f32]) -> u32 {
    let winners = || {
        let won = rewards.iter().enumerate().filter(|&(_, &reward)| reward > 0.0);
        won.map(|(seat, _)| seats.agent(number, seat))
    };
    let first = winners().filter(|&agent| agent == 0).count() as u32;
    match winners().count() as u32 {
        0 => WIN / 2,
        all => WIN / all * first,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use darkqi_format::{GameRecord, PlyRecord};

    use super::{Ended, PairSeats, PairTally};

    fn apart(seats: usize) -> PairSeats {
        PairSeats::new(seats, |one, other| one == other)
    }

    /// A game of ten plies, in turn.
    fn game(rewards: &[f32], reason: &'static str) -> GameRecord {
        let ply =
            |ply: usize| PlyRecord { player: (ply % rewards.len()) as i8, ..PlyRecord::default() };
        GameRecord {
            plies: 10,
            rewards: rewards.to_vec(),
            terminated: reason != "max_plies",
            reason: reason.into(),
            moves: (0..10).map(ply).collect(),
            ..GameRecord::default()
        }
    }

    fn tally(seats: usize, blocks: &[&[GameRecord]]) -> PairTally {
        let mut tally = PairTally::default();
        for (games, deal) in blocks.iter().zip(0..) {
            let times = (0..seats).map(|_| Duration::from_millis(250)).collect();
            let ended = |record: &GameRecord| Ended {
                record: record.clone(),
                times: Some(Clone::clone(&times)),
            };
            let block: Vec<Ended> = games.iter().map(ended).collect();
            tally.add(apart(seats), deal, 0, &block, None).expect("no luck is counted");
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
        let seats = apart(2);
        assert_eq!([tally.wins, tally.draws, tally.losses], [4, 4, 4]);
        assert_eq!((tally.blocks(), tally.games(), tally.truncated), (6, 12, 2));
        assert_eq!(tally.points(), [6 * 420, 6 * 420]);
        assert_eq!(tally.pentanomial(seats), Some([1, 1, 2, 1, 1]));
        let cells = [(0.0, 1), (0.25, 1), (0.5, 2), (0.75, 1), (1.0, 1)];
        assert_eq!(tally.cells(seats), cells);
        assert_eq!((tally.plies, tally.reasons["checkmate"]), (120, 8));
        assert_eq!((tally.decisions, tally.seconds), ([60, 60], [3.0, 3.0]));
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
