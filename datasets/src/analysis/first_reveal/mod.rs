//! What the first reveal is worth.
//!
//! **Estimand**: the expected score (win 1, draw 1/2) of the player who makes the first reveal, when an agent plays
//! against itself under one set of rules. Four things that are easily confused stand apart: the advantage of the seat that
//! moves first, the effect of which piece came up, that of where it lay, and how much of a game is the luck of reveals.
//!
//! Games that share a deal are one observation: all errors are clustered by deal.

mod running;
mod tally;

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use darkqi_env::games::{self, Visitor};
use darkqi_env::{Registered, Rng, Square, Stream, Viewer};
use serde::Serialize;
use serde_json::Value as Json;

pub use self::running::{RunningScore, Settled, settled_score};
use self::tally::{Course, Tally};
use super::squares::{Symmetry, class};
use super::{Adjusted, Error, Estimate, Measurement, Result};
use crate::options::options_from_json;
use crate::{Dataset, Metadata};

/// What a dataset says of the first reveal.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FirstReveal {
    /// The game's registry name.
    pub game: String,
    /// All options in force.
    pub options: BTreeMap<String, Json>,
    /// The agent that played all seats.
    pub agent: String,
    /// The dataset's seed.
    pub seed: u64,
    /// The version that played.
    pub software_version: String,
    /// Games.
    pub games: u64,
    /// Games that differ in their deal or in an action; about 3 % off where there are more than 1,024. A game that
    /// repeats another tells nothing new, yet every interval counts it: an agent that plays the same way each time needs
    /// `epsilon` where all deals are equal.
    pub distinct_games: u64,
    /// Deals, which are the independent observations.
    pub deals: u64,
    /// Whoever made the first reveal; null in a game in which nothing is covered.
    pub revealer: Option<Revealer>,
    /// The seat that moved first.
    pub first_mover: Outcomes,
    /// What every seat scores if all are equal; None where some seats win together, whose teams may not be.
    pub even: Option<f64>,
    /// The share of games that somebody won.
    pub decisive: Estimate,
    /// Plies of a game.
    pub plies: Lengths,
    /// Games by what ended them.
    pub endings: BTreeMap<String, u64>,
    /// Those of them that a limit cut off, by what did.
    pub cut_off: BTreeMap<String, u64>,
}

/// How somebody fared.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Outcomes {
    /// Games won, alone or with others.
    pub wins: u64,
    /// Games that nobody won, those that were cut off included.
    pub draws: u64,
    /// Games that another won.
    pub losses: u64,
    /// Of the draws, games that were cut off.
    pub cut_off: u64,
    /// The mean score, with Wilson's interval for the deals' variance.
    pub score: Estimate,
    /// The Elo difference that has this score, with two seats.
    pub elo: Option<Estimate>,
}

/// The player who made the first reveal.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Revealer {
    /// How it fared.
    pub outcomes: Outcomes,
    /// The same score with the luck of the reveals taken out (control variates), and what that gained.
    pub adjusted: Option<Adjusted>,
    /// The score's variance over that of as many games on deals of their own; about 1 if no games share deals, below 1
    /// where sharing them paid. None with more than two seats.
    pub design_effect: Option<f64>,
    /// Games in which nothing was revealed; they are left out here.
    pub without_reveal: u64,
    /// The share of games in which the seat that moved first made the first reveal.
    pub moved_first: Estimate,
    /// By the kind that came up.
    pub kinds: Effects,
    /// By where it lay: squares that are alike by the board's symmetry, named by the lowest and leftmost as its player
    /// sees them. Agents choose where they reveal, so this is an association and not an effect.
    pub squares: Effects,
}

/// Scores by groups of games.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Effects {
    /// The groups that have games.
    pub groups: Vec<Effect>,
    /// How different the groups are in truth; null with fewer than 5 groups that have an error.
    pub spread: Option<Spread>,
}

