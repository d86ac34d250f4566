//! Observations and pictures of half-board games.

use super::state::{CheckStreak, PublicState, SquareContents, State, View};
use super::{HalfBoard, SIZE, Variant};
use crate::board::{Bitboard, Colour, Kind, Perspective, Piece, Square};
use crate::game::{
    Attacks, BoardStyle, Depict, DrawnPiece, Encoder, Glyph, Layout, Observe, Picture, Player,
    RED_AND_BLACK, Viewer, counter_byte, greatest_counter_byte, most_occurrences, piece_token,
    write_tokens,
};

impl<V: Variant> Attacks for HalfBoard<V> {
    fn attacks(&self, piece: usize, from: Square, target: Square, between: Option<Square>) -> bool {
        // After the pieces of both colours comes the covered one, which does not move.
        let occupied = u32::collect(between.into_iter().chain([target]));
        piece < Piece::COUNT
            && self.variant.attacks(Piece::from_index(piece).kind, from, occupied).contains(target)
    }

    fn moved_piece(&self, piece: usize) -> Option<usize> {
        (piece < Piece::COUNT).then_some(piece)
    }
}

impl<V: Variant> Observe for HalfBoard<V> {
    const LAYOUT: Layout = Layout {
        size: SIZE,
        pieces: &[
            "own general",
            "own advisor",
            "own elephant",
            "own horse",
            "own chariot",
            "own cannon",
            "own soldier",
            "enemy general",
            "enemy advisor",
            "enemy elephant",
            "enemy horse",
            "enemy chariot",
            "enemy cannon",
            "enemy soldier",
            "covered",
        ],
        marks: if V::THREE_CHECKS {
            &["own checks in a row", "enemy checks in a row"]
        } else {
            &[]
        },
        scalars: &[
            "unseen own generals",
            "unseen own advisors",
            "unseen own elephants",
            "unseen own horses",
            "unseen own chariots",
            "unseen own cannons",
            "unseen own soldiers",
            "unseen enemy generals",
            "unseen enemy advisors",
            "unseen enemy elephants",
            "unseen enemy horses",
            "unseen enemy chariots",
            "unseen enemy cannons",
            "unseen enemy soldiers",
            "own colour (0 unsettled, 1 red, 2 black)",
            "to move",
            "occurrences of the position",
            "plies played",
        ],
        counters: &["plies without capture or flip"],
    };

    fn value_maxima(&self) -> Vec<u8> {
        let checks = if V::THREE_CHECKS { vec![CheckStreak::LIMIT; 2] } else { Vec::new() };
        let scalars = [
            2,
            1,
            most_occurrences(self.repetition),
            counter_byte(self.max_plies, self.max_plies),
            greatest_counter_byte(self.quiet_limit, self.max_plies),
        ];
        [&checks[..], &Kind::COUNTS, &Kind::COUNTS, &scalars].concat()
    }

    fn observe(&self, view: &View<'_>, encoder: &mut impl Encoder) {
        let public = view.public;
        // The public view is that of seat 0. Before the first flip the own colour counts as red.
        let seat = match view.viewer {
            Viewer::Player(player) => player,
            Viewer::Public => 0,
        };
        let assigned = public.colour(seat);
        let own = assigned.unwrap_or(Colour::Red);
        let piece_ids = public.board.piece_ids();
        encoder.board(Perspective::Upright, |square| piece_token(own, piece_ids[square.index()]));
        for (mark, player) in [seat, 1 - seat].into_iter().enumerate() {
            if let Some(streak) = public.check_streaks[player] {
                encoder.mark(mark, streak.square, streak.checks);
            }
        }
        let unseen = public.unseen.counts().as_chunks::<{ Kind::ALL.len() }>().0;
        encoder.scalars(&unseen[own.index()]);
        encoder.scalars(&unseen[own.other().index()]);
        let to_move = view.viewer == Viewer::Player(public.mover);
        encoder.scalars(&[
            assigned.map_or(0, |colour| colour.index() as u8 + 1),
            to_move.into(),
            public.history.occurrences(),
            counter_byte(public.ply, self.max_plies),
            counter_byte(public.quiet, self.quiet_limit),
        ]);
    }

    fn covered_pieces(&self, state: &State, player: Player, row: &mut [u8]) {
        let own = state.public.colour(player).unwrap_or(Colour::Red);
        let token = |square| match state.public.at(square) {
            SquareContents::Covered => piece_token(own, state.identity(square).index() as u8 + 1),
            SquareContents::Empty | SquareContents::Revealed(_) => 0,
        };
        write_tokens(SIZE, Perspective::Upright, token, row);
    }
}

impl<V: Variant> Depict for HalfBoard<V> {
    fn picture(&self, view: &View<'_>) -> Picture {
        depict(view.public, |_| None)
    }

    fn full_picture(&self, state: &State) -> Picture {
        depict(&state.public, |square| Some(state.identity(square)))
    }
}

fn depict(public: &PublicState, identity: impl Fn(Square) -> Option<Piece>) -> Picture {
    let drawn = |square| match public.at(square) {
        SquareContents::Empty => None,
        SquareContents::Revealed(piece) => Some(face_up(piece)),
        SquareContents::Covered => Some(match identity(square) {
            Some(piece) => DrawnPiece { covered: true, ..face_up(piece) },
            None => DrawnPiece { army: None, glyph: None, covered: true },
        }),
    };
    let colour = match public.colour(public.mover) {
        Some(Colour::Red) => " (red)",
        Some(Colour::Black) => " (black)",
        None => "",
    };
    Picture {
        pieces: SIZE.all().map(drawn).collect(),
        captured: Some(public.captured.iter().map(|&piece| face_up(piece)).collect()),
        caption: format!(
            "seat {}{colour} to move, ply {}, {} quiet",
            public.mover, public.ply, public.quiet
        ),
        ..Picture::empty(SIZE, BoardStyle::Squares, RED_AND_BLACK)
    }
}

fn face_up(piece: Piece) -> DrawnPiece {
    DrawnPiece {
        army: Some(piece.colour.index() as u8),
        glyph: Some(Glyph {
            letter: Kind::LETTERS[piece.kind.index()],
            character: piece.character(),
        }),
        covered: false,
    }
}
