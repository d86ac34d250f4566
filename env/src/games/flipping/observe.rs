//! Observations and pictures of flipping xiangqi.

use super::geometry::{LETTERS, SIZE, flipped};
use super::{Flipping, State, View, board};
use crate::board::{Bitboard, Colour, Piece, Square};
use crate::game::{
    Attacks, BoardStyle, Depict, DrawnPiece, Encoder, Glyph, Layout, Observe, Picture,
    RED_AND_BLACK, Viewer, counter_byte, greatest_counter_byte, piece_token,
};

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

impl Observe for Flipping {
    const LAYOUT: Layout = Layout {
        size: SIZE,
        pieces: &[
            "own king",
            "own advisor form",
            "own elephant",
            "own horse",
            "own chariot",
            "own cannon",
            "own soldier",
            "enemy king",
            "enemy advisor form",
            "enemy elephant",
            "enemy horse",
            "enemy chariot",
            "enemy cannon",
            "enemy soldier",
        ],
        marks: &[],
        scalars: &[
            "own colour (0 red, 1 black)",
            "to move",
            "occurrences of the position",
            "plies played",
        ],
        counters: &["plies without capture"],
    };

    fn value_maxima(&self) -> Vec<u8> {
        // Repetition alone does not end a game. A position recurs after four plies at the soonest.
        let recurrences = if self.repetition { self.longest_quiet() / 4 } else { 0 };
        vec![
            1,
            1,
            recurrences.saturating_add(1).min(255) as u8,
            counter_byte(self.max_plies, self.max_plies),
            greatest_counter_byte(self.quiet_limit, self.max_plies),
        ]
    }

    fn observe(&self, view: &View<'_>, encoder: &mut impl Encoder) {
        let State { board, mover, quiet, ply, history, .. } = view.state;
        // The public view is in red's perspective.
        let own = match view.viewer {
            Viewer::Player(player) => Colour::ALL[player],
            Viewer::Public => Colour::Red,
        };
        let piece_ids = board.piece_ids();
        encoder.board(own.perspective(), |square| piece_token(own, piece_ids[square.index()]));
        let to_move = view.viewer == Viewer::Player(mover.index());
        encoder.scalars(&[
            own.index() as u8,
            to_move.into(),
            history.occurrences(),
            counter_byte(*ply, self.max_plies),
            counter_byte(*quiet, self.quiet_limit),
        ]);
    }
}

impl Depict for Flipping {
    fn picture(&self, view: &View<'_>) -> Picture {
        self.full_picture(view.state)
    }

    fn full_picture(&self, state: &State) -> Picture {
        let drawn = |piece: Piece| DrawnPiece {
            army: Some(piece.colour.index() as u8),
            glyph: Some(Glyph {
                letter: LETTERS[piece.kind.index()],
                character: piece.character(),
            }),
            covered: false,
        };
        let mover = match state.mover {
            Colour::Red => "red",
            Colour::Black => "black",
        };
        let check = if state.check_info.check { ", in check" } else { "" };
        Picture {
            pieces: SIZE.all().map(|square| state.board.at(square).map(drawn)).collect(),
            caption: format!("{mover} to move{check}, ply {}, {} quiet", state.ply, state.quiet),
            ..Picture::empty(SIZE, BoardStyle::Palaces, RED_AND_BLACK)
        }
    }
}
