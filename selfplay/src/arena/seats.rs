//! Who sits where: the ways of seating two agents that make up a block.

use darkqi_env::{MAX_PLAYERS, Player};

/// How two agents, 0 and 1, take a game's seats in the games of a block.
///
/// They alternate round the table. A block holds every rotation of that, begun by either agent: with
/// an even number of seats two games, with an odd number two per seat, so that neither agent has
/// more seats, or better ones, than the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Seating {
    seats: usize,
}

impl Seating {
    pub(super) const fn new(seats: usize) -> Self {
        Self { seats }
    }

    pub(super) const fn seats(self) -> usize {
        self.seats
    }

    /// Games in a block.
    pub(super) const fn games(self) -> usize {
        // An even round turned by one seat is the one that the other agent begins.
        if self.seats.is_multiple_of(2) { 2 } else { 2 * self.seats }
    }

    /// Which of the two sits in a seat in a game of the block.
    pub(super) const fn agent(self, game: usize, seat: Player) -> usize {
        let (rotation, begins) = (game / 2, game % 2);
        ((seat + rotation) % self.seats + begins) % 2
    }

    /// The number of a seat's random stream: agents on one deal must not repeat what was drawn.
    pub(super) const fn stream(self, game: usize, seat: Player) -> u8 {
        (game * self.seats + seat) as u8
    }
}

const _: () = {
    let most = Seating::new(MAX_PLAYERS);
    assert!(most.games() * most.seats() <= 1 << 8, "streams are numbered by a byte");
};

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use darkqi_env::MAX_PLAYERS;

    use super::Seating;

    fn rounds(seats: usize) -> Vec<Vec<usize>> {
        let seating = Seating::new(seats);
        let round = |game| (0..seats).map(|seat| seating.agent(game, seat)).collect();
        (0..seating.games()).map(round).collect()
    }

    #[test]
    fn blocks_of_two_and_three_seats() {
        assert_eq!(rounds(2), [[0, 1], [1, 0]]);
        let three = [[0, 1, 0], [1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 0, 1], [1, 1, 0]];
        assert_eq!(rounds(3), three);
    }

    #[test]
    fn all_rotations_are_there_and_each_agent_has_each_seat_equally_often() {
        for seats in 2..=MAX_PLAYERS {
            let rounds = rounds(seats);
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
        assert_eq!(rounds(7).len(), 14);
    }

    #[test]
    fn no_stream_serves_two_seats() {
        let seating = Seating::new(MAX_PLAYERS);
        let streams: BTreeSet<u8> = (0..seating.games())
            .flat_map(|game| (0..MAX_PLAYERS).map(move |seat| seating.stream(game, seat)))
            .collect();
        assert_eq!(streams.len(), seating.games() * MAX_PLAYERS);
    }
}
