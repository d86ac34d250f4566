//! Features of half-board games.

use super::{HalfBoard, MOVES, SquareContents, Variant, View};
use crate::board::{AnyPiece, Bitboard, Colour, Kind, Piece, Square};
use crate::game::{Activity, Counter, ENDGAME_PIECES, Endgame, Face, Features, Player};

impl<V: Variant> Features for HalfBoard<V> {
    /// Where ranks decide captures, soldiers capture the general.
    const RANK_EXCEPTION: Option<[char; 2]> = if V::ROYAL { None } else { Some(['K', 'P']) };

    /// The unseen pieces are the covered pieces on the board. Generals are left out where they are
    /// royal.
    fn each_piece(&self, view: &View<'_>, mut visit: impl FnMut(AnyPiece, Face, f32)) {
        let public = view.public;
        for index in 0..Piece::COUNT {
            let piece = Piece::from_index(index);
            if self.is_royal() && piece.kind == Kind::General {
                continue;
            }
            let revealed = public.pieces(piece);
            if !revealed.is_empty() {
                visit(piece.into(), Face::Up, revealed.count() as f32);
            }
            let unseen = public.unseen.count(index);
            if unseen > 0 {
                visit(piece.into(), Face::Down, unseen.into());
            }
        }
    }

    fn each_placed(&self, view: &View<'_>, mut visit: impl FnMut(Square, AnyPiece)) {
        for colour in Colour::ALL {
            for (square, kind) in view.public.revealed_pieces(colour) {
                if !(self.is_royal() && kind == Kind::General) {
                    visit(square, Piece { colour, kind }.into());
                }
            }
        }
    }

    fn activity(&self, view: &View<'_>, player: Player) -> Activity {
        let public = view.public;
        let mut activity = Activity::default();
        let Some(colour) = public.colour(player) else { return activity };
        let generals = public.generals(colour.other());
        let zone = generals.ascending().fold(generals, |zone, general| {
            zone | MOVES.orthogonal(general) | MOVES.diagonal(general)
        });
        let targets = self.targets(public, colour);
        for (from, kind) in public.revealed_pieces(colour) {
            let targets = targets(from, kind);
            activity.mobility += targets.count();
            // Few pieces reach it, and counting takes longer than looking.
            if targets.intersects(zone) {
                activity.pressure += (targets & zone).count();
            }
        }
        activity
    }

    fn each_threatened(&self, view: &View<'_>, mut visit: impl FnMut(Square, AnyPiece)) {
        let public = view.public;
        let mut reached = 0;
        for colour in Colour::ALL {
            let targets = self.targets(public, colour);
            reached |= public
                .revealed_pieces(colour)
                .fold(0, |all, (from, kind)| all | targets(from, kind));
        }
        for square in reached.ascending() {
            if let SquareContents::Revealed(piece) = public.at(square) {
                visit(square, piece.into());
            }
        }
    }

    #[inline]
    fn each_counter(&self, view: &View<'_>, mut visit: impl FnMut(Counter)) {
        let public = view.public;
        let (quiet, ply) = (public.quiet, public.ply);
        let things = "plies without capture or flip";
        visit(Counter { option: "quiet_limit", count: quiet, limit: self.quiet_limit, things });
        visit(Counter { option: "max_plies", count: ply, limit: self.max_plies, things: "plies" });
    }

    fn occurrences(&self, view: &View<'_>) -> u8 {
        view.public.history.occurrences()
    }

    fn is_covered(&self, view: &View<'_>, square: Square) -> bool {
        view.public.covered().contains(square)
    }

    fn has_recurred(&self, view: &View<'_>) -> bool {
        view.public.history.has_recurred()
    }

    #[inline]
    fn endgame(&self, view: &View<'_>) -> Option<Endgame> {
        let public = view.public;
        let occupied = public.occupied();
        if !public.covered().is_empty() || occupied.count() as usize > ENDGAME_PIECES {
            return None;
        }
        let piece = |square| match public.at(square) {
            SquareContents::Revealed(piece) => Some((square, piece.into())),
            SquareContents::Empty | SquareContents::Covered => None,
        };
        Some(occupied.ascending().filter_map(piece).collect())
    }

    fn is_occupied(&self, view: &View<'_>, square: Square) -> bool {
        view.public.occupied().contains(square)
    }
}
