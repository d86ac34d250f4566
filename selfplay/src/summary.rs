//! What came out of a run, counted as it goes.

use std::collections::BTreeMap;
use std::time::Duration;

use darkqi_datasets::GameRecord;
use darkqi_datasets::analysis::Settled;

use crate::config::Plan;
use crate::score::{Score, ScoreSum};

/// What came out of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Summary {
    /// Games in the dataset.
    pub games: u64,
    /// Their plies.
    pub plies: u64,
    /// Games that were there when the run went on.
    pub kept_games: u64,
    /// Their plies.
    pub kept_plies: u64,
    /// Why shards that were there have been played again: what is wrong with their files.
    pub damages: Vec<String>,
    /// Whether all games that were asked for are in the dataset.
    pub complete: bool,
    /// How each agent fared, in the order of the configuration.
    pub agents: Vec<Standing>,
    /// How each seat fared.
    pub seats: Vec<Standing>,
    /// The score that the run was to settle.
    pub settled: Option<Settled>,
    /// How long the games were.
    pub lengths: Lengths,
    /// The ending reasons with their numbers of games, the most frequent first.
    pub reasons: Vec<(String, u64)>,
    /// Time from the first game to the last file.
    pub elapsed: Duration,
    /// Size of the dataset's tables.
    pub bytes: u64,
}

/// How an agent or a seat fared.
#[derive(Clone, PartialEq, Debug)]
pub struct Standing {
    /// The agent, or the seat's number and its agent where the agents keep their seats.
    pub name: String,
    /// Games with a positive reward.
    pub wins: u64,
    /// Games that ended with reward 0.
    pub draws: u64,
    /// Games with a negative reward.
    pub losses: u64,
    /// Games cut off by the ply limit, which count as neither.
    pub truncated: u64,
    /// Points per game: 1 for a win, 1/2 where nobody won, 0 for a loss.
    pub score: Score,
}

/// Lengths of games in plies.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Lengths {
    /// The average.
    pub mean: f64,
    /// The middle one; of an even number, the mean of the middle two.
    pub median: f64,
    /// The shortest.
    pub min: u16,
    /// The longest.
    pub max: u16,
}

/// Counts games, deal by deal.
#[derive(Debug)]
pub(crate) struct Tally {
    agents: Vec<Count>,
    seats: Vec<Count>,
    lengths: BTreeMap<u16, u64>,
    reasons: BTreeMap<String, u64>,
}

#[derive(Clone, Debug, Default)]
struct Count {
    name: String,
    wins: u64,
    draws: u64,
    losses: u64,
    truncated: u64,
    /// Points in the current deal.
    points: f64,
    sum: ScoreSum,
}

impl Count {
    fn named(name: String) -> Self {
        Self { name, ..Self::default() }
    }

    fn add(&mut self, game: &GameRecord, reward: f32) {
        let (count, points) = match reward {
            _ if !game.terminated => (&mut self.truncated, 0.5),
            _ if reward > 0.0 => (&mut self.wins, 1.0),
            _ if reward < 0.0 => (&mut self.losses, 0.0),
            _ => (&mut self.draws, 0.5),
        };
        *count += 1;
        self.points += points;
    }

    fn end_deal(&mut self, games: usize) {
        self.sum.add(self.points / games as f64);
        self.points = 0.0;
    }

    fn finish(self) -> Standing {
        let Self { name, wins, draws, losses, truncated, .. } = self;
        Standing { name, wins, draws, losses, truncated, score: self.sum.score() }
    }
}

impl Tally {
    pub(crate) fn new(plan: &Plan) -> Self {
        let agents = plan.entrants.iter().map(|spec| Count::named(spec.to_string())).collect();
        let seat = |seat: usize| match plan.deal_games {
            1 => format!("seat {seat}, {}", plan.entrants[seat]),
            _ => format!("seat {seat}"),
        };
        let seats = (0..plan.entrants.len()).map(|number| Count::named(seat(number))).collect();
        Self { agents, seats, lengths: BTreeMap::new(), reasons: BTreeMap::new() }
    }

    /// Counts games that make whole deals.
    pub(crate) fn add(&mut self, plan: &Plan, games: &[GameRecord]) {
        for deal in games.chunk_by(|game, next| game.pair_id == next.pair_id) {
            for game in deal {
                *self.lengths.entry(game.plies).or_default() += 1;
                match self.reasons.get_mut(game.reason.as_ref()) {
                    Some(count) => *count += 1,
                    None => {
                        self.reasons.insert(game.reason.clone().into_owned(), 1);
                    }
                }
                for (seat, &reward) in game.rewards.iter().enumerate() {
                    self.seats[seat].add(game, reward);
                    self.agents[plan.entrant(game.game_id, seat)].add(game, reward);
                }
            }
            self.agents.iter_mut().chain(&mut self.seats).for_each(|one| one.end_deal(deal.len()));
        }
    }

    pub(crate) fn finish(self, complete: bool, elapsed: Duration, bytes: u64) -> Summary {
        let standings = |counts: Vec<Count>| counts.into_iter().map(Count::finish).collect();
        let mut reasons: Vec<(String, u64)> = self.reasons.into_iter().collect();
        reasons.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        Summary {
            games: self.lengths.values().sum(),
            plies: self.lengths.iter().map(|(&plies, count)| u64::from(plies) * count).sum(),
            kept_games: 0,
            kept_plies: 0,
            damages: Vec::new(),
            complete,
            agents: standings(self.agents),
            seats: standings(self.seats),
            settled: None,
            lengths: Lengths::of(&self.lengths),
            reasons,
            elapsed,
            bytes,
        }
    }
}

impl Lengths {
    /// Of the games counted by length; all 0 if there are none.
    fn of(counts: &BTreeMap<u16, u64>) -> Self {
        let games: u64 = counts.values().sum();
        if games == 0 {
            return Self::default();
        }
        let plies: f64 =
            counts.iter().map(|(&plies, &count)| f64::from(plies) * count as f64).sum();
        let ranked = |rank: u64| {
            let mut passed = 0;
            let reached = counts.iter().find(|&(_, count)| {
                passed += count;
                passed > rank
            });
            reached.map_or(0.0, |(&plies, _)| f64::from(plies))
        };
        Self {
            mean: plies / games as f64,
            median: (ranked((games - 1) / 2) + ranked(games / 2)) / 2.0,
            min: counts.keys().next().copied().unwrap_or(0),
            max: counts.keys().next_back().copied().unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Lengths;

    #[test]
    fn medians_of_odd_and_even_numbers() {
        let lengths = |list: &[(u16, u64)]| Lengths::of(&list.iter().copied().collect());
        assert_eq!(lengths(&[]), Lengths::default());
        assert_eq!(lengths(&[(3, 1), (5, 1), (100, 1)]).median, 5.0);
        let even = lengths(&[(3, 2), (6, 1), (9, 1)]);
        assert_eq!(even, Lengths { mean: 5.25, median: 4.5, min: 3, max: 9 });
    }
}
