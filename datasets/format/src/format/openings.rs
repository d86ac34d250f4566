//! How the games of a run begin.

use darkqi_env::{Rng, Stream};
use serde::{Deserialize, Serialize};

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
