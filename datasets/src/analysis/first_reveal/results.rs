//! The figures that the analysis of first reveals gives.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value as Json;

use crate::analysis::{Adjusted, Estimate};

/// What a dataset says of the first reveal.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FirstRevealValue {
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
    pub plies: GameLengths,
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
    pub spread: Option<Heterogeneity>,
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
    /// This score less that of all games, with an interval that holds for few games too ([`ClusteredMeans::effect`](super::ClusteredMeans::effect)).
    pub effect: Estimate,
    /// The p-value of no effect, by itself: a score test, [`ClusteredMeans::score_test`](super::ClusteredMeans::score_test).
    pub p_value: f64,
    /// The same adjusted by Holm for the number of groups, which are one family: those of kinds, and those of squares.
    pub p_holm: f64,
    /// The score drawn towards the others' by how noisy it would be if all were alike (empirical Bayes); null where
    /// there is no [`Heterogeneity`].
    pub shrunk: Option<Estimate>,
}

/// How different groups are.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Heterogeneity {
    /// The standard deviation of the groups' true scores (REML).
    pub deviation: f64,
    /// The p-value of no difference (Cochran's Q).
    pub p_value: f64,
}

/// GameLengths of games in plies.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GameLengths {
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

impl FirstRevealValue {
    /// Whether so many games repeat others that the intervals are narrower than what the games show.
    pub fn is_repetitive(&self) -> bool {
        (self.distinct_games as f64) < 0.9 * self.games as f64
    }
}
