//! The features of a position: the columns of the regression.

use std::fmt::{self, Display, Formatter};

/// What a row's columns count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Feature {
    /// Face-up pieces of a kind, by its letter: those of the seat and its allies less its enemy's (with several teams of
    /// enemies, their mean).
    Kind(char),
    /// Covered pieces that move as pieces of this kind, likewise.
    CoveredMover(char),
    /// Covered pieces of which it is not seen what they move as, likewise; as many as are to be expected.
    Covered,
    /// Pieces that were taken covered and shown to their captor alone, likewise: the enemy's less the seat's.
    TakenUnseen,
    /// Face-up pieces of the first kind times the enemy's of the second, which they have to fear, likewise.
    Interaction([char; 2]),
    /// 1 if the seat has the move, -1 if another has.
    Turn,
    /// 1, with two seats: for the seat that began, whose eyes all rows are seen through.
    FirstMove,
    /// 1, with more than two seats.
    Constant,
    /// With more than two seats, 1 for the seat that began, 0 for the others.
    Began,
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
