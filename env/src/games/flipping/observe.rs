//! Flipping as learners and people see it.

use super::notation::letter;
use super::{Flipping, SIZE, State, View, side_of};
use crate::bitboard::Bitboard;
use crate::hidden::Viewer;
use crate::observe::{Encoder, Layout, Observe, gauge};
use crate::picture::{Disc, Draw, Face, Ground, Picture, RED_AND_BLACK};
use crate::piece::{Colour, Piece};

/// For each colour and sort of piece, the plane that shows it: one's own pieces, then the enemy's.
static SEEN_BY: [[u8; Piece::COUNT]; 2] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13],
    [7, 8, 9, 10, 11, 12, 13, 0, 1, 2, 3, 4, 5, 6],
];

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

    fn observe(&self, view: &View<'_>, encoder: &mut impl Encoder) {
        let State { board, quiet, ply, history, .. } = view.state;
        // A spectator sits with red.
        let own = match view.viewer {
            Viewer::Player(player) => Colour::ALL[player],
            Viewer::Public => Colour::Red,
        };
        let side = side_of(own);
        for square in board.occupied().ascending() {
            let sort = SEEN_BY[own.index()][board.sort(square)];
            encoder.piece(sort.into(), SIZE.seen_from(square, side));
        }
        let to_move = view.viewer == Viewer::Player(board.mover().index());
        encoder.scalar(own.index() as u8);
        encoder.scalar(to_move.into());
        encoder.scalar(history.occurrences());
        encoder.scalar(gauge(*ply, self.max_plies));
        encoder.scalar(gauge(*quiet, self.quiet_limit));
    }
}

impl Draw for Flipping {
    fn picture(&self, view: &View<'_>) -> Picture {
        self.full_picture(view.state)
    }

    fn full_picture(&self, state: &State) -> Picture {
        let disc = |piece: Piece| Disc {
            army: Some(piece.colour.index() as u8),
            face: Some(Face { letter: letter(piece), character: piece.character() }),
            covered: false,
        };
        let mover = match state.board.mover() {
            Colour::Red => "red",
            Colour::Black => "black",
        };
        let check = if state.shield.check { ", in check" } else { "" };
        Picture {
            size: SIZE,
            ground: Ground::Palaces,
            armies: RED_AND_BLACK,
            discs: SIZE.all().map(|square| state.board.at(square).map(disc)).collect(),
            captured: None,
            caption: format!("{mover} to move{check}, ply {}, {} quiet", state.ply, state.quiet),
        }
    }
}