/// One group of games.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Effect {
    /// The piece letter or square.
    pub name: String,
    /// Its games.
    pub games: u64,
    /// The mean score of whoever made the first reveal.
    pub score: Estimate,
    /// This score less that of all games, with an interval that holds for few games too ([`Means::effect`](super::Means::effect)).
    pub effect: Estimate,
    /// The p-value of no effect, by itself: a score test, [`Means::if_alike`](super::Means::if_alike).
    pub p_value: f64,
    /// The same adjusted by Holm for the number of groups, which are one family: those of kinds, and those of squares.
    pub p_holm: f64,
    /// The score drawn towards the others' by how noisy it would be if all were alike (empirical Bayes); null where
    /// there is no [`Spread`].
    pub shrunk: Option<Estimate>,
}

/// How different groups are.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Spread {
    /// The standard deviation of the groups' true scores (REML).
    pub deviation: f64,
    /// The p-value of no difference (Cochran's Q).
    pub p_value: f64,
}

/// Lengths of games in plies.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Lengths {
    /// The mean.
    pub mean: Estimate,
    /// The 5 % quantile.
    pub p5: u16,
    /// The median.
    pub median: u16,
    /// The 95 % quantile.
    pub p95: u16,
    /// Games by length, for lengths that have any: some twenty bins of one width up to the 95 % quantile, and as many
    /// as it takes beyond.
    pub bins: Vec<LengthBin>,
}

/// Games whose lengths lie between two.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct LengthBin {
    /// The shortest length that counts here.
    pub from: u16,
    /// The longest.
    pub to: u16,
    /// How many they are.
    pub games: u64,
}

impl FirstReveal {
    /// Whether so many games repeat others that the intervals are narrower than what the games show.
    pub fn is_repetitive(&self) -> bool {
        (self.distinct_games as f64) < 0.9 * self.games as f64
    }
}

/// Reads a dataset once, on all threads of rayon's pool and in constant memory.
///
/// # Errors
///
/// If the dataset cannot be read, is of several agents, holds no games or a game that cannot have been played, or
/// `stop` becomes true.
pub fn first_reveal(dataset: &Dataset, stop: &AtomicBool) -> Result<FirstReveal> {
    struct Analysis<'a>(&'a Dataset, &'a AtomicBool);
    impl Visitor for Analysis<'_> {
        type Output = Result<FirstReveal>;
        fn visit<G: Registered>(self, rules: G) -> Self::Output {
            let Self(dataset, stop) = self;
            let course = Course::new(&rules);
            let metadata = dataset.metadata();
            let tally = Tally::of(dataset, &course, only_agent(metadata)?, stop)?;
            finish(metadata, &course, &tally)
        }
    }
    let metadata = dataset.metadata();
    only_agent(metadata)?;
    let options = options_from_json(&metadata.options)?;
    games::with(&metadata.game, &options, Analysis(dataset, stop))?
}

/// The one agent that played all seats.
///
/// # Errors
///
/// If there were several, or none.
pub(super) fn only_agent(metadata: &Metadata) -> Result<&str> {
    let mut agents = metadata.agents.clone();
    agents.sort();
    agents.dedup();
    match (agents.as_slice(), metadata.agents.first()) {
        ([_], Some(agent)) => Ok(agent),
        _ => Err(Error::Agents { agents }),
    }
}

/// Whether a covered piece shows its colour, and whether there are any.
fn covering(rules: &impl Registered) -> (bool, bool) {
    let deal = rules.deal(&mut Rng::new(0, Stream::Deal));
    let fen = rules.view_fen(&rules.view(&deal, Viewer::Public));
    let board = fen.split(' ').next().unwrap_or_default();
    (!board.contains('?'), board.contains(['?', 'X', 'x']))
}

/// The square of each class that stands for it, by square as the first seat sees them; None where nothing is covered.
pub(crate) fn square_classes<G: Registered>(rules: &G) -> Option<Vec<Square>> {
    let (colours_show, is_covered) = covering(rules);
    let (size, symmetry) = (G::LAYOUT.size, Symmetry::of(colours_show));
    is_covered.then(|| size.all().map(|square| class(size, symmetry, square, 0)).collect())
}

