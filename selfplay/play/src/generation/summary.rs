//! The summary of a run, counted game by game.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use darkqi_analysis::statistics::{ClusteredSums, WeightedSum};
use darkqi_analysis::{Beginnings, Doubt, Estimate, Evidence, LengthHistogram, Settled, score};
use darkqi_env::Player;
use darkqi_format::GameRecord;
use serde::{Serialize, Serializer};

use super::job::Job;
use super::schedule::Schedule;
use super::workers::Ended;
use crate::reporting::as_text;

/// The results of a run.
///
/// A stopped run counts the games that have ended, in the shards that it has reached and in parts. Of
/// duplicate deals it counts those whose games have all ended. With [`Job::shards`](super::Job::shards) all of this is about
/// these shards. The keys of the JSON are the names of the fields.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Summary {
    /// The registry name of the game.
    pub game: String,
    /// The seed of the run.
    pub seed: u64,
    /// The folder of the dataset.
    #[serde(serialize_with = "as_text")]
    pub path: PathBuf,
    /// The shards counted, if not all: the first, and the one after the last.
    pub shards: Option<[u64; 2]>,
    /// The games counted.
    pub games: u64,
    /// Their plies.
    pub plies: u64,
    /// Games among them that were there before: from before the run was resumed, or in shards that were
    /// there already.
    pub kept_games: u64,
    /// Their plies.
    pub kept_plies: u64,
    /// Why shards were played again: what was wrong with their files.
    pub damages: Vec<String>,
    /// Whether the folder holds all games that were asked for.
    pub complete: bool,
    /// The results of each agent, in the order of the configuration.
    pub agents: Vec<Standing>,
    /// The results of each seat.
    pub seats: Vec<Standing>,
    /// The score that `until` asks for, of finished shards.
    pub settled: Option<Settled>,
    /// The lengths of the games.
    pub lengths: Lengths,
    /// The reasons of endings with their numbers of games, the most frequent first.
    #[serde(serialize_with = "by_reason")]
    pub reasons: Vec<(String, u64)>,
    /// How often engines were started again after a failure, by agent. Agents without restarts are left
    /// out.
    pub restarts: BTreeMap<String, u64>,
    /// Seconds from the first game to the last file.
    pub seconds: f64,
    /// Size of the dataset's tables.
    pub bytes: u64,
    /// The number of deals counted.
    pub deals: u64,
    /// The effective number of deals by how their games begin.
    pub effective_deals: u64,
    /// Why the scores may mislead.
    pub warnings: Vec<Doubt>,
}

fn by_reason<S: Serializer>(reasons: &[(String, u64)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(reasons.iter().map(|(reason, games)| (reason, games)))
}

/// The results of an agent or a seat.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Standing {
    /// The agent; or the seat's number, with its agent if agents keep their seats.
    pub name: String,
    /// Games with a positive reward.
    pub wins: u64,
    /// Games that ended with reward 0.
    pub draws: u64,
    /// Games with a negative reward.
    pub losses: u64,
    /// Games truncated at the ply limit. They are neither wins, draws nor losses.
    pub truncated: u64,
    /// Points per game ([`score`]). None without games, as in a run that was stopped within its first duplicate deal.
    pub score: Option<Estimate>,
}

/// Lengths of games in plies.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Lengths {
    /// The mean.
    pub mean: f64,
    /// The median: of an even number, the mean of the middle two.
    pub median: f64,
    /// The shortest.
    pub min: u16,
    /// The longest.
    pub max: u16,
}

/// Counts games, deal by deal.
#[derive(Debug)]
pub(super) struct SummaryTally {
    agents: Vec<StandingTally>,
    seats: Vec<StandingTally>,
    lengths: LengthHistogram,
    reasons: BTreeMap<Cow<'static, str>, u64>,
    /// Deals of a stopped run that ended before earlier ones.
    early: u64,
    /// Games of before, and their plies.
    kept: [u64; 2],
    beginnings: Beginnings,
}

#[derive(Clone, Debug)]
struct StandingTally {
    name: String,
    wins: u64,
    draws: u64,
    losses: u64,
    truncated: u64,
    /// Points in the current deal.
    points: WeightedSum,
    /// Points in all deals of each opening, where openings are the clusters.
    openings: BTreeMap<u64, WeightedSum>,
    sums: ClusteredSums,
}

impl StandingTally {
    fn new(name: String, seats: usize) -> Self {
        let sums = ClusteredSums::new(1, 1.0 / seats as f64);
        let (wins, draws, losses, truncated, points, openings) = Default::default();
        Self { name, wins, draws, losses, truncated, points, openings, sums }
    }

