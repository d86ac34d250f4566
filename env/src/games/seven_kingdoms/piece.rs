//! The pieces of the seven kingdoms, and where they start. RULES.md section 6.

use std::sync::LazyLock;

use super::geometry::SIZE;
use super::kingdom::Kingdom;
use crate::board::{AnyPiece, Square};
use crate::game::choices;

/// The kind of a piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are those of RULES.md section 6")]
pub enum Kind {
    General,
    /// An annexed general.
    Marshal,
    Chancellor,
    Diplomat,
    Cannon,
    GoBetween,
    Archer,
    Crossbowman,
    DaggerSoldier,
    Swordsman,
    Knight,
}

impl Kind {
    /// Number of kinds.
    pub const COUNT: usize = 11;

    /// Every kind, in the order of their indices.
    pub(super) const ALL: [Self; Self::COUNT] = [
        Self::General,
        Self::Marshal,
        Self::Chancellor,
        Self::Diplomat,
        Self::Cannon,
        Self::GoBetween,
        Self::Archer,
        Self::Crossbowman,
        Self::DaggerSoldier,
        Self::Swordsman,
        Self::Knight,
    ];

    /// Their letters.
    pub const LETTERS: [char; Self::COUNT] =
        ['Q', 'M', 'R', 'B', 'C', 'G', 'H', 'W', 'A', 'S', 'N'];

    /// Position in [`Kind::LETTERS`].
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// A piece of a kingdom's army.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The kingdom that owns it.
    pub kingdom: Kingdom,
    /// Its kind.
    pub kind: Kind,
}

impl Piece {
    /// The letter of the kind.
    pub const fn letter(self) -> char {
        Kind::LETTERS[self.kind.index()]
    }

    /// The name in notation: the letters of kingdom and kind.
    pub fn name(self) -> String {
        [self.kingdom.letter(), self.letter()].iter().collect()
    }

    /// The piece with these letters.
    pub fn from_letters(kingdom: char, kind: char) -> Option<Self> {
        let kingdom = Kingdom::from_letter(kingdom)?;
        let index = Kind::LETTERS.iter().position(|&known| known == kind)?;
        Some(Self { kingdom, kind: Kind::ALL[index] })
    }

    /// The Chinese character on the piece; on a general it is the name of the kingdom.
    pub const fn character(self) -> char {
        const KINGDOMS: [char; Kingdom::COUNT] = ['秦', '楚', '韓', '齊', '魏', '趙', '燕'];
        const KINDS: [char; Kind::COUNT] =
            ['將', '帥', '偏', '裨', '砲', '行', '弓', '弩', '刀', '劍', '騎'];
        match self.kind {
            Kind::General => KINGDOMS[self.kingdom.index()],
            kind => KINDS[kind.index()],
        }
    }
}

impl From<Piece> for AnyPiece {
    fn from(piece: Piece) -> Self {
        Self { army: piece.kingdom.index() as u8, kind: piece.kind.index() as u8 }
    }
}

impl From<AnyPiece> for Piece {
    fn from(piece: AnyPiece) -> Self {
        let kingdom = Kingdom::ALL[usize::from(piece.army)];
        Self { kingdom, kind: Kind::ALL[usize::from(piece.kind)] }
    }
}

choices! {
    /// The starting array.
    #[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
    pub(super) enum Setup {
        #[default]
        Leventhal = "leventhal",
        Elephantchess = "elephantchess",
    }
}

/// Number of pieces of an army at the start.
const ARMY_SIZE: usize = 17;

/// The kinds of the pieces in the order of [`HOMES`].
const ORDER: [Kind; ARMY_SIZE] = [
    Kind::General,
    Kind::Chancellor,
    Kind::Diplomat,
    Kind::Cannon,
    Kind::Swordsman,
    Kind::Swordsman,
    Kind::Swordsman,
    Kind::Swordsman,
    Kind::Knight,
    Kind::Knight,
    Kind::Knight,
    Kind::Knight,
    Kind::Crossbowman,
    Kind::DaggerSoldier,
    Kind::DaggerSoldier,
    Kind::Archer,
    Kind::GoBetween,
];

/// The starting points of each army in the setup `leventhal`: the table of RULES.md section 6.
static HOMES: LazyLock<[[Square; ARMY_SIZE]; Kingdom::COUNT]> = LazyLock::new(|| {
    [
        "a10 a11 a9 b10 a8 a12 b9 b11 a7 a13 b8 b12 c10 c9 c11 d10 e10",
        "f1 e1 g1 f2 d1 h1 e2 g2 c1 i1 d2 h2 f3 e3 g3 f4 f5",
        "n1 m1 o1 n2 l1 p1 m2 o2 k1 q1 l2 p2 n3 m3 o3 n4 n5",
        "s6 s5 s7 r6 s4 s8 r5 r7 s3 s9 r4 r8 q6 q5 q7 p6 o6",
        "s14 s13 s15 r14 s12 s16 r13 r15 s11 s17 r12 r16 q14 q13 q15 p14 o14",
        "n19 o19 m19 n18 l19 p19 m18 o18 k19 q19 l18 p18 n17 m17 o17 n16 n15",
        "f19 g19 e19 f18 d19 h19 e18 g18 c19 i19 d18 h18 f17 e17 g17 f16 f15",
    ]
    .map(|squares| {
        let mut names = squares.split(' ');
        std::array::from_fn(|_| names.next().and_then(|name| SIZE.parse(name)).expect("a square"))
    })
});

impl Setup {
    /// A kingdom's pieces with their starting points.
    pub(super) fn army(self, kingdom: Kingdom) -> impl Iterator<Item = (Square, Kind)> {
        let is_southern = matches!(kingdom, Kingdom::Chu | Kingdom::Han);
        let is_exchanged = self == Self::Elephantchess && is_southern;
        let kind = move |kind| match kind {
            Kind::Chancellor if is_exchanged => Kind::Diplomat,
            Kind::Diplomat if is_exchanged => Kind::Chancellor,
            kind => kind,
        };
        HOMES[kingdom.index()].into_iter().zip(ORDER.map(kind))
    }
}
