//! What a board looks like: a disc per square, for the renderers to draw.

use super::notation::Notation;
use crate::board::BoardSize;

/// What the pieces stand on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ground {
    /// Squares, one piece within each.
    Squares,
    /// Points where lines cross, with a river and two palaces.
    Xiangqi,
    /// Points where lines cross, with two palaces and no river.
    Palaces,
    /// Points where lines cross, some of them marked by dots.
    Go,
}

/// How the pieces of one army are written and drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Army {
    /// Stands before the letter of each piece in notation.
    pub prefix: &'static str,
    /// Colour of the character and the rim, in CSS.
    pub ink: &'static str,
    /// Colour of the disc, in CSS.
    pub wood: &'static str,
}

/// Of the pieces of a xiangqi set.
const XIANGQI_WOOD: &str = "#fbe7bd";

/// The armies of a xiangqi set: red, then black. The case of a letter tells them apart.
pub const RED_AND_BLACK: &[Army] = &[
    Army { prefix: "", ink: "#b5161b", wood: XIANGQI_WOOD },
    Army { prefix: "", ink: "#1c1a18", wood: XIANGQI_WOOD },
];

/// What a disc shows when it is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Glyph {
    /// The letter in notation, its case included, without the prefix of the army.
    pub letter: char,
    /// The Chinese character.
    pub character: char,
}

/// One piece as drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Disc {
    /// Index of its army in [`Picture::armies`], if known.
    pub army: Option<u8>,
    /// What it is, if known.
    pub glyph: Option<Glyph>,
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
    /// The armies by index.
    pub armies: &'static [Army],
    /// The piece on each square, by square index.
    pub discs: Vec<Option<Disc>>,
    /// The captured pieces in the order taken; `None` in games whose positions do not list them.
    pub captured: Option<Vec<Disc>>,
    /// Whose turn it is and the counters, in one line.
    pub caption: String,
}

/// A game that can be drawn.
pub trait Depict: Notation {
    /// What a viewer may see.
    fn picture(&self, view: &Self::View<'_>) -> Picture;

    /// The whole truth: covered pieces with their faces.
    fn full_picture(&self, state: &Self::State) -> Picture;
}
