//! Pictures of positions: a board with pieces, for the renderers to draw.

use super::armies::Army;
use super::notation::Notation;
use crate::board::{BoardSize, Square};

/// The kind of board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BoardStyle {
    /// Squares with a piece inside each.
    Squares,
    /// Points where lines cross, with a river and two palaces.
    Xiangqi,
    /// Points where lines cross, with two palaces and no river.
    Palaces,
    /// Points where lines cross, some marked by dots.
    Go,
}

/// The signs on a piece whose identity is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Glyph {
    /// The letter of the kind, in upper case.
    pub letter: char,
    /// The Chinese character.
    pub character: char,
}

/// One piece of a picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrawnPiece {
    /// Index of its army in [`Picture::armies`], if known.
    pub army: Option<u8>,
    /// Its identity, if known.
    pub glyph: Option<Glyph>,
    /// Whether it is covered.
    pub covered: bool,
}

/// A board with the captured pieces and a caption.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture {
    /// The board.
    pub size: BoardSize,
    /// The kind of board.
    pub style: BoardStyle,
    /// The armies by index.
    pub armies: &'static [Army],
    /// The piece on each square, by square index.
    pub pieces: Vec<Option<DrawnPiece>>,
    /// The captured pieces in the order of capture; `None` in games whose positions do not list
    /// them.
    pub captured: Option<Vec<DrawnPiece>>,
    /// The seat to move and the counters, in one line.
    pub caption: String,
}

impl Picture {
    /// The squares that look otherwise than in an earlier picture of the same game, ascending.
    ///
    /// # Panics
    /// If the boards have different sizes.
    pub fn changed_since(&self, earlier: &Self) -> Vec<Square> {
        assert_eq!(self.size, earlier.size, "both pictures are of one game");
        let looks = |square: &Square| self.pieces[square.index()] != earlier.pieces[square.index()];
        self.size.all().filter(looks).collect()
    }
}

/// A game with pictures for people.
pub trait Depict: Notation {
    /// The position as a viewer knows it.
    fn picture(&self, view: &Self::View<'_>) -> Picture;

    /// The full position, with the identities of covered pieces.
    fn full_picture(&self, state: &Self::State) -> Picture;
}
