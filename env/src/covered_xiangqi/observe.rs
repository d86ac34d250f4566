//! Covered xiangqi as learners and people see it.

use super::board::Contents;
use super::state::{Captured, Public, State, View};
use super::{CoveredXiangqi, SIZE, Variant, side_of};
use crate::hidden::Viewer;
use crate::observe::{Encoder, Layout, Observe, gauge};
use crate::picture::{Disc, Draw, Face, Ground, Picture, RED_AND_BLACK};
use crate::piece::{Colour, Kind, Piece};
use crate::square::Square;

/// The token that shows a colour what stands on a square, by its sort: one's own pieces, the
/// enemy's, the covered ones of both. Red sees sorts as they are numbered.
#[inline]
const fn token(sort: u8, own: Colour) -> u8 {
    const KINDS: u8 = Kind::ALL.len() as u8;
    const BOTH: u8 = 2 * KINDS;
    // All bits or none, instead of branches: many squares are shown at once.
    const fn exceeds(value: u8, bound: u8) -> u8 {
        ((bound as i8 - value as i8) >> 7) as u8
    }
    let revealed = sort + KINDS - (BOTH & exceeds(sort, KINDS));
    // The two covered sorts, which come last, give way to each other.
    let covered = (2 * BOTH + 3).wrapping_sub(sort);
    let is_covered = exceeds(sort, BOTH);
    let turned = (revealed & !is_covered | covered & is_covered) & exceeds(sort, 0);
    sort ^ (sort ^ turned) & exceeds(own as u8, 0)
}

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
        let (occupied, sorts) = (public.board.occupied(), public.board.sorts());
        encoder.board(occupied, side_of(own), |square| token(sorts[square.index()], own));
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
            captured.map(|piece| disc(piece.colour(), piece.kind(), piece.is_covered())).collect(),
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

#[cfg(test)]
mod tests {
    use super::super::board::Contents;
    use super::token;
    use crate::piece::{Colour, Piece};

    #[test]
    fn black_sees_what_red_sees_with_colours_exchanged() {
        let exchanged = |contents| match contents {
            Contents::Empty => Contents::Empty,
            Contents::Covered(colour) => Contents::Covered(colour.other()),
            Contents::Revealed(Piece { colour, kind }) => {
                Contents::Revealed(Piece { colour: colour.other(), kind })
            }
        };
        for (sort, &contents) in (0..).zip(&Contents::ALL) {
            assert_eq!(token(sort, Colour::Red), sort);
            let turned = usize::from(token(sort, Colour::Black));
            assert_eq!(Contents::ALL[turned], exchanged(contents));
        }
    }
}
