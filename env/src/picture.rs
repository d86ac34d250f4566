//! What a board looks like: a disc per square, for the renderers to draw.

use crate::notation::Notation;
use crate::square::BoardSize;

/// What the pieces stand on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ground {
    /// Squares, one piece within each.
    Squares,
    /// Points where lines cross, with a river and two palaces.
    Xiangqi,
}

/// What a disc shows when it is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Face {
    /// The letter in notation, its case included.
    pub letter: char,
    /// The Chinese character.
    pub character: char,
}

/// One piece as drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Disc {
    /// Index of its army, if known.
    pub army: Option<u8>,
    /// What it is, if known.
    pub face: Option<Face>,
    /// Whether it lies face down.
    pub covered: bool,
}

/// A board with what lies beside it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture {
    /// The board.
    pub size: BoardSize,
    /// What the pieces stand on.
    pub ground: Ground,
    /// The piece on each square, by square index.
    pub discs: Vec<Option<Disc>>,
    /// The captured pieces in the order taken.
    pub captured: Vec<Disc>,
    /// Whose turn it is and the counters, in one line.
    pub caption: String,
}

/// A game that can be drawn.
pub trait Draw: Notation {
    /// What a viewer may see.
    fn picture(&self, view: &Self::View<'_>) -> Picture;

    /// The whole truth: covered pieces with their faces.
    fn full_picture(&self, state: &Self::State) -> Picture;
}
