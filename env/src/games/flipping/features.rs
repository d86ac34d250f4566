//! Flipping xiangqi as evaluations see it.

use super::board::palace;
use super::geometry::MOVES;
use super::{Flipping, View};
use crate::board::{AnyPiece, Bitboard, Colour, Kind, Piece};
use crate::game::{Activity, Face, Features, Player, fraction_of_limit};

impl Features for Flipping {
    /// As the inventor has it: a peasant, whatever its form, is worth 3.
    const UNIT: (&'static [char], f64) = (&['S', 'H'], 3.0);
    const FORMS: &'static [[char; 2]] = &[['S', 'H'], ['F', 'C'], ['E', 'R']];

    /// The kings are left out.
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
        let king = board.king(colour.other());
        let zone = MOVES.orthogonal(king) & palace(colour.other()) | u64::single(king);
        let mut activity = Activity::default();
        for from in board.colour(colour).ascending() {
            let reach = board.reach(from, colour);
            activity.mobility += reach.count();
            activity.pressure += (reach & zone).count();
        }
        activity
    }

    fn each_threatened(&self, view: &View<'_>, mut visit: impl FnMut(AnyPiece)) {
        let board = &view.state.board;
        let pieces = |squares: u64| {
            squares.ascending().filter_map(|square| Some((square, board.at(square)?)))
        };
        let reached = pieces(board.occupied())
            .fold(0, |all, (from, piece)| all | board.reach(from, piece.colour));
        for (_, piece) in pieces(reached & board.occupied()) {
            visit(piece.into());
        }
    }

    fn staleness(&self, view: &View<'_>) -> f32 {
        let state = view.state;
        fraction_of_limit(state.quiet, self.quiet_limit).max(fraction_of_limit(state.ply, self.max_plies))
    }
}
