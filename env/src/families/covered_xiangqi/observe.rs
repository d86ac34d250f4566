//! Observations and pictures of covered xiangqi.

use super::board::{SquareContents, home_piece};
use super::geometry::SIZE;
use super::lesson;
use super::moves::reach;
use super::state::{Captured, PublicState, State, View};
use super::variant::{CoveredXiangqi, Variant};
use crate::board::{AnyPiece, Bitboard, Colour, Kind, Piece, Square, SquareEncoding};
use crate::game::{
    Attacks, BoardStyle, Depict, DrawnPiece, Encoder, Glyph, Layout, Lesson, Observe, Picture,
    Player, RED_AND_BLACK, Viewer, Words, XIANGQI_NAMES, counter_byte, exceeds, most_occurrences,
    own_and_enemy, piece_token, write_tokens,
};
use crate::planes;

/// The token of a piece id for a viewer of colour `own`: own pieces, enemy pieces, own covered,
/// enemy covered. For red this is the piece id itself.
#[inline]
const fn token(own: Colour, piece_id: u8) -> u8 {
    const PIECES: u8 = Piece::COUNT as u8;
    // The two last piece ids, the covered ones, are exchanged for black.
    let exchanged = (2 * PIECES + 3).wrapping_sub(piece_id);
    let is_exchanged = exceeds(piece_id, PIECES) & exceeds(own as u8, 0);
    let shown = piece_token(own, piece_id);
    shown ^ (shown ^ exchanged) & is_exchanged
}

impl<V: Variant> Attacks for CoveredXiangqi<V> {
    fn attacks(&self, piece: usize, from: Square, target: Square, between: Option<Square>) -> bool {
        // Piece id 0 is an empty square.
        let contents = SquareContents::ALL[1 + piece];
        let occupied = u128::collect(between.into_iter().chain([target]));
        let reached = match self.designed() {
            None => reach(contents, from, occupied),
            Some(designed) => designed.reach(contents, from, occupied),
        };
        reached.contains(target)
    }

    fn moved_piece(&self, piece: usize) -> Option<usize> {
        // After the pieces come the covered ones, which are revealed.
        (piece < Piece::COUNT).then_some(piece)
    }
}

/// Number of pieces of a kind and a colour of which the viewer does not know where they are.
#[inline]
fn unseen(view: &View<'_>, colour: Colour, kind: Kind) -> u8 {
    view.knowledge.unseen[colour.index()].counts()[kind.index()]
}

/// Number of enemy pieces of a kind that the viewer, of colour `own`, has captured face down.
#[inline]
fn taken(view: &View<'_>, own: Colour, kind: Kind) -> u8 {
    view.knowledge.captured_face_down[own.other().index()][kind.index()]
}

impl<V: Variant> CoveredXiangqi<V> {
    // The general is never covered.
    planes! {
        names SCALARS;
        maxima scalar_maxima(self);
        values scalars(self, view: &View<'_>, own: Colour) -> u8;
        "unseen own advisors": self.pool(Kind::Advisor) => unseen(view, own, Kind::Advisor);
        "unseen own elephants": self.pool(Kind::Elephant) => unseen(view, own, Kind::Elephant);
        "unseen own horses": self.pool(Kind::Horse) => unseen(view, own, Kind::Horse);
        "unseen own chariots": self.pool(Kind::Chariot) => unseen(view, own, Kind::Chariot);
        "unseen own cannons": self.pool(Kind::Cannon) => unseen(view, own, Kind::Cannon);
        "unseen own soldiers": self.pool(Kind::Soldier) => unseen(view, own, Kind::Soldier);
        "unseen enemy advisors": self.pool(Kind::Advisor) => unseen(view, own.other(), Kind::Advisor);
        "unseen enemy elephants": self.pool(Kind::Elephant) => unseen(view, own.other(), Kind::Elephant);
        "unseen enemy horses": self.pool(Kind::Horse) => unseen(view, own.other(), Kind::Horse);
        "unseen enemy chariots": self.pool(Kind::Chariot) => unseen(view, own.other(), Kind::Chariot);
        "unseen enemy cannons": self.pool(Kind::Cannon) => unseen(view, own.other(), Kind::Cannon);
        "unseen enemy soldiers": self.pool(Kind::Soldier) => unseen(view, own.other(), Kind::Soldier);
        "advisors taken face down": self.pool(Kind::Advisor) => taken(view, own, Kind::Advisor);
        "elephants taken face down": self.pool(Kind::Elephant) => taken(view, own, Kind::Elephant);
        "horses taken face down": self.pool(Kind::Horse) => taken(view, own, Kind::Horse);
        "chariots taken face down": self.pool(Kind::Chariot) => taken(view, own, Kind::Chariot);
        "cannons taken face down": self.pool(Kind::Cannon) => taken(view, own, Kind::Cannon);
        "soldiers taken face down": self.pool(Kind::Soldier) => taken(view, own, Kind::Soldier);
        "own colour (0 red, 1 black)": 1 => own.index() as u8;
        "to move": 1 => (view.viewer == Viewer::Player(view.public.mover.index())).into();
        "occurrences of the position":
            most_occurrences(self.repetition) => view.public.history.occurrences();
        "plies played": counter_byte(self.longest_game(), self.max_plies)
            => counter_byte(view.public.ply, self.max_plies);
    }

    fn longest_game(&self) -> u16 {
        self.variant.longest_game(self.max_plies)
    }
}

impl<V: Variant> Observe for CoveredXiangqi<V> {
    const LAYOUT: Layout = Layout {
        size: SIZE,
        pieces: own_and_enemy!(
            ["general", "advisor", "elephant", "horse", "chariot", "cannon", "soldier"],
            "own covered",
            "enemy covered"
        ),
        marks: &[],
        scalars: Self::SCALARS,
        counters: V::COUNTER_NAMES,
    };

