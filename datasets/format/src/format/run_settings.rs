//! The settings of a run, which `dataset.json` keeps so that the run can be resumed.

use std::collections::BTreeMap;

use darkqi_env::{Rng, Stream};
use serde::{Deserialize, Serialize};

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

/// How the games of a run begin, besides the deal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Openings {
    /// Positions to begin with, one of which is drawn per deal: full FENs or, in games whose deals are
    /// all equal, moves from the start. None: the deal itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
    /// Pieces that are taken off, by their names in a FEN: for each name one of the pieces with that
    /// name, drawn per deal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remove: Vec<String>,
    /// Number of uniformly random plies before the agents take over, drawn per deal.
    #[serde(default)]
    pub random_plies: u32,
}

impl Openings {
    /// Whether games begin with the deal itself.
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }

    /// The number of the line that the game with this seed begins with, if there are lines, and the
    /// stream from which the rest of its opening is drawn.
    pub fn draw(&self, seed: u64) -> (Option<usize>, Rng) {
        let mut rng = Rng::new(seed, Stream::Sample);
        let lines = self.lines.len() as u32;
        let line = (lines > 0).then(|| rng.below(lines) as usize);
        (line, rng)
    }

    /// The opening that the game with this seed shares with others besides its deal: the number of its line,
    /// where there are several.
    pub fn cluster(&self, seed: u64) -> Option<u64> {
        (self.lines.len() > 1).then(|| self.draw(seed).0).flatten().map(|line| line as u64)
    }
}
