//! The results of a match. The keys of the JSON are the names of the fields. Infinite and unknown
//! values are null.

use std::collections::BTreeMap;

use darkqi_analysis::{Doubt, Estimate, Evidence, Measurement};
use darkqi_format::{Openings, options_to_json};
use serde::Serialize;
use serde_json::Value as Json;

use super::cycles::{Cycle, cycles};
use super::elo::Moments;
use super::luck::{Luck, LuckAdjusted};
use super::ratings::{Rating, RatingKind, covariances, rate};
use super::scoreboard::Scoreboard;
use super::sprt::Verdict;
use super::tally::{PairTally, WIN};
use crate::generation::{Job, Ran};

/// The results of a match. The keys of the JSON are the names of the fields.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Results {
    /// The version of darkqi that played.
    pub software_version: String,
    /// The game.
    pub game: String,
    /// All its options in force.
    pub options: BTreeMap<String, Json>,
    /// The seed of the match.
    pub seed: u64,
    /// The openings, one of which was drawn per block; none: the deal.
    pub openings: Vec<String>,
    /// Names of pieces that were taken off.
    pub remove: Vec<String>,
    /// Uniformly random plies before the agents took over.
    pub random_plies: u32,
    /// Number of seats.
    pub seats: usize,
    /// Games in a block, which share a deal.
    pub games_per_block: usize,
    /// Games per pair that were asked for, in whole blocks.
    pub games_per_pair: u64,
    /// Whether all of them were played, or enough to decide the test.
    pub complete: bool,
    /// The agents, in the order of the configuration.
    pub agents: Vec<Ranking>,
    /// The agent that ratings are relative to: the first of the greatest group of agents that have scored
    /// against one another, directly or through others.
    pub reference: String,
    /// Each pair, in the order of the configuration.
    pub pairs: Vec<Pairing>,
    /// Agents that beat one another in a circle, so that no rating orders them.
    pub cycles: Vec<Cycle>,
    /// The test, if one was asked for.
    pub sprt: Option<Verdict>,
    /// Why the figures of all pairs may mislead; each pair has more.
    pub warnings: Vec<Doubt>,
    /// Games that the dataset already held.
    pub resumed_games: u64,
    /// How often engines were started again after a failure, by agent, since the match was started or
    /// last resumed. Agents without restarts are left out.
    pub restarts: BTreeMap<String, u64>,
    /// Wall time of the match since it was started or last resumed.
    pub seconds: f64,
}

/// The results of an agent against all others.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Ranking {
    /// The agent.
    pub agent: String,
    /// Its rating in Elo above [`Results::reference`], fitted to all games: Bradley-Terry by maximum
    /// likelihood, draws as half. None unless finite.
    /// The 95 % interval comes from the variance of block scores; that of the reference is empty.
    pub elo: Option<Estimate>,
    /// Whether the rating is finite, and if not, why.
    pub elo_kind: RatingKind,
    /// The number of its group of agents that have scored against one another, directly or through
    /// others. Group 0, the greatest one, has finite ratings.
    pub group: usize,
    /// Its rating above the first agent of its group; None if it is alone there.
    pub group_elo: Option<Estimate>,
    /// Its games.
    pub games: u64,
    /// Its points: 1 for a win, shared among several winners; 1/2 for a drawn or truncated game.
    pub points: f64,
    /// Points per game; None without games.
    pub score: Option<f64>,
    /// Number of its decisions since the match was started or last resumed.
    pub decisions: u64,
    /// Wall time of these decisions.
    pub seconds: f64,
    /// Decisions per second of that time, None without decisions. It depends on the machine and its
    /// load.
    pub decisions_per_second: Option<f64>,
}

/// The results of two agents against each other, from the view of the first.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Pairing {
    /// The agent named first.
    pub first: String,
    /// The other.
    pub second: String,
    /// Games.
    pub games: u64,
    /// Blocks. Each is one observation.
    pub blocks: u64,
    /// The effective number of blocks by how they begin; None without blocks.
    pub effective_blocks: Option<u64>,
    /// Why the figures may mislead.
    pub warnings: Vec<Doubt>,
    /// Games of which it scored more than half.
    pub wins: u64,
    /// Games of which it scored half.
    pub draws: u64,
    /// Games of which it scored less than half.
    pub losses: u64,
    /// Games truncated at the ply limit. They are among the draws.
    pub truncated: u64,
    /// Blocks in which it scored 0, 1/2, 1, 3/2 and 2 points. None unless there are two sides.
    pub pentanomial: Option<[u64; 5]>,
    /// Block scores that occurred, ascending.
    pub block_scores: Vec<BlockScore>,
    /// Points per game with its 95 % interval, from the variance of block scores. This and all below
    /// are None without games.
    pub score: Option<Estimate>,
    /// The Elo difference of that score.
    pub elo: Option<Estimate>,
    /// The normalised Elo difference. None also if all block scores are equal.
    pub normalized_elo: Option<Estimate>,
    /// The likelihood of superiority: the probability that the expected score exceeds 1/2.
    pub los: Option<f64>,
    /// Plies per game, those of the opening included.
    pub mean_plies: Option<f64>,
    /// Numbers of games by the reason of their end.
    pub endings: BTreeMap<String, u64>,
    /// The score without the luck of reveals. None where nothing is covered, and with fewer than 5
    /// blocks for each covariate of luck.
    pub adjusted: Option<LuckAdjusted>,
}

/// A block score that occurred.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct BlockScore {
    /// Points per game.
    pub score: f64,
    /// Number of blocks.
    pub blocks: u64,
}

impl Results {
    /// Number of games that are counted.
    pub fn played(&self) -> u64 {
        self.pairs.iter().map(|pair| pair.games).sum()
    }

