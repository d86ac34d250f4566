//! Who sits where: the ways of seating two agents that make up a block.

use darkqi_env::{Game, MAX_PLAYERS, Player};

/// How two agents, 0 and 1, take a game's sides in the games of a block. A side is a seat, or the
/// seats of a team, which win and lose together.
///
/// The agents alternate, in the order in which the sides first come round the table. A block holds
/// every rotation of that, begun by either agent: with an even number of sides two games, with an
/// odd number two per side, so that neither agent has more sides, or better ones, than the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Seating {
    seats: usize,
    sides: usize,
    /// Each seat's side; beyond the seats, none.
    side_of: [u8; MAX_PLAYERS],
}

impl Seating {
    /// The seating of a game.
    pub(super) fn of(rules: &impl Game) -> Self {
        Self::new(rules.players(), |one, other| rules.allied(one, other))
    }

    /// The seating of so many seats, some of them allied.
    pub(super) fn new(seats: usize, allied: impl Fn(Player, Player) -> bool) -> Self {
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

    pub(super) const fn seats(&self) -> usize {
        self.seats
    }

    pub(super) const fn sides(&self) -> usize {
        self.sides
    }

    /// Games in a block.
    pub(super) const fn games(&self) -> usize {
        // An even round turned by one side is the one that the other agent begins.
        if self.sides.is_multiple_of(2) { 2 } else { 2 * self.sides }
    }

    /// Which of the two sits in a seat in a game of the block.
    pub(super) const fn agent(&self, game: usize, seat: Player) -> usize {
        let (rotation, begins) = (game / 2, game % 2);
        ((self.side_of[seat] as usize + rotation) % self.sides + begins) % 2
    }

    /// The number of a seat's random stream: agents on one deal must not repeat what was drawn.
    pub(super) const fn stream(&self, game: usize, seat: Player) -> u8 {
        (game * self.seats + seat) as u8
    }
}

const _: () = {
    assert!(2 * MAX_PLAYERS * MAX_PLAYERS <= 1 << 8, "streams are numbered by a byte");
};

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use darkqi_env::MAX_PLAYERS;

    use super::Seating;

    fn apart(seats: usize) -> Seating {
        Seating::new(seats, |one, other| one == other)
    }

    fn rounds(seating: Seating) -> Vec<Vec<usize>> {
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
            Seating::new(letters.len(), move |one, other| letters[one] == letters[other])
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
    fn all_rotations_are_there_and_each_agent_has_each_seat_equally_often() {
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

    #[test]
    fn no_stream_serves_two_seats() {
        let seating = apart(MAX_PLAYERS);
        let streams: BTreeSet<u8> = (0..seating.games())
            .flat_map(|game| (0..MAX_PLAYERS).map(move |seat| seating.stream(game, seat)))
            .collect();
        assert_eq!(streams.len(), seating.games() * MAX_PLAYERS);
    }
}
