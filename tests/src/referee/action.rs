//! Actions and their names.

use super::board::Square;

/// What a player does in one ply.
#[derive(Clone, Copy, Debug)]
pub(super) enum Action {
    /// Turns over the covered piece on the square.
    Flip(Square),
    /// Moves a piece from the first square to the second.
    Step(Square, Square),
    /// Ends a turn (RULES.md 10.5).
    Pass,
}

impl Action {
    /// The name (DESIGN.md section 4).
    pub(super) fn name(self) -> String {
        match self {
            Self::Flip(square) => square.name(),
            Self::Step(from, to) => from.name() + &to.name(),
            Self::Pass => "pass".to_string(),
        }
    }
}
