//! The settings of a run, which `dataset.json` keeps so that the run can be resumed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::openings::Openings;

/// The settings of a run besides [`Metadata`](crate::Metadata). They are needed to resume
/// and to verify it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSettings {
    /// The number of games requested; with `until`, the maximum.
    pub games: u64,
    /// The number of games in a shard; the last may hold fewer.
    pub shard_games: u64,
    /// Whether every deal is played once per rotation of the agents over the seats.
    pub duplicate: bool,
    /// Whether the agents of the metadata are those of a match, all pairs of which play every deal in
    /// all seatings; absent if they have a seat each.
    #[serde(default, skip_serializing_if = "is_false")]
    pub all_pairs: bool,
    /// The sequential test at whose decision a match stops: two Elo differences, and the greatest
    /// probabilities of accepting the other one. Absent without a test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<[f64; 4]>,
    /// The half-width of the score's interval at which the run stops, if it stops at one.
    pub until: Option<f64>,
    /// Whether that score is luck-adjusted; absent if not.
    #[serde(default, skip_serializing_if = "is_false")]
    pub luck_adjusted: bool,
    /// The XXH64 (seed 0, hexadecimal) of files that agents read: the built-in piece values and
    /// weights, and each file named by an agent's option. Keys are the agent's text and the option.
    pub agent_files: BTreeMap<String, String>,
    /// How games begin; absent if with the deal itself.
    #[serde(default, skip_serializing_if = "Openings::is_plain")]
    pub openings: Openings,
}

fn is_false(value: &bool) -> bool {
    !value
}
