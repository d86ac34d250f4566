//! Features of flipping xiangqi.

use super::board::{king, palace, reach};
use super::geometry::MOVES;
use super::{Flipping, View};
use crate::board::{AnyPiece, Bitboard, Colour, Kind, Piece};
use crate::game::{Activity, Face, Features, Player, fraction_of_limit};

impl Features for Flipping {
    /// The inventor's unit: a soldier is worth 3 in either form.
    const UNIT: (&'static [char], f64) = (&['S', 'H'], 3.0);
    const FORMS: &'static [[char; 2]] = &[['S', 'H'], ['F', 'C'], ['E', 'R']];

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

    fn activity(&self, view: &View<'_>, player: Player) -> Activity {
        let board = &view.state.board;
        let colour = Colour::ALL[player];
        let enemy_king = king(board, colour.other());
        let zone = MOVES.orthogonal(enemy_king) & palace(colour.other()) | u64::single(enemy_king);
        let mut activity = Activity::default();
        for from in board.colour(colour).ascending() {
            let targets = reach(board, from, colour);
            activity.mobility += targets.count();
            activity.pressure += (targets & zone).count();
        }
        activity
    }

    fn each_threatened(&self, view: &View<'_>, mut visit: impl FnMut(AnyPiece)) {
        let board = &view.state.board;
        let pieces = |squares: u64| {
            squares.ascending().filter_map(|square| Some((square, board.at(square)?)))
        };
        let reached = pieces(board.occupied())
            .fold(0, |all, (from, piece)| all | reach(board, from, piece.colour));
        for (_, piece) in pieces(reached & board.occupied()) {
            visit(piece.into());
        }
    }

    fn staleness(&self, view: &View<'_>) -> f32 {
        let state = view.state;
        fraction_of_limit(state.quiet, self.quiet_limit)
            .max(fraction_of_limit(state.ply, self.max_plies))
    }
}
