//! The seats of two agents in the games of a block.

use darkqi_env::{Player, Spec, game::MAX_PLAYERS};

/// How two agents, 0 and 1, share the sides of a game in the games of a block. A side is a seat, or
/// the seats of a team, which win and lose together.
///
/// The agents alternate over the sides, in the order of their first seats. A block holds every
/// rotation of that, begun by either agent: two games with an even number of sides, two per side with
/// an odd number. Both agents have each side equally often.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PairSeats {
    seats: usize,
    sides: usize,
    /// The side of each seat. Entries beyond the seats are unused.
    side_of: [u8; MAX_PLAYERS],
}

impl PairSeats {
    /// The seats of a game.
    pub(crate) fn of(spec: &Spec) -> Self {
        Self::new(spec.num_players, |one, other| spec.allied(one, other))
    }

    /// The seatings of this many seats, some of which may be allied.
    pub(crate) fn new(seats: usize, allied: impl Fn(Player, Player) -> bool) -> Self {
        let mut sides = 0;
        let mut side_of = [0; MAX_PLAYERS];
        for seat in 0..seats {
            side_of[seat] = match (0..seat).find(|&earlier| allied(earlier, seat)) {
                Some(ally) => side_of[ally],
                None => {
                    sides += 1;
                    sides as u8 - 1
                }
            };
        }
        Self { seats, sides, side_of }
    }

    pub(crate) const fn seats(&self) -> usize {
        self.seats
    }

    pub(crate) const fn sides(&self) -> usize {
        self.sides
    }

    /// Games in a block.
    pub(crate) const fn games(&self) -> usize {
        // With an even number of sides, a rotation by one equals the game that the other agent begins.
        if self.sides.is_multiple_of(2) { 2 } else { 2 * self.sides }
    }

    /// The agent in a seat in a game of the block.
    pub(crate) const fn agent(&self, game: usize, seat: Player) -> usize {
        let (rotation, begins) = (game / 2, game % 2);
        ((self.side_of[seat] as usize + rotation) % self.sides + begins) % 2
    }
}

const _: () = {
    assert!(2 * MAX_PLAYERS * MAX_PLAYERS <= 1 << 8, "streams are numbered by a byte");
};

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use darkqi_env::game::MAX_PLAYERS;

    use super::PairSeats;

    fn apart(seats: usize) -> PairSeats {
        PairSeats::new(seats, |one, other| one == other)
    }

    fn rounds(seating: PairSeats) -> Vec<Vec<usize>> {
        let round = |game| (0..seating.seats()).map(|seat| seating.agent(game, seat)).collect();
        (0..seating.games()).map(round).collect()
    }

    #[test]
    fn blocks_of_two_and_three_seats() {
        assert_eq!(rounds(apart(2)), [[0, 1], [1, 0]]);
        let three = [[0, 1, 0], [1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 0, 1], [1, 1, 0]];
        assert_eq!(rounds(apart(3)), three);
    }

    #[test]
    fn allies_have_one_agent() {
        let teams = |letters: &'static [u8]| {
            PairSeats::new(letters.len(), move |one, other| letters[one] == letters[other])
        };
        let two = teams(b"ABBA");
        assert_eq!(two.sides(), 2);
        assert_eq!(rounds(two), [[0, 1, 1, 0], [1, 0, 0, 1]]);
        let three = teams(b"CAACB");
        assert_eq!(three.sides(), 3);
        let distinct: BTreeSet<_> = rounds(three).into_iter().collect();
        assert_eq!(distinct.len(), 6);
        for round in distinct {
            assert_eq!((round[0], round[1]), (round[3], round[2]), "{round:?}");
        }
    }

    #[test]
    fn rounds_have_all_rotations_and_balanced_seats() {
        for seats in 2..=MAX_PLAYERS {
            let rounds = rounds(apart(seats));
            let distinct: BTreeSet<_> = rounds.iter().cloned().collect();
            assert_eq!(distinct.len(), rounds.len());
            for round in &rounds {
                let turned: Vec<_> = (0..seats).map(|seat| round[(seat + 1) % seats]).collect();
                assert!(distinct.contains(&turned), "{turned:?}");
            }
            for seat in 0..seats {
                let ones: usize = rounds.iter().map(|round| round[seat]).sum();
                assert_eq!(2 * ones, rounds.len());
            }
        }
        assert_eq!(rounds(apart(7)).len(), 14);
    }
}
