//! Features of flipping xiangqi.

use super::board::{attackers, king, palace, reach};
use super::geometry::{MOVES, flipped};
use super::{Flipping, State, View, squares};
use crate::board::{Action, AnyPiece, Bitboard, Colour, Kind, Piece, Square};
use crate::game::{Activity, Counter, Face, Features, Player, static_exchange};

impl Features for Flipping {
    /// The inventor's unit: a soldier is worth 3 in either form.
    const UNIT: (&'static [char], f64) = (&['S', 'H'], 3.0);
    const FORMS: &'static [[char; 2]] = &[['S', 'H'], ['F', 'C'], ['E', 'R']];

    const HAS_CHECKS: bool = true;

    /// Kings are left out.
    fn each_piece(&self, view: &View<'_>, mut visit: impl FnMut(AnyPiece, Face, f32)) {
        let board = &view.state.board;
        for index in 0..Piece::COUNT {
            let piece = Piece::from_index(index);
            if piece.kind != Kind::General {
                visit(piece.into(), Face::Up, board.pieces(piece).count() as f32);
            }
        }
    }

    fn each_placed(&self, view: &View<'_>, mut visit: impl FnMut(Square, AnyPiece)) {
        let board = &view.state.board;
        for square in board.occupied().ascending() {
            if let Some(piece) = board.at(square).filter(|piece| piece.kind != Kind::General) {
                visit(square, piece.into());
            }
        }
    }

    fn activity(&self, view: &View<'_>, player: Player) -> Activity {
        let board = &view.state.board;
        let colour = Colour::ALL[player];
        let enemy_king = king(board, colour.other());
        let zone = MOVES.orthogonal(enemy_king) & palace(colour.other()) | u64::single(enemy_king);
        let mut activity = Activity::default();
        for from in board.colour(colour).ascending() {
            let targets = reach(board, from, colour);
            activity.mobility += targets.count();
            // Few pieces reach it, and counting takes longer than looking.
            if targets.intersects(zone) {
                activity.pressure += (targets & zone).count();
            }
        }
        activity
    }

    fn each_threatened(&self, view: &View<'_>, mut visit: impl FnMut(Square, AnyPiece)) {
        let board = &view.state.board;
        let pieces = |squares: u64| {
            squares.ascending().filter_map(|square| Some((square, board.at(square)?)))
        };
        let reached = pieces(board.occupied())
            .fold(0, |all, (from, piece)| all | reach(board, from, piece.colour));
        for (square, piece) in pieces(reached & board.occupied()) {
            visit(square, piece.into());
        }
    }

    #[inline]
    fn each_counter(&self, view: &View<'_>, mut visit: impl FnMut(Counter)) {
        let state = view.state;
        let (quiet, ply) = (state.quiet, state.ply);
        let things = "plies without capture";
        visit(Counter { option: "quiet_limit", count: quiet, limit: self.quiet_limit, things });
        visit(Counter { option: "max_plies", count: ply, limit: self.max_plies, things: "plies" });
    }

    fn occurrences(&self, view: &View<'_>) -> u8 {
        view.state.history.occurrences()
    }

    fn is_occupied(&self, view: &View<'_>, square: Square) -> bool {
        view.state.board.occupied().contains(square)
    }

    fn is_covered(&self, _: &View<'_>, _: Square) -> bool {
        false
    }

    fn is_check(&self, state: &State) -> bool {
        state.check_info.check
    }

    /// A piece that has captured stands on the target in its other form. Pins do not count.
    fn static_exchange(
        &self,
        view: &View<'_>,
        action: Action,
        value: impl Fn(Option<AnyPiece>) -> f32,
    ) -> Option<f32> {
        let board = &view.state.board;
        let (from, to) = squares(view.state, action);
        let gained = board.at(to).map_or(0.0, |piece| value(Some(piece.into())));
        let arrived = |square| {
            let turned = |piece: Piece| Piece { kind: flipped(piece.kind), ..piece };
            board.at(square).map_or(0.0, |piece| value(Some(turned(piece).into())))
        };
        let occupied = board.occupied() & !u64::single(from);
        let attackers = |colour, occupied| attackers(board, colour, to, occupied);
        let risked = arrived(from);
        Some(static_exchange(gained, risked, view.state.mover, occupied, attackers, arrived))
    }
}
