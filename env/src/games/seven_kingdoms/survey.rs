//! The game of the seven kingdoms as evaluations see it.

use super::kingdom::Kingdom;
use super::piece::{Kind, Piece};
use super::{Points, SevenKingdoms, View, moves};
use crate::bitboard::Bitboard;
use crate::game::Player;
use crate::piece::Token;
use crate::survey::{Activity, Face, Survey, share};

impl Survey for SevenKingdoms {
    fn each_piece(&self, view: &View<'_>, mut visit: impl FnMut(Token, Face, f32)) {
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
            let zone = state.in_play().iter().filter(is_enemy).fold(Points::EMPTY, |zone, enemy| {
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

    /// Measured by kingdoms brought down and by pieces taken, whichever is nearer.
    fn progress(&self, view: &View<'_>, player: Player) -> f32 {
        let state = view.state;
        let kingdoms = share(self.conquests(state, player), self.kingdoms_needed(player));
        let taken = self.taken(state, player).min(u32::from(u16::MAX)) as u16;
        kingdoms.max(share(taken, self.capture_limit.saturating_add(1)))
    }

    fn staleness(&self, view: &View<'_>) -> f32 {
        let state = view.state;
        share(state.quiet, self.quiet_limit).max(share(state.ply, self.max_plies))
    }
}
