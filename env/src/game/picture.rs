//! Pictures of positions: a board with pieces, for the renderers to draw.

use super::notation::Notation;
use crate::board::BoardSize;

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

/// The look of one army's pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArmyStyle {
    /// The prefix of each piece letter in notation.
    pub prefix: &'static str,
    /// Colour of the character and the rim, in CSS.
    pub ink: &'static str,
    /// Colour of the disc, in CSS.
    pub wood: &'static str,
}

/// Disc colour of a xiangqi set.
const XIANGQI_WOOD: &str = "#fbe7bd";

/// The armies of a xiangqi set: red, then black. The case of a letter tells them apart.
pub const RED_AND_BLACK: &[ArmyStyle] = &[
    ArmyStyle { prefix: "", ink: "#b5161b", wood: XIANGQI_WOOD },
    ArmyStyle { prefix: "", ink: "#1c1a18", wood: XIANGQI_WOOD },
];

/// The signs on a piece whose identity is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Glyph {
    /// The letter in notation in its case, without the prefix of the army.
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
    pub armies: &'static [ArmyStyle],
    /// The piece on each square, by square index.
    pub pieces: Vec<Option<DrawnPiece>>,
    /// The captured pieces in the order of capture; `None` in games whose positions do not list
    /// them.
    pub captured: Option<Vec<DrawnPiece>>,
    /// The seat to move and the counters, in one line.
    pub caption: String,
}

/// A game with pictures for people.
pub trait Depict: Notation {
    /// The position as a viewer knows it.
    fn picture(&self, view: &Self::View<'_>) -> Picture;

    /// The full position, with the identities of covered pieces.
    fn full_picture(&self, state: &Self::State) -> Picture;
}
