//! The features of a position: the columns of the regression.

use std::fmt::{self, Display, Formatter};

/// A column of the regression.
///
/// Piece counts are those of the seat and its allies minus those of its enemies; with several teams
/// of enemies, minus their mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Feature {
    /// Face-up pieces of a kind, by its letter.
    Kind(char),
    /// Covered pieces that move as pieces of this kind.
    CoveredMover(char),
    /// Covered pieces whose movement is unknown; their expected number.
    Covered,
    /// Covered pieces whose identity only their captor saw: the enemy's minus the seat's.
    TakenUnseen,
    /// An interaction: face-up pieces of the first kind times the enemy's of the second, which
    /// captures it.
    Interaction([char; 2]),
    /// 1 if the seat is to move, else -1.
    Turn,
    /// 1, with two seats: the advantage of the seat that began, from whose perspective all rows
    /// are.
    FirstMove,
    /// 1, with more than two seats.
    Constant,
    /// With more than two seats: 1 for the seat that began, else 0.
    Began,
}

impl Feature {
    /// Whether it counts pieces, so that it has a value.
    pub(super) const fn is_piece(self) -> bool {
        !matches!(self, Self::Turn | Self::FirstMove | Self::Constant | Self::Began)
    }
}

impl Display for Feature {
    /// The name in tables: a kind's letter, with `~` if covered, or words.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kind(kind) => write!(f, "{kind}"),
            Self::CoveredMover(kind) => write!(f, "~{kind}"),
            Self::Covered => f.write_str("~"),
            Self::TakenUnseen => f.write_str("taken unseen"),
            Self::Interaction([kind, feared]) => write!(f, "{kind} per enemy {feared}"),
            Self::Turn => f.write_str("to move"),
            Self::FirstMove => f.write_str("first move"),
            Self::Constant => f.write_str("constant"),
            Self::Began => f.write_str("began"),
        }
    }
}
