//! Features of covered xiangqi.

use arrayvec::ArrayVec;

use super::board::SquareContents;
use super::board::general;
use super::geometry::MOVES;
use super::moves::{MAX_PIECES, Movement, Usual, palace};
use super::squares;
use super::state::{State, View};
use super::variant::{CoveredXiangqi, Variant};
use crate::board::{Action, AnyPiece, Bitboard, Colour, Flow, Kind, Piece, Square};
use crate::game::{Activity, Counter, Face, Features, Player, static_exchange};
use crate::simd;

impl<V: Variant> Features for CoveredXiangqi<V> {
    const HAS_CHECKS: bool = true;

    /// The expected identities of covered pieces are the unseen pieces in equal shares. Generals
    /// are left out.
    fn each_piece(&self, view: &View<'_>, mut visit: impl FnMut(AnyPiece, Face, f32)) {
        let board = &view.public.board;
        for colour in Colour::ALL {
            let covered = (board.colour(colour) & board.covered()).count() as f32;
            let revealed = board.colour(colour) & !board.covered();
            let unseen = &view.knowledge.unseen[colour.index()];
            // If nothing is unseen, nothing is covered, and the share is 0.
            let share = covered / (unseen.total().max(1) as f32);
            for kind in Kind::ALL.into_iter().filter(|&kind| kind != Kind::General) {
                let piece = Piece { colour, kind }.into();
                if revealed.intersects(board.kind(kind)) {
                    visit(piece, Face::Up, (revealed & board.kind(kind)).count() as f32);
                }
                let count = unseen.count(kind.index());
                if count > 0 {
                    visit(piece, Face::Down, share * f32::from(count));
                }
            }
        }
    }

    fn each_covered_mover(&self, view: &View<'_>, mut visit: impl FnMut(AnyPiece, f32)) {
        let board = &view.public.board;
        for colour in Colour::ALL {
            let covered = board.colour(colour) & board.covered();
            for kind in Kind::ALL.into_iter().filter(|&kind| kind != Kind::General) {
                let movers = (covered & board.kind(kind)).count();
                visit(Piece { colour, kind }.into(), movers as f32);
            }
        }
    }

    fn each_placed(&self, view: &View<'_>, mut visit: impl FnMut(Square, AnyPiece)) {
        let board = &view.public.board;
        for square in (board.occupied() & !board.covered()).ascending() {
            if let SquareContents::Revealed(piece) = board.at(square)
                && piece.kind != Kind::General
            {
                visit(square, piece.into());
            }
        }
    }

    fn activity(&self, view: &View<'_>, player: Player) -> Activity {
        let board = &view.public.board;
        let colour = Colour::ALL[player];
        let general = general(board, colour.other());
        let zone = MOVES.orthogonal(general) & palace(colour.other()) | u128::single(general);
        let mut activity = Activity::default();
        // Counted together at the end, which takes half the time of one by one.
        let mut reached = ArrayVec::<u128, MAX_PIECES>::new();
        let _ = self.each_pseudo_legal(board, colour, !u128::EMPTY, |_, reach| {
            reached.push(reach);
            // Few pieces reach it, and counting takes longer than looking.
            if reach.intersects(zone) {
                activity.pressure += (reach & zone).count();
            }
            Flow::Continue(())
        });
        activity.mobility = simd::count_ones(bytemuck::cast_slice(&reached));
        activity
    }

    fn each_threatened(&self, view: &View<'_>, mut visit: impl FnMut(Square, AnyPiece)) {
        let board = &view.public.board;
        let mut reached = 0;
        for colour in Colour::ALL {
            let _ = self.each_pseudo_legal(board, colour, !u128::EMPTY, |_, reach| {
                reached |= reach;
                Flow::Continue(())
            });
        }
        for square in (reached & board.occupied()).ascending() {
            if let SquareContents::Revealed(piece) = board.at(square) {
                visit(square, piece.into());
            }
        }
    }

    #[inline]
    fn each_counter(&self, view: &View<'_>, mut visit: impl FnMut(Counter)) {
        let public = view.public;
        self.variant.each_counter(&public.counters, public.ply, &mut visit);
        let (count, limit) = (public.ply, self.max_plies);
        visit(Counter { option: "max_plies", count, limit, things: "plies" });
    }

    fn occurrences(&self, view: &View<'_>) -> u8 {
        view.public.history.occurrences()
    }

    fn is_occupied(&self, view: &View<'_>, square: Square) -> bool {
        view.public.board.occupied().contains(square)
    }

    fn is_covered(&self, view: &View<'_>, square: Square) -> bool {
        view.public.board.is_covered(square)
    }

    fn is_check(&self, state: &State) -> bool {
        state.public.check_info.check
    }

    /// Pins do not count, and covered pieces attack as what they move as. Where kinds differ in what they
    /// take there is no exchange to be valued.
    fn static_exchange(
        &self,
        view: &View<'_>,
        action: Action,
        value: impl Fn(Option<AnyPiece>) -> f32,
    ) -> Option<f32> {
        let board = &view.public.board;
        let (from, to) = squares(view.public, action);
        let worth = |square| match board.at(square) {
            SquareContents::Empty => 0.0,
            SquareContents::Covered(_) => value(None),
            SquareContents::Revealed(piece) => value(Some(piece.into())),
        };
        let occupied = board.occupied() & !u128::single(from);
        let mover = view.public.mover;
        let Some(designed) = self.designed() else {
            let attackers = |colour, occupied| Usual.attackers(board, colour, to, occupied);
            return Some(static_exchange(
                worth(to),
                worth(from),
                mover,
                occupied,
                attackers,
                worth,
            ));
        };
        let attackers = |colour, occupied| designed.attackers(board, colour, to, occupied);
        let is_open = designed.takes_all();
        is_open.then(|| static_exchange(worth(to), worth(from), mover, occupied, attackers, worth))
    }
}
