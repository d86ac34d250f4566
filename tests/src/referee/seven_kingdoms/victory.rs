//! Victory and rewards (RULES.md section 6, 9.20 and 9.24).

use super::super::Outcome;
use super::Position;
use super::pieces::Kingdom;
use super::rules::Rules;

/// A victory in the position, if there is one: by kingdoms, by captures, or as the last one
/// standing, in that order.
pub(super) fn victory(position: &Position) -> Option<Outcome> {
    let rules = &position.rules;
    if let Some(seat) = winner_by_kingdoms(position) {
        return Some(won(rules, "kingdoms", rules.team(seat)));
    }
    if let Some(seat) = winner_by_captures(position) {
        return Some(won(rules, "captures", rules.team(seat)));
    }
    let mut in_play = Kingdom::ALL.to_vec();
    in_play.retain(|&kingdom| position.is_in_play(kingdom));
    // The mover is in play, so a team that alone remains is the mover's.
    let mover_team = rules.team(rules.seat(position.mover));
    if in_play.iter().all(|&kingdom| rules.team(rules.seat(kingdom)) == mover_team) {
        return Some(won(rules, "last_standing", mover_team));
    }
    None
}

/// The lowest seat that has brought down enough kingdoms.
fn winner_by_kingdoms(position: &Position) -> Option<usize> {
    let rules = &position.rules;
    (0..rules.seat_count()).find(|&seat| {
        let brought_down =
            position.out.iter().filter(|(_, conqueror)| rules.seat(*conqueror) == seat).count();
        brought_down >= kingdoms_needed(rules, seat)
    })
}

/// `kingdoms_to_win`, at most the number of kingdoms present that are not of the seat's team.
fn kingdoms_needed(rules: &Rules, seat: usize) -> usize {
    let mut enemies = 0;
    for kingdom in Kingdom::ALL {
        if rules.is_present(kingdom) && rules.team(rules.seat(kingdom)) != rules.team(seat) {
            enemies += 1;
        }
    }
    usize::try_from(rules.kingdoms_to_win).expect("it is at most 6").min(enemies)
}

/// The seat that has captured more than `capture_limit` pieces. Of several: the one that moved,
/// then the latest conqueror's, then the lowest.
fn winner_by_captures(position: &Position) -> Option<usize> {
    let rules = &position.rules;
    let mut seats = vec![rules.seat(position.moved_last())];
    if let Some(&(_, conqueror)) = position.out.last() {
        seats.push(rules.seat(conqueror));
    }
    seats.extend(0..rules.seat_count());
    seats.into_iter().find(|&seat| captured_by(position, seat) > rules.capture_limit)
}

/// The number of captures of all kingdoms of the seat, fallen ones included.
fn captured_by(position: &Position, seat: usize) -> u64 {
    let mut captured = 0;
    for captor in Kingdom::ALL {
        if position.rules.is_present(captor) && position.rules.seat(captor) == seat {
            captured += position.captures[captor.index()].iter().sum::<u64>();
        }
    }
    captured
}

/// The members of the winning team share +1. The losing teams share -1 equally, and so do the
/// members of each.
fn won(rules: &Rules, reason: &'static str, winner: usize) -> Outcome {
    let mut losing_teams = Vec::new();
    for seat in 0..rules.seat_count() {
        let team = rules.team(seat);
        if team != winner && !losing_teams.contains(&team) {
            losing_teams.push(team);
        }
    }
    let mut rewards = Vec::new();
    for seat in 0..rules.seat_count() {
        let team = rules.team(seat);
        let of_team = if team == winner { 1.0 } else { -1.0 / count(losing_teams.len()) };
        let members = (0..rules.seat_count()).filter(|&other| rules.team(other) == team).count();
        rewards.push(of_team / count(members));
    }
    Outcome { reason, rewards, truncated: false }
}

/// A number of seats or teams as a divisor.
fn count(number: usize) -> f64 {
    f64::from(u8::try_from(number).expect("there are at most seven"))
}
