//! Games on the half board as evaluations see them.

use super::{Contents, HalfBoard, MOVES, Variant, View};
use crate::bitboard::Bitboard;
use crate::game::Player;
use crate::piece::{Colour, Kind, Piece, Token};
use crate::survey::{Activity, Face, Survey, share};

impl<V: Variant> Survey for HalfBoard<V> {
    /// Where ranks decide captures, soldiers take the general.
    const CIRCLE: Option<[char; 2]> = if V::ROYAL { None } else { Some(['K', 'P']) };

    /// Everything unseen lies covered on the board. Generals are left out where they are royal.
    fn each_piece(&self, view: &View<'_>, mut visit: impl FnMut(Token, Face, f32)) {
        let public = view.public;
        for index in 0..Piece::COUNT {
            let piece = Piece::from_index(index);
            if V::ROYAL && piece.kind == Kind::General {
                continue;
            }
            visit(piece.into(), Face::Up, public.pieces(piece).count() as f32);
            visit(piece.into(), Face::Down, public.unseen.count(index).into());
        }
    }

    fn activity(&self, view: &View<'_>, player: Player) -> Activity {
        let public = view.public;
        let mut activity = Activity::default();
        let Some(colour) = public.colour(player) else { return activity };
        let zone = public.general(colour.other()).map_or(0, |general| {
            MOVES.orthogonal(general) | MOVES.diagonal(general) | u32::single(general)
        });
        for kind in Kind::ALL {
            let piece = Piece { colour, kind };
            for from in public.pieces(piece).ascending() {
                let targets = self.variant.targets(public, from, piece);
                activity.mobility += targets.count();
                activity.pressure += (targets & zone).count();
            }
        }
        activity
    }

    fn each_threatened(&self, view: &View<'_>, mut visit: impl FnMut(Token)) {
        let public = view.public;
        let revealed = public.revealed(Colour::Red) | public.revealed(Colour::Black);
        let piece_at = |square| match public.at(square) {
            Contents::Revealed(piece) => Some((square, piece)),
            Contents::Empty | Contents::Covered => None,
        };
        let reached = revealed
            .ascending()
            .filter_map(piece_at)
            .fold(0, |all, (from, piece)| all | self.variant.targets(public, from, piece));
        for (_, piece) in (reached & revealed).ascending().filter_map(piece_at) {
            visit(piece.into());
        }
    }

    fn staleness(&self, view: &View<'_>) -> f32 {
        let public = view.public;
        share(public.quiet, self.quiet_limit).max(share(public.ply, self.max_plies))
    }
}
