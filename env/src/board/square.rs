//! Squares and board sizes.
//!
//! Squares are numbered rank by rank from the lower left corner, so that on the xiangqi board
//!
//! ```text
//! 10 | 81 82 83 84 85 86 87 88 89
//!  . |  .  .  .
//!  2 |  9 10 11 12 13 14 15 16 17
//!  1 |  0  1  2  3  4  5  6  7  8
//!       a  b  c  d  e  f  g  h  i
//! ```

use serde::{Deserialize, Serialize};

/// A square (or point) of a board, as its index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Square(u16);

impl Square {
    /// The square with this index.
    #[inline]
    pub const fn new(index: usize) -> Self {
        Self(index as u16)
    }

    /// The index, `rank * files + file`.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The square of the same name on another board, if it has one.
    pub fn renumbered(self, from: BoardSize, to: BoardSize) -> Option<Self> {
        let (file, rank) = (from.file(self), from.rank(self));
        (file < to.files && rank < to.ranks).then(|| to.at(file, rank))
    }
}

/// How squares are numbered in action indices and observations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Perspective {
    /// As in notation: the first square is `a1`.
    Upright,
    /// Rotated by 180 degrees: the first square is the upper right corner.
    Rotated,
}

/// A reflection of the board, in any perspective. Done twice, it changes nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reflection {
    /// Exchanges left and right.
    LeftRight,
    /// Exchanges near and far.
    NearFar,
    /// Exchanges both: a rotation by 180 degrees.
    HalfTurn,
}

impl Reflection {
    /// Every reflection.
    pub const ALL: [Self; 3] = [Self::LeftRight, Self::NearFar, Self::HalfTurn];

    /// The name: `left-right`, `near-far` or `half-turn`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::LeftRight => "left-right",
            Self::NearFar => "near-far",
            Self::HalfTurn => "half-turn",
        }
    }
}

/// The size of a board, with the names of its squares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BoardSize {
    /// Number of files, the columns named by letters.
    pub files: usize,
    /// Number of ranks, the rows numbered from 1.
    pub ranks: usize,
}

impl BoardSize {
    /// Number of squares.
    #[inline]
    pub const fn squares(self) -> usize {
        self.files * self.ranks
    }

    /// The square on this file and rank, both from 0.
    #[inline]
    pub const fn at(self, file: usize, rank: usize) -> Square {
        Square::new(rank * self.files + file)
    }

    /// The file of a square, from 0.
    #[inline]
    pub const fn file(self, square: Square) -> usize {
        square.index() % self.files
    }

    /// The rank of a square, from 0.
    #[inline]
    pub const fn rank(self, square: Square) -> usize {
        square.index() / self.files
    }

    /// The square after a rotation of the board by 180 degrees.
    #[inline]
    pub const fn rotated(self, square: Square) -> Square {
        Square::new(self.squares() - 1 - square.index())
    }

    /// The square that a reflection takes a square to.
    pub const fn reflected(self, square: Square, reflection: Reflection) -> Square {
        let (file, rank) = (self.file(square), self.rank(square));
        match reflection {
            Reflection::LeftRight => self.at(self.files - 1 - file, rank),
            Reflection::NearFar => self.at(file, self.ranks - 1 - rank),
            Reflection::HalfTurn => self.rotated(square),
        }
    }

    /// The number of a square in this perspective. The mapping is its own inverse: the square with
    /// a number is found in the same way.
    #[inline]
    pub const fn seen_from(self, square: Square, perspective: Perspective) -> Square {
        match perspective {
            Perspective::Upright => square,
            Perspective::Rotated => self.rotated(square),
        }
    }

    /// The square `(files, ranks)` away, or `None` off the board.
    pub fn offset(self, square: Square, step: (i32, i32)) -> Option<Square> {
        let file = self.file(square) as i32 + step.0;
        let rank = self.rank(square) as i32 + step.1;
        let inside =
            (0..self.files as i32).contains(&file) && (0..self.ranks as i32).contains(&rank);
        inside.then(|| self.at(file as usize, rank as usize))
    }

    /// Every square in index order.
    pub fn all(self) -> impl Iterator<Item = Square> {
        (0..self.squares()).map(Square::new)
    }

    /// The letter of a square's file.
    pub fn file_letter(self, square: Square) -> char {
        (b'a' + self.file(square) as u8) as char
    }

    /// The name, file letter then rank number: `a1`, `h10`.
    pub fn name(self, square: Square) -> String {
        format!("{}{}", self.file_letter(square), self.rank(square) + 1)
    }

    /// Reads a square name at the start of `text` and returns the rest of the text. The rank is a
    /// decimal number without a leading zero; all digits belong to it.
    pub fn parse_prefix(self, text: &str) -> Option<(Square, &str)> {
        let mut letters = text.chars();
        let file = (letters.next()? as usize).checked_sub('a' as usize)?;
        let rest = letters.as_str();
        let (number, rest) = rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count());
        if file >= self.files || number.starts_with('0') {
            return None;
        }
        let rank: usize = number.parse().ok()?;
        (rank <= self.ranks).then(|| (self.at(file, rank - 1), rest))
    }

    /// The square with this name.
    pub fn parse(self, name: &str) -> Option<Square> {
        self.parse_prefix(name).filter(|(_, rest)| rest.is_empty()).map(|(square, _)| square)
    }
}

#[cfg(test)]
mod tests {
    use super::BoardSize;

    const XIANGQI: BoardSize = BoardSize { files: 9, ranks: 10 };

    #[test]
    fn odd_names_are_refused() {
        for name in ["", "a", "a0", "a01", "a11", "j1", "A1", "1a", "a1 ", "é1", "a99999999999"] {
            assert_eq!(XIANGQI.parse(name), None, "{name}");
        }
    }
}