fn finish(metadata: &Metadata, course: &Course, tally: &Tally) -> Result<FirstReveal> {
    let first_mover = outcomes(&tally.first_mover, course).ok_or(Error::NoGames)?;
    let revealer = match outcomes(&tally.revealer, course) {
        Some(outcomes) => Some(Revealer {
            design_effect: (course.seats() == 2).then(|| design_effect(&tally.revealer)).flatten(),
            outcomes,
            adjusted: tally.luck.finish(),
            without_reveal: tally.without_reveal,
            moved_first: overall(&tally.moved_first).ok_or(Error::NoGames)?,
            kinds: effects(&tally.kinds, &course.kind_names())?,
            squares: effects(&tally.squares, &course.class_names())?,
        }),
        None => None,
    };
    Ok(FirstReveal {
        game: metadata.game.clone(),
        options: metadata.options.clone(),
        agent: metadata.agents.first().cloned().unwrap_or_default(),
        seed: metadata.seed,
        software_version: metadata.software_version.clone(),
        games: tally.games(),
        distinct_games: tally.distinct.count().min(tally.games()),
        deals: tally.deals(),
        revealer,
        first_mover,
        even: course.even_share(),
        decisive: overall(&tally.decisive).ok_or(Error::NoGames)?,
        plies: tally.lengths().ok_or(Error::NoGames)?,
        endings: tally.endings.clone(),
        cut_off: tally.cut_off.clone(),
    })
}

/// The variance of a score with clusters over that without; None where there is no variance.
fn design_effect(counts: &tally::Counts) -> Option<f64> {
    let means = counts.scores.finish();
    let error = means.mean(means.overall())?.error;
    let games = (counts.wins + counts.draws + counts.losses) as f64;
    let (won, drawn) = (counts.wins as f64 / games, counts.draws as f64 / games);
    let variance = won + drawn / 4.0 - (won + drawn / 2.0).powi(2);
    let effect = error * error / (variance / (games - 1.0));
    effect.is_finite().then_some(effect)
}

/// The overall mean of shares; None without games.
fn overall(means: &super::ClusterMeans) -> Option<Estimate> {
    let means = means.finish();
    means.score(means.overall())
}

fn outcomes(counts: &tally::Counts, course: &Course) -> Option<Outcomes> {
    let score = overall(&counts.scores)?;
    let elo = |score: Estimate| {
        let [value, low, high] = [score.value, score.low, score.high].map(super::elo_of_score);
        Estimate { value, low, high }
    };
    Some(Outcomes {
        wins: counts.wins,
        draws: counts.draws,
        losses: counts.losses,
        cut_off: counts.cut_off,
        score,
        elo: (course.seats() == 2).then(|| elo(score)),
    })
}

fn effects(means: &super::ClusterMeans, names: &[String]) -> Result<Effects> {
    let means = means.finish();
    let mut groups = Vec::new();
    let mut measured = Vec::new();
    for (group, name) in names.iter().enumerate() {
        let (Some(score), Some(effect)) = (means.score(group), means.effect(group)) else {
            continue;
        };
        let (Some(test), Some(mean)) = (means.if_alike(group), means.mean_if_alike(group)) else {
            continue;
        };
        // Where nothing at all varies there is no error to weigh the group by.
        if mean.error > 0.0 && mean.error.is_finite() {
            measured.push((groups.len(), mean));
        }
        groups.push(Effect {
            name: name.clone(),
            games: means.weight(group) as u64,
            score,
            effect,
            p_value: test.p_value(),
            p_holm: 1.0,
            shrunk: None,
        });
    }
    let p_values: Vec<f64> = groups.iter().map(|group| group.p_value).collect();
    for (group, p_holm) in groups.iter_mut().zip(super::holm(&p_values)?) {
        group.p_holm = p_holm;
    }
    let (told, measured): (Vec<usize>, Vec<Measurement>) = measured.into_iter().unzip();
    let spread = super::shrink(&measured).ok().map(|shrinkage| {
        for (&group, shrunk) in told.iter().zip(&shrinkage.shrunk) {
            groups[group].shrunk = Some(*shrunk);
        }
        Spread { deviation: shrinkage.tau, p_value: shrinkage.p_value }
    });
    Ok(Effects { groups, spread })
}

#[cfg(test)]
mod tests;
