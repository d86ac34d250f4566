//! The results of the analysis of piece values.

use std::collections::BTreeMap;

use darkqi_format::Metadata;
use serde::Serialize;
use serde_json::Value as Json;

use super::sample::SampledRows;
use super::unit::Unit;
use crate::games::only_agent;
use crate::statistics::Quality;
use crate::statistics::regression::Fit;
use crate::{Estimate, Judgement, Result};

/// What piece values were fitted to, and their unit.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Basis {
    /// The game's registry name.
    pub game: String,
    /// All options in force.
    pub options: BTreeMap<String, Json>,
    /// The agent that played all seats.
    pub agent: String,
    /// The number of games with quiet positions.
    pub games: u64,
    /// Their deals: the independent observations.
    pub deals: u64,
    /// Positions.
    pub positions: u64,
    /// The kinds whose mean value is the unit. Each phase has its own, all regions have one.
    pub unit: Vec<char>,
    /// The value of the unit.
    pub unit_value: f64,
}

impl Basis {
    pub(super) fn new<R>(
        metadata: &Metadata,
        sampled: &SampledRows<R>,
        fit: &Fit,
        unit: &Unit,
    ) -> Result<Self> {
        Ok(Self {
            game: metadata.game.clone(),
            options: metadata.options.clone(),
            agent: only_agent(metadata)?.to_owned(),
            games: sampled.quiet_games,
            deals: fit.clusters(),
            positions: fit.rows(),
            unit: unit.kinds.clone(),
            unit_value: unit.value,
        })
    }
}

/// The value of each piece in a dataset.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PieceValues {
    /// The positions that they were fitted to, and the unit.
    #[serde(flatten)]
    pub basis: Basis,
    /// The dataset's seed.
    pub seed: u64,
    /// The version that played.
    pub software_version: String,
    /// Games that differ in their deal or in an action, as in
    /// [`FirstRevealValue`](crate::FirstRevealValue::distinct_games).
    pub distinct_games: u64,
    /// The effective number of deals, as in
    /// [`FirstRevealValue`](crate::FirstRevealValue::effective_deals).
    pub effective_deals: u64,
    /// The columns.
    pub terms: Vec<Term>,
    /// The mean values of kinds that turn into one another.
    pub forms: Vec<FormPair>,
    /// The value of a kind that a lower one captures, by the number of these that the enemy has
    /// face up.
    pub feared: Option<ValueByThreats>,
    /// The cut points of the ordered logit.
    pub ordered: Option<OrderedCuts>,
    /// Validation: values fitted to four deals in five predict the results of the fifth.
    pub held_out: Option<HeldOut>,
    /// Why the figures may mislead, or why there are none: all log odds and values are null then.
    #[serde(flatten)]
    pub judgement: Judgement,
}

/// One column of the regression.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Term {
    /// The name: a piece letter, with `~` if the piece is covered and moves as such, or
    /// words.
    pub name: String,
    /// The piece letter, for face-up pieces.
    pub kind: Option<char>,
    /// Whether it counts pieces, so that it has a value.
    pub is_piece: bool,
    /// The increase of the log odds of winning by one more; null if not identified.
    pub log_odds: Option<Estimate>,
    /// The value in units, with Fieller's interval; null for all if the unit's log odds are not
    /// significantly above 0.
    pub value: Option<Estimate>,
    /// The value by the ordered logit.
    pub ordered_value: Option<Estimate>,
    /// Why it is not identified.
    pub left_out: Option<String>,
}

/// Two kinds that turn into one another, with their mean value.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FormPair {
    /// Their letters.
    pub kinds: [char; 2],
    /// The mean of their values.
    pub value: Estimate,
}

/// The value of a kind that a lower kind captures, by number of enemies of that kind.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ValueByThreats {
    /// The letter of the kind.
    pub kind: char,
    /// The letter of the lower kind.
    pub feared: char,
    /// Its values against 0, 1, 2 and more enemies of the lower kind.
    pub values: Vec<Estimate>,
}

/// The cut points of an ordered logit.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct OrderedCuts {
    /// The cut points between loss and draw and between draw and win, in log odds.
    pub cuts: [Estimate; 2],
}

/// Validation on deals that the values were not fitted to.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct HeldOut {
    /// The number of deals held out.
    pub deals: u64,
    /// The quality of the predictions.
    pub quality: Quality,
    /// The quality of predicting the mean score each time.
    pub without_values: Quality,
}

impl PieceValues {
    /// Why there are no values, if there are none.
    pub fn without_values(&self) -> Option<String> {
        match self.judgement.withheld {
            Some(doubt) => Some(doubt.to_string()),
            None if self.has_values() => None,
            None => Some("the unit's log odds are not clearly above 0; more games help".to_owned()),
        }
    }

    /// Whether there are values: the unit's log odds are significantly above 0.
    pub fn has_values(&self) -> bool {
        self.terms.iter().any(|term| term.value.is_some())
    }
}
