//! How seats share a result.

use arrayvec::ArrayVec;
use darkqi_env::{Player, Registered, game::MAX_PLAYERS};

/// How many seats are allied with this one, itself included.
pub(super) fn team_size<G: Registered>(rules: &G, seat: Player) -> f32 {
    (0..rules.players()).filter(|&other| rules.allied(seat, other)).count() as f32
}

/// The expected result of each seat if `value`, from -1 to 1, is the win of the mover's team: shared
/// within teams, and the loss among the other teams (RULES.md 9.24).
pub(crate) fn share<G: Registered>(
    rules: &G,
    mover: Player,
    value: f32,
) -> ArrayVec<f32, MAX_PLAYERS> {
    let seats = 0..rules.players();
    let teams: f32 = seats.clone().map(|seat| 1.0 / team_size(rules, seat)).sum();
    let result = |seat| {
        if rules.allied(mover, seat) {
            value / team_size(rules, seat)
        } else {
            -value / ((teams - 1.0) * team_size(rules, seat))
        }
    };
    seats.map(result).collect()
}
