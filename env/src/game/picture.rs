//! Pictures of positions: a board with pieces, for the renderers to draw.

use super::armies::Army;
use super::lesson::{Lesson, Words};
use super::notation::Notation;
use super::outcome::Player;
use crate::board::{AnyPiece, BoardSize, Kind, Perspective, Piece, Square};

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

impl From<Piece> for Glyph {
    fn from(piece: Piece) -> Self {
        Self { letter: Kind::LETTERS[piece.kind.index()], character: piece.character() }
    }
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
///
/// Games leave `perspective`, `near`, `owners`, `checked` and `standing` as [`Picture::empty`] has them;
/// a session, which knows the viewer and the outcome, sets them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture {
    /// The board that is drawn.
    pub size: BoardSize,
    /// The board whose squares actions name. The one that is drawn is its lower left part.
    pub frame: BoardSize,
    /// The side from which the board is drawn: that of the viewer.
    pub perspective: Perspective,
    /// The kind of board.
    pub style: BoardStyle,
    /// The armies by index.
    pub armies: &'static [Army],
    /// The piece on each square, by square index.
    pub pieces: Vec<Option<DrawnPiece>>,
    /// The generals that are in check, by square.
    pub checked: Vec<Square>,
    /// The captured pieces in the order of capture; `None` in games whose positions do not list
    /// them.
    pub captured: Option<Vec<DrawnPiece>>,
    /// The seat near whom the board is drawn.
    pub near: Player,
    /// The seat of each army; `None` where it is not known, or nobody has it.
    pub owners: Vec<Option<Player>>,
    /// Whose turn it is, or how the game has ended: [`standing`](crate::session::standing).
    pub standing: String,
    /// The plies played, and the counters and what else a game tells of a position.
    pub details: String,
}

impl Picture {
    /// An empty board, drawn from the side of the first square.
    pub fn empty(size: BoardSize, style: BoardStyle, armies: &'static [Army]) -> Self {
        Self {
            size,
            frame: size,
            perspective: Perspective::Upright,
            style,
            armies,
            pieces: vec![None; size.squares()],
            checked: Vec::new(),
            captured: None,
            near: 0,
            owners: vec![None; armies.len()],
            standing: String::new(),
            details: String::new(),
        }
    }

    /// The picture in one line: the standing and the details.
    pub fn caption(&self) -> String {
        let parts = [&self.standing, &self.details].map(String::as_str);
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
    }

    /// The piece on a square of [`Picture::frame`].
    pub fn at(&self, square: Square) -> Option<DrawnPiece> {
        self.pieces[self.drawn(square)?.index()]
    }

    /// A square of [`Picture::frame`] on the board that is drawn.
    pub fn drawn(&self, square: Square) -> Option<Square> {
        square.renumbered(self.frame, self.size)
    }

    /// The captured pieces that have been taken from an army, in the order of capture.
    pub(crate) fn taken_from(&self, army: usize) -> impl Iterator<Item = DrawnPiece> + '_ {
        let is_of = move |piece: &&DrawnPiece| piece.army.map(usize::from) == Some(army);
        self.captured.iter().flatten().filter(is_of).copied()
    }

    /// The squares of face-up generals of these armies, ascending.
    pub(crate) fn generals(&self, is_of: impl Fn(u8) -> bool) -> Vec<Square> {
        let is_general = |square: &Square| {
            self.pieces[square.index()].is_some_and(|piece| {
                let letter = piece.glyph.map(|glyph| glyph.letter);
                !piece.covered && letter == Some('K') && piece.army.is_some_and(&is_of)
            })
        };
        self.size.all().filter(is_general).collect()
    }

    /// The square drawn in this column from the left and this row from below.
    pub(crate) fn drawn_at(&self, column: usize, row: usize) -> Square {
        self.size.seen_from(self.size.at(column, row), self.perspective)
    }

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

/// A game with pictures and explanations for people.
pub trait Depict: Notation {
    /// The names of the pieces by their letters, those that no seat owns included. Pieces of a game
    /// without names are known by their letters.
    const NAMES: &'static [(char, Words)] = &[];

    /// The position as a viewer knows it.
    fn picture(&self, view: &Self::View<'_>) -> Picture;

    /// The full position, with the identities of covered pieces.
    fn full_picture(&self, state: &Self::State) -> Picture;

    /// The signs of a piece: its letter alone where the game has no characters.
    fn glyph(piece: AnyPiece) -> Glyph {
        let letter = Self::KINDS[usize::from(piece.kind)];
        Glyph { letter, character: letter }
    }

    /// The signs of the piece by whose moves a covered piece goes from this square; `None` where the
    /// square does not tell.
    fn moves_as(_: Square) -> Option<Glyph> {
        None
    }

    /// How the game is played with the options in force; `None` where nobody has written it down.
    fn lesson(&self) -> Option<Lesson> {
        None
    }

    /// Why the mover's face-up piece on `from`, or a covered one that can move, does not go to `to`, or
    /// anywhere. `None` where its movement says it.
    ///
    /// No legal action does what is asked about, and no piece of the mover's side is on `to`.
    fn objection(&self, _: &Self::View<'_>, _from: Square, _to: Option<Square>) -> Option<Words> {
        None
    }
}

/// The name of a kind by its letter.
pub(crate) fn name_of<G: Depict>(letter: char) -> Words {
    let named = G::NAMES.iter().find(|(known, _)| *known == letter);
    let text = || letter.to_string();
    named.map_or_else(|| Words { en: text().into(), zh: text().into() }, |(_, name)| name.clone())
}
