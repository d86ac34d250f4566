//! The settings of a run of self-play, as `dataset.json` keeps them to go on from.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What a run of self-play was asked for besides [`Metadata`](crate::Metadata), so that it can be gone on with and
/// checked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSettings {
    /// The number of games asked for; with `until`, the greatest.
    pub games: u64,
    /// The number of games in a shard; the last may hold fewer.
    pub shard_games: u64,
    /// Whether every deal is played once per rotation of the agents over the seats.
    pub duplicate: bool,
    /// The half-width at which the run stops, if it is to stop at one.
    pub until: Option<f64>,
    /// The XXH64 (seed 0, hexadecimal) of what agents read besides their text: the values and weights that come with the
    /// program, and every file that an agent's option names, by the agent's text and the option.
    pub agent_files: BTreeMap<String, String>,
}
