//! Covered xiangqi as learners and people see it.

use super::board::Contents;
use super::state::{Captured, Public, State, View};
use super::{CoveredXiangqi, SIZE, Variant, side_of};
use crate::bitboard::Bitboard;
use crate::hidden::Viewer;
use crate::observe::{Encoder, Layout, Observe, gauge};
use crate::picture::{Disc, Draw, Face, Ground, Picture, RED_AND_BLACK};
use crate::piece::{Colour, Kind, Piece};
use crate::square::Square;

/// For each colour and sort of piece, the plane that shows it: one's own pieces, the enemy's, the
/// covered ones.
static SEEN_BY: [[u8; Contents::SORTS]; 2] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [7, 8, 9, 10, 11, 12, 13, 0, 1, 2, 3, 4, 5, 6, 15, 14],
];

/// The kinds that can lie covered.
const COVERABLE: [Kind; 6] =
    [Kind::Advisor, Kind::Elephant, Kind::Horse, Kind::Chariot, Kind::Cannon, Kind::Soldier];

impl<V: Variant> Observe for CoveredXiangqi<V> {
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
            "own covered",
            "enemy covered",
        ],
        marks: &[],
        scalars: &[
            "unseen own advisors",
            "unseen own elephants",
            "unseen own horses",
            "unseen own chariots",
            "unseen own cannons",
            "unseen own soldiers",
            "unseen enemy advisors",
            "unseen enemy elephants",
            "unseen enemy horses",
            "unseen enemy chariots",
            "unseen enemy cannons",
            "unseen enemy soldiers",
            "advisors taken face down",
            "elephants taken face down",
            "horses taken face down",
            "chariots taken face down",
            "cannons taken face down",
            "soldiers taken face down",
            "own colour (0 red, 1 black)",
            "to move",
            "occurrences of the position",
            "plies played",
        ],
        counters: V::GAUGES,
    };

    fn observe(&self, view: &View<'_>, encoder: &mut impl Encoder) {
        let public = view.public;
        // A spectator sits with red.
        let own = match view.viewer {
            Viewer::Player(player) => Colour::ALL[player],
            Viewer::Public => Colour::Red,
        };
        let side = side_of(own);
        for square in public.board.occupied().ascending() {
            let sort = SEEN_BY[own.index()][public.board.sort(square)];
            encoder.piece(sort.into(), SIZE.seen_from(square, side));
        }
        let taken = &view.ledger.taken_covered[own.other().index()];
        let [own_unseen, enemy_unseen] =
            [own, own.other()].map(|colour| view.ledger.unseen[colour.index()]);
        for counts in [own_unseen.counts(), enemy_unseen.counts(), taken] {
            for kind in COVERABLE {
                encoder.scalar(counts[kind.index()]);
            }
        }
        encoder.scalar(own.index() as u8);
        let to_move = view.viewer == Viewer::Player(public.board.mover().index());
        encoder.scalar(to_move.into());
        encoder.scalar(public.history.occurrences());
        encoder.scalar(gauge(public.ply, self.max_plies));
        for value in self.variant.gauges(&public.counters, own) {
            encoder.scalar(value);
        }
    }
}

impl<V: Variant> Draw for CoveredXiangqi<V> {
    fn picture(&self, view: &View<'_>) -> Picture {
        let captured = view.ledger.captured.iter().copied();
        draw(view.public, captured, |_| None)
    }

    fn full_picture(&self, state: &State) -> Picture {
        draw(&state.public, state.captured(), |square| Some(state.identity(square).kind))
    }
}

fn draw(
    public: &Public,
    captured: impl Iterator<Item = Captured>,
    identity: impl Fn(Square) -> Option<Kind>,
) -> Picture {
    let mover = match public.board.mover() {
        Colour::Red => "red",
        Colour::Black => "black",
    };
    let check = if public.shield.check { ", in check" } else { "" };
    Picture {
        size: SIZE,
        ground: Ground::Xiangqi,
        armies: RED_AND_BLACK,
        discs: SIZE
            .all()
            .map(|square| match public.board.at(square) {
                Contents::Empty => None,
                Contents::Revealed(Piece { colour, kind }) => Some(disc(colour, Some(kind), false)),
                Contents::Covered(colour) => Some(disc(colour, identity(square), true)),
            })
            .collect(),
        captured: Some(
            captured.map(|piece| disc(piece.colour, piece.kind, piece.covered)).collect(),
        ),
        caption: format!(
            "{mover} to move{check}, ply {}, {} quiet",
            public.ply, public.counters.quiet
        ),
    }
}

fn disc(colour: Colour, kind: Option<Kind>, covered: bool) -> Disc {
    let face = kind.map(|kind| {
        let piece = Piece { colour, kind };
        Face { letter: piece.letter(), character: piece.character() }
    });
    Disc { army: Some(colour.index() as u8), face, covered }
}
