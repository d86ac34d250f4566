//! Observations and pictures of flipping xiangqi.

use super::geometry::{LETTERS, SIZE, flipped};
use super::{Flipping, State, View, board, lesson};
use crate::board::{AnyPiece, Bitboard, Colour, Piece, Square};
use crate::game::{
    Attacks, BoardStyle, Depict, DrawnPiece, Encoder, Glyph, Layout, Lesson, Observe, Picture,
    RED_AND_BLACK, Viewer, Words, counter_byte, greatest_counter_byte, own_and_enemy, piece_token,
};
use crate::planes;

impl Attacks for Flipping {
    fn attacks(&self, piece: usize, from: Square, target: Square, between: Option<Square>) -> bool {
        board::attacks(piece, from, u64::collect(between.into_iter().chain([target])))
            .contains(target)
    }

    fn moved_piece(&self, piece: usize) -> Option<usize> {
        let Piece { colour, kind } = Piece::from_index(piece);
        Some(Piece { colour, kind: flipped(kind) }.index())
    }
}

impl Flipping {
    planes! {
        names SCALARS;
        maxima scalar_maxima(self);
        values scalars(self, view: &View<'_>, own: Colour) -> u8;
        "own colour (0 red, 1 black)": 1 => own.index() as u8;
        "to move": 1 => (view.viewer == Viewer::Player(view.state.mover.index())).into();
        "occurrences of the position": self.most_occurrences() => view.state.history.occurrences();
        "plies played": counter_byte(self.max_plies, self.max_plies)
            => counter_byte(view.state.ply, self.max_plies);
        "plies without capture": greatest_counter_byte(self.quiet_limit, self.max_plies)
            => counter_byte(view.state.quiet, self.quiet_limit);
    }

    /// How often a position can occur. Repetition alone does not end a game, and a position recurs after
    /// four plies at the soonest.
    fn most_occurrences(&self) -> u8 {
        let recurrences = if self.repetition { self.longest_quiet() / 4 } else { 0 };
        recurrences.saturating_add(1).min(255) as u8
    }
}

impl Observe for Flipping {
    const LAYOUT: Layout = Layout {
        size: SIZE,
        pieces: own_and_enemy!([
            "king",
            "advisor form",
            "elephant",
            "horse",
            "chariot",
            "cannon",
            "soldier"
        ]),
        marks: &[],
        scalars: Self::SCALARS,
        counters: &[],
    };

    fn value_maxima(&self) -> Vec<u8> {
        self.scalar_maxima().as_ref().to_vec()
    }

    fn observe(&self, view: &View<'_>, encoder: &mut impl Encoder) {
        let own = Colour::ALL[view.viewer.perspective()];
        let piece_ids = view.state.board.piece_ids();
        encoder.board(own.perspective(), |square| piece_token(own, piece_ids[square.index()]));
        encoder.scalars(self.scalars(view, own).as_ref());
    }
}

impl Depict for Flipping {
    const NAMES: &'static [(char, Words)] = lesson::NAMES;

    fn picture(&self, view: &View<'_>) -> Picture {
        self.full_picture(view.state)
    }

    fn full_picture(&self, state: &State) -> Picture {
        let drawn = |piece: Piece| DrawnPiece {
            army: Some(piece.colour.index() as u8),
            glyph: Some(Self::glyph(piece.into())),
            covered: false,
        };
        Picture {
            pieces: SIZE.all().map(|square| state.board.at(square).map(drawn)).collect(),
            details: format!("{} quiet", state.quiet),
            ..Picture::empty(SIZE, BoardStyle::Palaces, RED_AND_BLACK)
        }
    }

    fn lesson(&self) -> Option<Lesson> {
        Some(lesson::lesson(self))
    }

    fn objection(&self, view: &View<'_>, from: Square, to: Option<Square>) -> Option<Words> {
        lesson::objection(view.state, from, to)
    }

    fn glyph(piece: AnyPiece) -> Glyph {
        let letter = LETTERS[usize::from(piece.kind)];
        Glyph { letter, character: Piece::from(piece).character() }
    }
}
