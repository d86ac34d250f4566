//! Observations and pictures of half-board games.

use super::lesson;
use super::state::{CheckStreak, PublicState, Rest, SquareContents, State, View};
use super::{HalfBoard, SIZE, Variant};
use crate::board::{AnyPiece, Bitboard, BoardSize, Colour, Kind, Perspective, Piece, Square};
use crate::game::{
    Attacks, BoardStyle, Depict, DrawnPiece, Encoder, Glyph, Layout, Lesson, Observe, Picture,
    Player, RED_AND_BLACK, Viewer, Words, XIANGQI_NAMES, counter_byte, greatest_counter_byte,
    most_occurrences, own_and_enemy, piece_token, write_tokens,
};
use crate::planes;

impl<V: Variant> Attacks for HalfBoard<V> {
    fn attacks(&self, piece: usize, from: Square, target: Square, between: Option<Square>) -> bool {
        // After the pieces of both colours comes the covered one, which does not move.
        let occupied = u32::collect(between.into_iter().chain([target]));
        piece < Piece::COUNT
            && self.attacks_of(Piece::from_index(piece).kind, from, occupied).contains(target)
    }

    fn moved_piece(&self, piece: usize) -> Option<usize> {
        (piece < Piece::COUNT).then_some(piece)
    }
}

/// The sources of scalars.
struct Seen<'a> {
    view: &'a View<'a>,
    /// The viewer's colour; `None` before the first flip.
    assigned: Option<Colour>,
    /// Number of covered pieces by kind, of the own colour and of the enemy's.
    own_unseen: &'a [u8; Kind::ALL.len()],
    enemy_unseen: &'a [u8; Kind::ALL.len()],
}

impl<V: Variant> HalfBoard<V> {
    planes! {
        names MARKS;
        maxima mark_maxima(self);
        values marks(self, public: &PublicState, seat: Player) -> Option<CheckStreak>;
        "own checks in a row": CheckStreak::LIMIT => public.check_streaks[seat];
        "enemy checks in a row": CheckStreak::LIMIT => public.check_streaks[1 - seat];
    }

    planes! {
        names SCALARS;
        maxima scalar_maxima(self);
        values scalars(self, seen: &Seen<'_>) -> u8;
        "unseen own generals": self.count(Kind::General) => seen.own_unseen[Kind::General.index()];
        "unseen own advisors": self.count(Kind::Advisor) => seen.own_unseen[Kind::Advisor.index()];
        "unseen own elephants": self.count(Kind::Elephant) => seen.own_unseen[Kind::Elephant.index()];
        "unseen own horses": self.count(Kind::Horse) => seen.own_unseen[Kind::Horse.index()];
        "unseen own chariots": self.count(Kind::Chariot) => seen.own_unseen[Kind::Chariot.index()];
        "unseen own cannons": self.count(Kind::Cannon) => seen.own_unseen[Kind::Cannon.index()];
        "unseen own soldiers": self.count(Kind::Soldier) => seen.own_unseen[Kind::Soldier.index()];
        "unseen enemy generals": self.count(Kind::General) => seen.enemy_unseen[Kind::General.index()];
        "unseen enemy advisors": self.count(Kind::Advisor) => seen.enemy_unseen[Kind::Advisor.index()];
        "unseen enemy elephants": self.count(Kind::Elephant) => seen.enemy_unseen[Kind::Elephant.index()];
        "unseen enemy horses": self.count(Kind::Horse) => seen.enemy_unseen[Kind::Horse.index()];
        "unseen enemy chariots": self.count(Kind::Chariot) => seen.enemy_unseen[Kind::Chariot.index()];
        "unseen enemy cannons": self.count(Kind::Cannon) => seen.enemy_unseen[Kind::Cannon.index()];
        "unseen enemy soldiers": self.count(Kind::Soldier) => seen.enemy_unseen[Kind::Soldier.index()];
        "own colour (0 unsettled, 1 red, 2 black)": 2
            => seen.assigned.map_or(0, |colour| colour.index() as u8 + 1);
        "to move": if self.has_long_turns() { 1 + self.flips() } else { 1 } => self.turn(seen.view);
        "occurrences of the position":
            most_occurrences(self.repetition) => seen.view.public.history.occurrences();
        "plies played": counter_byte(self.max_plies, self.max_plies)
            => counter_byte(seen.view.public.ply, self.max_plies);
        "plies without capture or flip": greatest_counter_byte(self.quiet_limit, self.max_plies)
            => counter_byte(seen.view.public.quiet, self.quiet_limit);
    }
}

impl<V: Variant> HalfBoard<V> {
    /// 1 for the seat to move, and more within its turn, in which less is legal. Which piece may capture on is
    /// not told: a scalar with its square would not be that of the reflected position.
    fn turn(&self, view: &View<'_>) -> u8 {
        match view.public.rest {
            _ if view.viewer != Viewer::Player(view.public.mover) => 0,
            None => 1,
            Some(Rest::Flips(left)) => 1 + left,
            Some(Rest::Captures(_)) => 1 + self.flips(),
        }
    }
}

impl<V: Variant> Observe for HalfBoard<V> {
    const LAYOUT: Layout = Layout {
        size: SIZE,
        pieces: own_and_enemy!(
            ["general", "advisor", "elephant", "horse", "chariot", "cannon", "soldier"],
            "covered"
        ),
        marks: if V::THREE_CHECKS { Self::MARKS } else { &[] },
        scalars: Self::SCALARS,
        counters: &[],
    };