    /// Number of games that were asked for.
    pub fn asked(&self) -> u64 {
        self.games_per_pair * self.pairs.len() as u64
    }

    pub(super) fn new(job: &Job, scoreboard: &Scoreboard, ran: &Ran) -> Self {
        let Scoreboard { seats, games_per_pair, ref tallies, ref spec, .. } = *scoreboard;
        let played: u64 = tallies.iter().map(PairTally::blocks).sum();
        let Openings { lines, remove, random_plies } = scoreboard.openings.clone();
        // With one opening, deals differ or random plies follow.
        let clusters = (lines.len() > 1).then_some((lines.len() as u64, "opening"));
        let early = scoreboard.early;
        let evidence = Evidence { clusters, early, ..Evidence::of("block", played, None) };
        let pairs = (0..tallies.len()).map(|pair| Pairing::new(scoreboard, pair)).collect();
        let (agents, cycles) = rankings(scoreboard);
        let is_reference = |one: &&Ranking| one.group == 0;
        let reference = agents.iter().find(is_reference).map(|one| one.agent.clone());
        Self {
            software_version: env!("CARGO_PKG_VERSION").to_owned(),
            game: spec.name.to_owned(),
            options: options_to_json(&spec.options_in_force()),
            seed: job.seed,
            openings: lines,
            remove,
            random_plies,
            seats: seats.seats(),
            games_per_block: seats.games(),
            games_per_pair,
            complete: matches!(ran.end, Ok(true)) && job.shards.is_none(),
            agents,
            reference: reference.unwrap_or_default(),
            pairs,
            cycles,
            sprt: scoreboard.verdict(),
            warnings: evidence.judge().warnings,
            resumed_games: ran.kept,
            restarts: ran.restarts.clone(),
            seconds: ran.elapsed.as_secs_f64(),
        }
    }
}

impl Pairing {
    fn new(scoreboard: &Scoreboard, pair: usize) -> Self {
        let Scoreboard { seats, names, pairs, tallies, luck, .. } = scoreboard;
        let [first, second] = pairs[pair].map(|agent| names[agent].clone());
        let tally = &tallies[pair];
        let cells = tally.cells(*seats);
        let moments = Moments::of(&cells, seats.games());
        let games = tally.games();
        Self {
            first,
            second,
            games,
            blocks: tally.blocks(),
            effective_blocks: tally.evidence().effective,
            warnings: tally.evidence().judge().warnings,
            wins: tally.wins,
            draws: tally.draws,
            losses: tally.losses,
            truncated: tally.truncated,
            pentanomial: tally.pentanomial(*seats),
            block_scores: cells
                .iter()
                .map(|&(score, blocks)| BlockScore { score, blocks })
                .collect(),
            score: moments.map(|moments| moments.score()),
            elo: moments.map(|moments| moments.elo()),
            normalized_elo: moments.and_then(|moments| moments.normalized_elo()),
            los: moments.map(|moments| moments.los()),
            mean_plies: ratio(tally.plies as f64, games as f64),
            endings: tally
                .reasons
                .iter()
                .map(|(reason, &games)| (reason.to_string(), games))
                .collect(),
            adjusted: tally.lucky.adjusted(luck.as_ref().map_or(0, Luck::width)),
        }
    }
}

/// The results of all agents, from the tallies of all pairs, and the cycles among them.
fn rankings(scoreboard: &Scoreboard) -> (Vec<Ranking>, Vec<Cycle>) {
    let Scoreboard { seats, names, pairs, tallies, .. } = scoreboard;
    let agents = names.len();
    let mut scores = vec![vec![0.0; agents]; agents];
    let mut superiority = vec![vec![None; agents]; agents];
    let mut games = vec![0; agents];
    let mut decisions = vec![0; agents];
    let mut seconds = vec![0.0; agents];
    for (&[first, second], tally) in pairs.iter().zip(tallies) {
        let [points, against] = tally.points().map(|points| points as f64 / f64::from(WIN));
        scores[first][second] = points;
        scores[second][first] = against;
        let los = Moments::of(&tally.cells(*seats), seats.games()).map(|moments| moments.los());
        superiority[first][second] = los;
        superiority[second][first] = los.map(|los| 1.0 - los);
        for (place, agent) in [first, second].into_iter().enumerate() {
            games[agent] += tally.games();
            decisions[agent] += tally.decisions[place];
            seconds[agent] += tally.seconds[place];
        }
    }
    let points = tallies.iter().map(|tally| tally.lucky.points());
    let most = seats.games() as f64;
    let covariances = covariances(agents, most, pairs.iter().copied().zip(points));
    let ratings = rate(names, &scores, &covariances);
    let has_company = |group| ratings.iter().filter(|one| one.group == group).count() > 1;
    let ranking = |(agent, rating): (usize, Rating)| {
        let points: f64 = scores[agent].iter().sum();
        let elo = rating.elo.map(|value| {
            Measurement { value, error: rating.error.unwrap_or(f64::INFINITY) }.estimate()
        });
        Ranking {
            agent: names[agent].clone(),
            elo: elo.filter(|_| rating.group == 0),
            elo_kind: rating.kind,
            group: rating.group,
            group_elo: elo.filter(|_| has_company(rating.group)),
            games: games[agent],
            points,
            score: ratio(points, games[agent] as f64),
            decisions: decisions[agent],
            seconds: seconds[agent],
            decisions_per_second: ratio(decisions[agent] as f64, seconds[agent]),
        }
    };
    let rankings = ratings.iter().copied().enumerate().map(ranking).collect();
    (rankings, cycles(names, &superiority))
}

fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}
