//! The figures that the analysis of piece values gives.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value as Json;

use crate::analysis::{Estimate, Quality};

/// What a dataset says of the pieces' values.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PieceValues {
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
    /// Games with quiet positions.
    pub games: u64,
    /// Their deals, which are the independent observations.
    pub deals: u64,
    /// Positions.
    pub positions: u64,
    /// Games of the dataset that differ in their deal or in an action, as in
    /// [`FirstRevealValue`](super::FirstRevealValue::distinct_games).
    pub distinct_games: u64,
    /// The kinds whose mean value is the unit.
    pub unit: Vec<char>,
    /// The value that they are given.
    pub unit_value: f64,
    /// The columns.
    pub terms: Vec<Term>,
    /// Values of kinds that turn into one another: the means of the two.
    pub forms: Vec<FormPair>,
    /// The value of a kind that has a lower one to fear, by how many of these the enemy has face up.
    pub feared: Option<ValueByThreats>,
    /// The probabilities of draws by an ordered logit.
    pub ordered: Option<OrderedCuts>,
    /// How well values fitted to four deals in five foretell the results of the fifth.
    pub held_out: Option<HeldOut>,
}

/// One column of the regression.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Term {
    /// What is counted, a piece letter, with `~` if the piece is covered and moves as such, or words.
    pub name: String,
    /// The piece letter, of face-up pieces.
    pub kind: Option<char>,
    /// Whether it counts pieces, which have values.
    pub is_piece: bool,
    /// What one more adds to the log odds of winning; null where the games do not tell it.
    pub log_odds: Option<Estimate>,
    /// The same in units, with Fieller's interval; null for all where the unit's own log odds are not clearly above 0.
    pub value: Option<Estimate>,
    /// The value by the ordered logit.
    pub ordered_value: Option<Estimate>,
    /// Why there is none.
    pub left_out: Option<String>,
}

/// Two kinds that turn into one another.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FormPair {
    /// Their letters.
    pub kinds: [char; 2],
    /// The mean of their values.
    pub value: Estimate,
}

/// A kind that has a lower one to fear.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ValueByThreats {
    /// Its letter.
    pub kind: char,
    /// The lower one's.
    pub feared: char,
    /// Its value against none of them, one, and so on.
    pub values: Vec<Estimate>,
}

/// What an ordered logit says beyond the values.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct OrderedCuts {
    /// The log odds at which a loss turns into a draw, and a draw into a win.
    pub cuts: [Estimate; 2],
}

/// Predictions of games that the values were not fitted to.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct HeldOut {
    /// Deals that were predicted.
    pub deals: u64,
    /// How good the predictions were.
    pub quality: Quality,
    /// How good it would have been to predict the mean score each time.
    pub without_values: Quality,
}

impl PieceValues {
    /// Whether so many games repeat others that the intervals are narrower than what the games show.
    pub fn is_repetitive(&self) -> bool {
        (self.distinct_games as f64) < 0.9 * self.games as f64
    }

    /// Whether the unit's own log odds are clearly above 0, so that there are values.
    pub fn has_values(&self) -> bool {
        self.terms.iter().any(|term| term.value.is_some())
    }
}
