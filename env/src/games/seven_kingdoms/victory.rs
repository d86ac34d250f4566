//! Victories: RULES.md section 6 and 9.20, 9.24.

use super::kingdom::Kingdom;
use super::rules::SevenKingdoms;
use super::state::{State, Victory};
use crate::game::{Player, Reason};

impl State {
    /// Updates the victory.
    pub(super) fn judge(&mut self, rules: &SevenKingdoms) {
        let victory = Victory::of(self, rules);
        self.set_victory(victory);
    }
}

impl Victory {
    /// The victory in a position, by the first reason that applies.
    fn of(state: &State, rules: &SevenKingdoms) -> Option<Self> {
        let seating = &rules.seating;
        let of_seat = |reason, seat| Self { reason, team: seating.team(seat) };
        let seats = 0..seating.players();

        let has_enough_kingdoms =
            |&seat: &Player| rules.conquest_count(state, seat) >= rules.kingdoms_needed(seat);
        if let Some(seat) = seats.clone().find(has_enough_kingdoms) {
            return Some(of_seat(Reason::Kingdoms, seat));
        }

        let moved_last = state.mover().backwards().find(|&k| state.in_play().contains(k));
        let conquered_last = state.conquests().last().map(|conquest| conquest.conqueror);
        let first_judged = [moved_last, conquered_last].into_iter().flatten();
        let mut judged = first_judged.filter_map(|kingdom| seating.seat(kingdom)).chain(seats);
        let has_enough_captures =
            |&seat: &Player| rules.taken(state, seat) > rules.capture_limit.into();
        if let Some(seat) = judged.find(has_enough_captures) {
            return Some(of_seat(Reason::Captures, seat));
        }

        let in_play = state.in_play();
        let survivor = in_play.iter().next()?;
        let allies = seating.allies(survivor);
        let stands_alone = in_play.iter().all(|kingdom| allies.contains(kingdom));
        let seat = seating.seat(survivor).filter(|_| stands_alone)?;
        Some(of_seat(Reason::LastStanding, seat))
    }
}

impl SevenKingdoms {
    /// Number of kingdoms that a seat has conquered.
    pub(super) fn conquest_count(&self, state: &State, seat: Player) -> u16 {
        let is_own = |kingdom| self.seating.seat(kingdom) == Some(seat);
        state.conquests().iter().filter(|conquest| is_own(conquest.conqueror)).count() as u16
    }

    /// Number of kingdoms that a seat must conquer to win.
    pub(super) fn kingdoms_needed(&self, seat: Player) -> u16 {
        let seating = &self.seating;
        let is_enemy = |&kingdom: &Kingdom| {
            seating.seat(kingdom).is_some_and(|other| seating.team(other) != seating.team(seat))
        };
        let enemies = Kingdom::ALL.iter().filter(|kingdom| is_enemy(kingdom)).count() as u16;
        self.kingdoms_to_win.min(enemies)
    }

    /// Number of pieces that a seat has captured.
    pub(super) fn taken(&self, state: &State, seat: Player) -> u32 {
        let is_own = |&kingdom: &Kingdom| self.seating.seat(kingdom) == Some(seat);
        Kingdom::ALL.into_iter().filter(is_own).map(|kingdom| state.taken_by(kingdom)).sum()
    }
}