    fn board_size(&self) -> BoardSize {
        self.design.size
    }

    fn value_maxima(&self) -> Vec<u8> {
        let marks = self.mark_maxima();
        let marks = if V::THREE_CHECKS { marks.as_ref() } else { &[] };
        [marks, self.scalar_maxima().as_ref()].concat()
    }

    fn observe(&self, view: &View<'_>, encoder: &mut impl Encoder) {
        let public = view.public;
        let seat = view.viewer.perspective();
        let assigned = public.colour(seat);
        // Before the first flip the own colour counts as red.
        let own = assigned.unwrap_or(Colour::Red);
        let piece_ids = public.board.piece_ids();
        encoder.board(Perspective::Upright, |square| piece_token(own, piece_ids[square.index()]));
        for (mark, streak) in self.marks(public, seat).as_ref().iter().enumerate() {
            if let Some(streak) = streak {
                encoder.mark(mark, streak.square, streak.checks);
            }
        }
        let unseen = public.unseen.counts().as_chunks::<{ Kind::ALL.len() }>().0;
        let [own_unseen, enemy_unseen] = [own, own.other()].map(|colour| &unseen[colour.index()]);
        let seen = Seen { view, assigned, own_unseen, enemy_unseen };
        encoder.scalars(self.scalars(&seen).as_ref());
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
    const NAMES: &'static [(char, Words)] = XIANGQI_NAMES;

    fn picture(&self, view: &View<'_>) -> Picture {
        self.depict(view.public, |_| None)
    }

    fn full_picture(&self, state: &State) -> Picture {
        self.depict(&state.public, |square| Some(state.identity(square)))
    }

    fn lesson(&self) -> Option<Lesson> {
        Some(lesson::lesson(self))
    }

    fn objection(&self, view: &View<'_>, from: Square, to: Option<Square>) -> Option<Words> {
        lesson::objection(self, view, from, to)
    }

    fn glyph(piece: AnyPiece) -> Glyph {
        Piece::from(piece).into()
    }
}

impl<V: Variant> HalfBoard<V> {
    fn depict(&self, public: &PublicState, identity: impl Fn(Square) -> Option<Piece>) -> Picture {
        let size = self.board_size();
        let drawn = |square: Square| match public.at(square.renumbered(size, SIZE)?) {
            SquareContents::Empty => None,
            SquareContents::Revealed(piece) => Some(face_up(piece)),
            SquareContents::Covered => Some(match identity(square.renumbered(size, SIZE)?) {
                Some(piece) => DrawnPiece { covered: true, ..face_up(piece) },
                None => DrawnPiece { army: None, glyph: None, covered: true },
            }),
        };
        Picture {
            frame: SIZE,
            pieces: size.all().map(drawn).collect(),
            captured: Some(public.captured.iter().map(|&piece| face_up(piece)).collect()),
            details: format!("{} quiet", public.quiet),
            ..Picture::empty(size, BoardStyle::Squares, RED_AND_BLACK)
        }
    }
}

fn face_up(piece: Piece) -> DrawnPiece {
    DrawnPiece { army: Some(piece.colour.index() as u8), glyph: Some(piece.into()), covered: false }
}
