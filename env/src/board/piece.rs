//! Xiangqi pieces: kinds, colours, starting counts. [`AnyPiece`] names the pieces of any game.

use serde::{Deserialize, Serialize};

use super::square::Perspective;

/// One of the two colours of a xiangqi set.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Colour {
    /// Upper case in notation; moves first where colours are known.
    Red,
    /// Lower case in notation.
    Black,
}

impl Colour {
    /// Red, then black.
    pub const ALL: [Self; 2] = [Self::Red, Self::Black];

    /// 0 for red, 1 for black.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The perspective of a colour where red sits below and black above: black's is rotated, so
    /// that an action index means the same movement for both colours.
    #[inline]
    pub const fn perspective(self) -> Perspective {
        match self {
            Self::Red => Perspective::Upright,
            Self::Black => Perspective::Rotated,
        }
    }

    /// The other colour.
    #[inline]
    pub const fn other(self) -> Self {
        match self {
            Self::Red => Self::Black,
            Self::Black => Self::Red,
        }
    }
}

/// The kind of a xiangqi piece.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// K, 將 or 帥.
    General,
    /// A, 士 or 仕.
    Advisor,
    /// E, 象 or 相.
    Elephant,
    /// H, 馬 or 傌.
    Horse,
    /// R, 車 or 俥.
    Chariot,
    /// C, 砲 or 炮.
    Cannon,
    /// P, 卒 or 兵.
    Soldier,
}

impl Kind {
    /// Every kind, in the order of their indices.
    pub const ALL: [Self; 7] = [
        Self::General,
        Self::Advisor,
        Self::Elephant,
        Self::Horse,
        Self::Chariot,
        Self::Cannon,
        Self::Soldier,
    ];

    /// The letters of the kinds, in the order of their indices.
    pub const LETTERS: [char; 7] = ['K', 'A', 'E', 'H', 'R', 'C', 'P'];

    /// Number of pieces of each kind in one colour at the start, in the order of their indices.
    pub const COUNTS: [u8; 7] = [1, 2, 2, 2, 2, 2, 5];

    /// Number of such pieces in one colour at the start.
    pub const fn count(self) -> u8 {
        Self::COUNTS[self as usize]
    }

    /// Position in [`Kind::ALL`].
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// A xiangqi piece: a colour and a kind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Piece {
    /// Its colour.
    pub colour: Colour,
    /// Its kind.
    pub kind: Kind,
}

impl Piece {
    /// Number of different pieces.
    pub const COUNT: usize = 14;

    /// Red general to soldier are 0 to 6, black general to soldier 7 to 13.
    #[inline]
    pub const fn index(self) -> usize {
        self.colour.index() * 7 + self.kind.index()
    }

    /// The piece with this index, which must be below [`Piece::COUNT`].
    #[inline]
    pub const fn from_index(index: usize) -> Self {
        let colour = if index < 7 { Colour::Red } else { Colour::Black };
        Self { colour, kind: Kind::ALL[index % 7] }
    }

    /// The letter of DESIGN.md section 4: upper case for red, lower case for black.
    pub const fn letter(self) -> char {
        let letter = Kind::LETTERS[self.kind.index()];
        match self.colour {
            Colour::Red => letter,
            Colour::Black => letter.to_ascii_lowercase(),
        }
    }

    /// The piece with this letter.
    pub fn from_letter(letter: char) -> Option<Self> {
        let colour = if letter.is_ascii_uppercase() { Colour::Red } else { Colour::Black };
        let upper = letter.to_ascii_uppercase();
        let index = Kind::LETTERS.iter().position(|&known| known == upper)?;
        Some(Self { colour, kind: Kind::ALL[index] })
    }

    /// The Chinese character on the piece.
    pub const fn character(self) -> char {
        const RED: [char; 7] = ['帥', '仕', '相', '傌', '俥', '炮', '兵'];
        const BLACK: [char; 7] = ['將', '士', '象', '馬', '車', '砲', '卒'];
        match self.colour {
            Colour::Red => RED[self.kind.index()],
            Colour::Black => BLACK[self.kind.index()],
        }
    }
}

/// A piece of any game: an army and a kind, as indices. Events and features use it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct AnyPiece {
    /// Index of the army: 0 red and 1 black where there are two.
    pub army: u8,
    /// Index of the kind among the game's kind letters.
    pub kind: u8,
}

impl From<Piece> for AnyPiece {
    #[inline]
    fn from(piece: Piece) -> Self {
        Self { army: piece.colour.index() as u8, kind: piece.kind.index() as u8 }
    }
}

impl From<AnyPiece> for Piece {
    fn from(piece: AnyPiece) -> Self {
        let colour = Colour::ALL[usize::from(piece.army)];
        Self { colour, kind: Kind::ALL[usize::from(piece.kind)] }
    }
}

/// The pieces of a set that are not on the board: before a deal, or while a FEN is read.
#[derive(Clone, Debug)]
pub struct UnplacedPieces([u8; Piece::COUNT]);

impl UnplacedPieces {
    /// The whole xiangqi set of 32 pieces.
    pub fn full_set() -> Self {
        Self::new(Kind::COUNTS.map(|count| [count; 2]))
    }

    /// The set with these numbers of pieces of red and of black, by kind.
    pub fn new(counts: [[u8; 2]; 7]) -> Self {
        Self(std::array::from_fn(|index| {
            let Piece { colour, kind } = Piece::from_index(index);
            counts[kind.index()][colour.index()]
        }))
    }

    /// Number of pieces left, by [`Piece::index`].
    pub fn counts(&self) -> [u8; Piece::COUNT] {
        self.0
    }

    /// Number of pieces left of this kind and colour.
    pub fn left(&self, piece: Piece) -> u8 {
        self.0[piece.index()]
    }

    /// Removes a piece with this letter.
    ///
    /// # Errors
    /// If no piece has this letter, or none is left.
    pub fn take(&mut self, letter: char) -> Result<Piece, String> {
        let piece =
            Piece::from_letter(letter).ok_or_else(|| format!("`{letter}` is no piece letter"))?;
        let left = &mut self.0[piece.index()];
        *left = left.checked_sub(1).ok_or_else(|| format!("more `{letter}` than a set has"))?;
        Ok(piece)
    }
}