    fn value_maxima(&self) -> Vec<u8> {
        let counters = self.variant.counter_maxima(self.longest_game());
        [self.scalar_maxima().as_ref(), counters.as_ref()].concat()
    }

    fn observe(&self, view: &View<'_>, encoder: &mut impl Encoder) {
        let public = view.public;
        let own = Colour::ALL[view.viewer.perspective()];
        let piece_ids = public.board.piece_ids();
        encoder.board(own.perspective(), |square| token(own, piece_ids[square.index()]));
        encoder.scalars(self.scalars(view, own).as_ref());
        encoder.scalars(self.variant.counter_bytes(&public.counters, own).as_ref());
    }

    fn covered_pieces(&self, state: &State, player: Player, row: &mut [u8]) {
        let own = Colour::ALL[player];
        let token = |square| match state.public.board.at(square) {
            SquareContents::Covered(_) => token(own, state.identity(square).index() as u8 + 1),
            SquareContents::Empty | SquareContents::Revealed(_) => 0,
        };
        write_tokens(SIZE, own.perspective(), token, row);
    }
}

impl<V: Variant> Depict for CoveredXiangqi<V> {
    const NAMES: &'static [(char, Words)] = XIANGQI_NAMES;

    fn picture(&self, view: &View<'_>) -> Picture {
        let captured = view.knowledge.captured.iter().copied();
        depict(view.public, captured, |_| None)
    }

    fn full_picture(&self, state: &State) -> Picture {
        depict(&state.public, state.captured(), |square| Some(state.identity(square).kind))
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

    fn moves_as(square: Square) -> Option<Glyph> {
        home_piece(square).map(Piece::into)
    }
}

fn depict(
    public: &PublicState,
    captured: impl Iterator<Item = Captured>,
    identity: impl Fn(Square) -> Option<Kind>,
) -> Picture {
    Picture {
        pieces: SIZE
            .all()
            .map(|square| match public.board.at(square) {
                SquareContents::Empty => None,
                SquareContents::Revealed(Piece { colour, kind }) => {
                    Some(disc(colour, Some(kind), false))
                }
                SquareContents::Covered(colour) => Some(disc(colour, identity(square), true)),
            })
            .collect(),
        captured: Some(
            captured.map(|piece| disc(piece.colour(), piece.kind(), piece.is_covered())).collect(),
        ),
        details: format!("{} quiet", public.counters.quiet),
        ..Picture::empty(SIZE, BoardStyle::Xiangqi, RED_AND_BLACK)
    }
}

fn disc(colour: Colour, kind: Option<Kind>, covered: bool) -> DrawnPiece {
    let glyph = kind.map(|kind| Piece { colour, kind }.into());
    DrawnPiece { army: Some(colour.index() as u8), glyph, covered }
}

#[cfg(test)]
mod tests {
    use super::super::board::SquareContents;
    use super::token;
    use crate::board::{Colour, Piece, SquareEncoding};

    #[test]
    fn tokens_of_black_exchange_the_colours() {
        let exchanged = |contents| match contents {
            SquareContents::Empty => SquareContents::Empty,
            SquareContents::Covered(colour) => SquareContents::Covered(colour.other()),
            SquareContents::Revealed(Piece { colour, kind }) => {
                SquareContents::Revealed(Piece { colour: colour.other(), kind })
            }
        };
        for (piece_id, &contents) in (0..).zip(SquareContents::ALL) {
            assert_eq!(token(Colour::Red, piece_id), piece_id);
            let exchanged_id = usize::from(token(Colour::Black, piece_id));
            assert_eq!(SquareContents::ALL[exchanged_id], exchanged(contents));
        }
    }
}
