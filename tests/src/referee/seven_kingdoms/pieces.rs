//! Kingdoms and pieces (RULES.md section 6).

/// A kingdom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kingdom {
    Qin,
    Chu,
    Han,
    Qi,
    Wei,
    Zhao,
    Yan,
}

impl Kingdom {
    /// Every kingdom, in turn order.
    pub(super) const ALL: [Self; 7] =
        [Self::Qin, Self::Chu, Self::Han, Self::Qi, Self::Wei, Self::Zhao, Self::Yan];

    /// The letter.
    pub(super) fn letter(self) -> char {
        char::from(b"wrobgpd"[self.index()])
    }

    /// The kingdom of that letter.
    pub(super) fn of_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|kingdom| kingdom.letter() == letter)
    }

    /// The place in the turn order, counted from 0.
    pub(super) fn index(self) -> usize {
        self as usize
    }

    /// The kingdom after it in the turn order.
    pub(super) fn next(self) -> Self {
        Self::ALL[(self.index() + 1) % 7]
    }

    /// The kingdom before it in the turn order.
    pub(super) fn previous(self) -> Self {
        Self::ALL[(self.index() + 6) % 7]
    }
}

/// The kind of a kingdom's piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    General,
    Chancellor,
    Diplomat,
    Cannon,
    GoBetween,
    Archer,
    Crossbowman,
    DaggerSoldier,
    Swordsman,
    Knight,
    /// A general that was annexed: it moves as one, but is no longer royal.
    Marshal,
}

impl Kind {
    /// Every kind.
    pub(super) const ALL: [Self; 11] = [
        Self::General,
        Self::Chancellor,
        Self::Diplomat,
        Self::Cannon,
        Self::GoBetween,
        Self::Archer,
        Self::Crossbowman,
        Self::DaggerSoldier,
        Self::Swordsman,
        Self::Knight,
        Self::Marshal,
    ];

    /// The letter.
    pub(super) fn letter(self) -> char {
        char::from(b"QRBCGHWASNM"[self as usize])
    }

    /// The kind of that letter.
    pub(super) fn of_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.letter() == letter)
    }
}

/// What stands on a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// The neutral emperor.
    Emperor,
    /// A piece of the army of a kingdom.
    Of(Kingdom, Kind),
}

impl Piece {
    /// The piece as a FEN writes it (DESIGN.md section 4).
    pub(super) fn name(self) -> String {
        match self {
            Self::Emperor => "*".to_string(),
            Self::Of(kingdom, kind) => format!("{}{}", kingdom.letter(), kind.letter()),
        }
    }
}
