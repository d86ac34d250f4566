//! Which positions are quiet enough for a fit.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use serde::Serialize;

/// The plies around a position that must not capture.
///
/// The next plies are chosen by the player to move, who may know more than the piece counts
/// say. [`Quiet::Before`] does not select by that choice, but takes positions in the middle of
/// exchanges, too.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Quiet {
    /// The one before and the one after.
    #[default]
    Both,
    /// The one before.
    Before,
}

impl Quiet {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Both, Self::Before];

    /// The name in options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Both => "both",
            Self::Before => "before",
        }
    }
}

impl Display for Quiet {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Quiet {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let found = Self::ALL.into_iter().find(|one| one.name() == text);
        found.ok_or_else(|| format!("expected both or before, got {text:?}"))
    }
}