    fn add(&mut self, game: &GameRecord, seat: Player) {
        let reward = game.rewards[seat];
        let count = match reward {
            _ if !game.terminated => &mut self.truncated,
            _ if reward > 0.0 => &mut self.wins,
            _ if reward < 0.0 => &mut self.losses,
            _ => &mut self.draws,
        };
        *count += 1;
        self.points.add(score(game, seat).into(), 1.0);
    }

    fn end_deal(&mut self, opening: Option<u64>) {
        let points = std::mem::take(&mut self.points);
        match opening {
            Some(opening) => *self.openings.entry(opening).or_default() += points,
            None => self.sums.add(&[points]).expect("scores are finite"),
        }
    }

    fn finish(self) -> Standing {
        let Self { name, wins, draws, losses, truncated, openings, mut sums, .. } = self;
        openings.into_values().for_each(|points| sums.add(&[points]).expect("scores are finite"));
        Standing { name, wins, draws, losses, truncated, score: sums.finish().score(0) }
    }
}

impl SummaryTally {
    pub(super) fn new(schedule: &Schedule) -> Self {
        let agents = &schedule.agents;
        let named = |name| StandingTally::new(name, agents.len());
        let seat = |seat: usize| match schedule.deal_games() {
            1 => format!("seat {seat}, {}", agents[seat]),
            _ => format!("seat {seat}"),
        };
        let seats = (0..agents.len()).map(|number| named(seat(number))).collect();
        let agents = agents.iter().map(|spec| named(spec.to_string())).collect();
        let (lengths, reasons, beginnings) = Default::default();
        Self { agents, seats, lengths, reasons, early: 0, kept: [0; 2], beginnings }
    }

    /// Counts the games of a deal.
    pub(super) fn add(&mut self, schedule: &Schedule, deal: &[Ended], in_order: bool) {
        self.early += u64::from(!in_order);
        self.beginnings.add(&deal[0].record);
        let opening = schedule.openings.cluster(deal[0].record.seed);
        for Ended { record: game, times } in deal {
            if times.is_none() {
                self.kept[0] += 1;
                self.kept[1] += u64::from(game.plies);
            }
            self.lengths.add(game.plies);
            *self.reasons.entry(game.reason.clone()).or_default() += 1;
            for seat in 0..game.rewards.len() {
                self.seats[seat].add(game, seat);
                self.agents[schedule.agent(game.game_id, seat)].add(game, seat);
            }
        }
        self.agents.iter_mut().chain(&mut self.seats).for_each(|one| one.end_deal(opening));
    }

    pub(super) fn finish(
        self,
        job: &Job,
        dir: &Path,
        complete: bool,
        elapsed: Duration,
        bytes: u64,
    ) -> Summary {
        let mut reasons: Vec<(String, u64)> =
            self.reasons.into_iter().map(|(reason, games)| (reason.into_owned(), games)).collect();
        reasons.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        let (deals, effective_deals) = (self.beginnings.deals(), self.beginnings.effective());
        let openings = self.seats[0].openings.len() as u64;
        let evidence = Evidence {
            clusters: (openings > 0).then_some((openings, "opening")),
            early: self.early,
            ..Evidence::of("deal", deals, Some(effective_deals))
        };
        let standings =
            |counts: Vec<StandingTally>| counts.into_iter().map(StandingTally::finish).collect();
        Summary {
            game: job.game.clone(),
            seed: job.seed,
            path: dir.to_owned(),
            shards: job.shards.as_ref().map(|shards| [shards.start, shards.end]),
            games: self.lengths.count(),
            plies: self.lengths.plies(),
            kept_games: self.kept[0],
            kept_plies: self.kept[1],
            damages: Vec::new(),
            complete,
            agents: standings(self.agents),
            seats: standings(self.seats),
            settled: None,
            lengths: Lengths::of(&self.lengths),
            reasons,
            restarts: BTreeMap::new(),
            seconds: elapsed.as_secs_f64(),
            bytes,
            deals,
            effective_deals,
            warnings: evidence.judge().warnings,
        }
    }
}

impl Lengths {
    /// Of counted games. All 0 without games.
    fn of(games: &LengthHistogram) -> Self {
        games.range().map_or_else(Self::default, |(min, max)| Self {
            mean: games.plies() as f64 / games.count() as f64,
            median: games.median(),
            min,
            max,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{LengthHistogram, Lengths};

    #[test]
    fn medians_of_odd_and_even_numbers() {
        let lengths = |plies: &[u16]| {
            let mut games = LengthHistogram::default();
            plies.iter().for_each(|&plies| games.add(plies));
            Lengths::of(&games)
        };
        assert_eq!(lengths(&[]), Lengths::default());
        assert_eq!(lengths(&[3, 5, 100]).median, 5.0);
        let even = lengths(&[3, 3, 6, 9]);
        assert_eq!(even, Lengths { mean: 5.25, median: 4.5, min: 3, max: 9 });
    }
}
