//! The seats and teams of the kingdoms: the options `seats` and `teams`.
//! RULES.md section 6.

use arrayvec::ArrayVec;

use super::kingdom::{Kingdom, Kingdoms};
use crate::game::{MAX_PLAYERS, OptionConflict, Player, Text};

/// Marks a kingdom that is left out in `seats`.
const ABSENT: char = '-';

/// Seats and teams of the kingdoms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seating {
    /// The seat that plays each kingdom, if any.
    seats: [Option<u8>; Kingdom::COUNT],
    /// The team of each seat; empty when every seat is a team.
    teams: ArrayVec<u8, MAX_PLAYERS>,
    /// The kingdoms of each kingdom's team, itself included: it cannot capture their pieces.
    allies: [Kingdoms; Kingdom::COUNT],
}

impl Default for Seating {
    /// A seat for every kingdom.
    fn default() -> Self {
        Self::new(std::array::from_fn(|kingdom| Some(kingdom as u8)), ArrayVec::new())
    }
}

impl Seating {
    fn new(seats: [Option<u8>; Kingdom::COUNT], teams: ArrayVec<u8, MAX_PLAYERS>) -> Self {
        let mut seating = Self { seats, teams, allies: Default::default() };
        let team_of = |kingdom: Kingdom| seating.seat(kingdom).map(|seat| seating.team(seat));
        seating.allies = Kingdom::ALL.map(|own| {
            let own = team_of(own);
            Kingdom::ALL
                .into_iter()
                .filter(|&other| own.is_some() && team_of(other) == own)
                .collect()
        });
        seating
    }

    /// This seating with other seats: a digit or `-` for each kingdom in turn order.
    pub(super) fn with_seats(&self, text: &str) -> Self {
        let mut seats = text.chars().map(|letter| letter.to_digit(10).map(|seat| seat as u8));
        Self::new(std::array::from_fn(|_| seats.next().flatten()), self.teams.clone())
    }

    /// This seating with other teams: a letter for each seat.
    pub(super) fn with_teams(&self, text: &str) -> Self {
        Self::new(self.seats, text.bytes().map(|letter| letter - b'A').collect())
    }

    /// The text that [`Seating::with_seats`] reads.
    pub(super) fn seats_text(&self) -> Text {
        let letter = |seat: &Option<u8>| seat.map_or(ABSENT, |seat| (b'0' + seat) as char);
        text(self.seats.iter().map(letter))
    }

    /// The text that [`Seating::with_teams`] reads.
    pub(super) fn teams_text(&self) -> Text {
        text(self.teams.iter().map(|team| (b'A' + team) as char))
    }

    /// Checks that seats and teams make a game.
    ///
    /// # Errors
    /// If seats are skipped, or there are fewer than two seats or teams, or not a team per seat.
    pub(super) fn validate(&self) -> Result<(), OptionConflict> {
        let players = self.players();
        let is_played = |seat| self.seats.contains(&Some(seat as u8));
        if players < 2 || !(0..players).all(is_played) {
            return Err(OptionConflict {
                option: "seats",
                expected:
                    "seven characters with at least two seats, numbered from 0 without gaps, \
                           and `-` for kingdoms left out"
                        .to_owned(),
            });
        }
        let expected = if !self.teams.is_empty() && self.teams.len() != players {
            format!("one letter A to G for each of the {players} seats")
        } else if self.teams().iter().all(|&team| team == self.team(0)) {
            "letters of at least two teams".to_owned()
        } else {
            return Ok(());
        };
        Err(OptionConflict { option: "teams", expected })
    }

    /// Number of seats.
    pub(super) fn players(&self) -> usize {
        self.seats.iter().flatten().max().map_or(0, |&last| usize::from(last) + 1)
    }

    /// The seat that plays a kingdom, if it is present.
    #[inline]
    pub fn seat(&self, kingdom: Kingdom) -> Option<Player> {
        self.seats[kingdom.index()].map(usize::from)
    }

    /// A seat's team.
    #[inline]
    pub fn team(&self, seat: Player) -> u8 {
        self.teams.get(seat).copied().unwrap_or(seat as u8)
    }

    /// The team of every seat.
    pub(super) fn teams(&self) -> ArrayVec<u8, MAX_PLAYERS> {
        (0..self.players()).map(|seat| self.team(seat)).collect()
    }

    /// The kingdoms that take part.
    pub(super) fn present(&self) -> Kingdoms {
        Kingdom::ALL.into_iter().filter(|&kingdom| self.seat(kingdom).is_some()).collect()
    }

    /// The kingdoms of a kingdom's team, itself included; none for one that is absent.
    #[inline]
    pub fn allies(&self, kingdom: Kingdom) -> Kingdoms {
        self.allies[kingdom.index()]
    }
}

/// Characters as the text of an option. There is at most one per kingdom.
fn text(letters: impl Iterator<Item = char>) -> Text {
    letters.fold(Text::new(), |mut text, letter| {
        text.push(letter);
        text
    })
}

#[cfg(test)]
mod tests {
    use super::Seating;

    fn fault(seats: &str, teams: &str) -> Option<&'static str> {
        let seating = Seating::default().with_seats(seats).with_teams(teams);
        assert_eq!((&*seating.seats_text(), &*seating.teams_text()), (seats, teams));
        seating.validate().err().map(|misfit| misfit.option)
    }

    #[test]
    fn seats_and_teams_must_make_a_game() {
        for (seats, teams) in [
            ("0123456", ""),
            ("6543210", ""),
            ("0-----1", ""),
            ("0101010", "AB"),
            ("0123456", "ABABABA"),
            ("01210--", "GAG"),
        ] {
            assert_eq!(fault(seats, teams), None, "{seats} {teams}");
        }
        for seats in ["0000000", "-------", "1111111", "0223456", "0-----2"] {
            assert_eq!(fault(seats, ""), Some("seats"), "{seats}");
        }
        for (seats, teams) in
            [("0123456", "ABABAB"), ("01-----", "ABA"), ("01-----", "AA"), ("01-----", "A")]
        {
            assert_eq!(fault(seats, teams), Some("teams"), "{seats} {teams}");
        }
    }
}
