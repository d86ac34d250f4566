//! Features of seven kingdoms.

use arrayvec::ArrayVec;

use super::geometry::Points;
use super::kingdom::Kingdom;
use super::piece::{Kind, Piece};
use super::{SevenKingdoms, View, moves};
use crate::board::{AnyPiece, Bitboard, Square};
use crate::game::{Activity, Counter, Face, Features, Peril, Player, fraction_of_limit};

impl Features for SevenKingdoms {
    const UNIT: (&'static [char], f64) = (&['S'], 1.0);

    /// Generals count: a seat that loses one may have other kingdoms or allies.
    fn each_piece(&self, view: &View<'_>, mut visit: impl FnMut(AnyPiece, Face, f32)) {
        let state = view.state;
        for kingdom in state.in_play().iter() {
            for square in state.army(kingdom).ascending() {
                let piece = Piece { kingdom, kind: state.kind(square) };
                visit(piece.into(), Face::Up, 1.0);
            }
        }
    }

    fn activity(&self, view: &View<'_>, player: Player) -> Activity {
        let View { state, seating, .. } = *view;
        let team = seating.team(player);
        let mut activity = Activity::default();
        for kingdom in state.in_play().iter() {
            if seating.seat(kingdom) != Some(player) {
                continue;
            }
            let is_enemy = |other: &Kingdom| {
                seating.seat(*other).is_some_and(|seat| seating.team(seat) != team)
            };
            let zone =
                state.in_play().iter().filter(is_enemy).fold(Points::EMPTY, |zone, enemy| {
                    let is_general = |square: &_| state.kind(*square) == Kind::General;
                    let general = state.army(enemy).ascending().find(is_general);
                    general.map_or(zone, |general| zone | moves::around(general))
                });
            let (mobility, pressure) = moves::activity(state, seating, kingdom, zone);
            activity.mobility += mobility;
            activity.pressure += pressure;
        }
        activity
    }

    fn each_threatened(&self, view: &View<'_>, mut visit: impl FnMut(Square, AnyPiece)) {
        let View { state, seating, .. } = *view;
        // No kingdom reaches pieces of its own team.
        let reached = state
            .in_play()
            .iter()
            .fold(Points::EMPTY, |all, kingdom| all | moves::reached(state, seating, kingdom));
        for kingdom in state.in_play().iter() {
            for square in (state.army(kingdom) & reached).ascending() {
                visit(square, Piece { kingdom, kind: state.kind(square) }.into());
            }
        }
    }

    fn each_peril(&self, view: &View<'_>, worth: impl Fn(u8) -> f32, visit: impl FnMut(Peril)) {
        self.each_kingdoms_peril(view.state, view.seating, worth, visit);
    }

    /// The larger of two fractions: conquered kingdoms and captured pieces, each of the number that
    /// wins. A kingdom in play counts as the square of the fraction of the losses that make it
    /// fall.
    fn progress(&self, view: &View<'_>, player: Player) -> f32 {
        let state = view.state;
        let losses = f32::from(self.loss_limit) + 1.0;
        let own = Kingdom::ALL.into_iter().filter(|&k| view.seating.seat(k) == Some(player));
        let own: ArrayVec<Kingdom, { Kingdom::COUNT }> = own.collect();
        let fraction = |enemy: Kingdom| {
            let taken: u16 = own.iter().map(|&kingdom| state.captures(kingdom, enemy)).sum();
            (f32::from(taken) / losses).powi(2)
        };
        let parts: f32 = state.in_play().iter().map(fraction).sum();
        let fallen = f32::from(self.conquest_count(state, player));
        let kingdoms = ((fallen + parts) / f32::from(self.kingdoms_needed(player))).min(1.0);
        let taken = self.taken(state, player).min(u32::from(u16::MAX)) as u16;
        kingdoms.max(fraction_of_limit(taken, self.capture_limit.saturating_add(1)))
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

    fn is_covered(&self, _: &View<'_>, _: Square) -> bool {
        false
    }

    fn is_occupied(&self, view: &View<'_>, square: Square) -> bool {
        view.state.is_occupied(square)
    }
}
