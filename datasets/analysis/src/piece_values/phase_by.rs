//! The division of a game into phases.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use serde::Serialize;

/// The division of a game into phases. A position is *early* while at least half of these are left of
/// those that there were at the deal, and *late* after.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseBy {
    /// The covered pieces on the board.
    Covered,
    /// All pieces on the board.
    Pieces,
}

impl PhaseBy {
    /// All of them, in the order of their names.
    pub const ALL: [Self; 2] = [Self::Covered, Self::Pieces];

    /// The name in options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Covered => "covered",
            Self::Pieces => "pieces",
        }
    }
}

impl Display for PhaseBy {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for PhaseBy {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let found = Self::ALL.into_iter().find(|one| one.name() == text);
        found.ok_or_else(|| format!("expected covered or pieces, got {text:?}"))
    }
}
