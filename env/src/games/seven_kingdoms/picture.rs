//! Pictures of seven kingdoms.

use super::geometry::{CENTRE, SIZE};
use super::kingdom::{DRAWN_ARMIES, Kingdom};
use super::piece::Piece;
use super::state::{Conquest, State};
use super::{SevenKingdoms, View, lesson};
use crate::board::{AnyPiece, Square};
use crate::game::{BoardStyle, Depict, DrawnPiece, Glyph, Lesson, Picture, Words};

/// The emperor.
const EMPEROR: DrawnPiece = DrawnPiece {
    army: Some(Kingdom::COUNT as u8),
    glyph: Some(Glyph { letter: '*', character: '周' }),
    covered: false,
};

impl Depict for SevenKingdoms {
    const NAMES: &'static [(char, Words)] = lesson::NAMES;

    fn picture(&self, view: &View<'_>) -> Picture {
        self.full_picture(view.state)
    }

    fn full_picture(&self, state: &State) -> Picture {
        let drawn = |square| match state.at(square) {
            Some(piece) => Some(draw_piece(piece)),
            None => (square == CENTRE).then_some(EMPEROR),
        };
        Picture {
            pieces: SIZE.all().map(drawn).collect(),
            details: details(state),
            ..Picture::empty(SIZE, BoardStyle::Go, DRAWN_ARMIES)
        }
    }

    fn lesson(&self) -> Option<Lesson> {
        Some(self.taught())
    }

    fn objection(&self, view: &View<'_>, from: Square, to: Option<Square>) -> Option<Words> {
        self.hindrance(view.state, from, to)
    }

    fn glyph(piece: AnyPiece) -> Glyph {
        let piece = Piece::from(piece);
        Glyph { letter: piece.letter(), character: piece.character() }
    }
}

fn details(state: &State) -> String {
    let mut details = format!("{} quiet", state.quiet);
    let taken = Kingdom::ALL.into_iter().filter_map(|kingdom| {
        let count = state.taken_by(kingdom);
        (count > 0).then(|| format!(" {}{count}", kingdom.letter()))
    });
    let conquests = state.conquests().iter().map(|&Conquest { fallen, conqueror }| {
        format!(" {}>{}", fallen.letter(), conqueror.letter())
    });
    for (title, list) in
        [("captures", taken.collect::<String>()), ("out", conquests.collect::<String>())]
    {
        if !list.is_empty() {
            details += &format!("; {title}{list}");
        }
    }
    details
}

fn draw_piece(piece: Piece) -> DrawnPiece {
    DrawnPiece {
        army: Some(piece.kingdom.index() as u8),
        glyph: Some(SevenKingdoms::glyph(piece.into())),
        covered: false,
    }
}
