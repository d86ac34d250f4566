//! The options of the game, and who plays which kingdom (RULES.md section 6 and 9.5).

use super::super::options::{check_name, invalid, number, switch};
use super::pieces::Kingdom;

/// The start array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Setup {
    Leventhal,
    Elephantchess,
}

/// The options in force.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub setup: Setup,
    pub loss_limit: u64,
    pub kingdoms_to_win: u64,
    pub capture_limit: u64,
    pub count_annexed: bool,
    pub repetition: bool,
    pub quiet_limit: u64,
    pub max_plies: u64,
    /// The seat of each kingdom in turn order, `None` for one that is left out.
    seats: [Option<usize>; 7],
    /// The team of each seat; without teams every seat is one.
    teams: Vec<usize>,
}

const NAMES: [&str; 10] = [
    "setup",
    "loss_limit",
    "kingdoms_to_win",
    "capture_limit",
    "count_annexed",
    "seats",
    "teams",
    "repetition",
    "quiet_limit",
    "max_plies",
];

impl Rules {
    /// The defaults with the given options set. If a name is given twice, the last one counts.
    ///
    /// # Errors
    /// If there is no option of a name, or a value is not among the option's values; the message
    /// lists the valid ones.
    pub(super) fn read(given: &[(&str, &str)]) -> Result<Self, String> {
        let mut rules = Self {
            setup: Setup::Leventhal,
            loss_limit: 10,
            kingdoms_to_win: 2,
            capture_limit: 30,
            count_annexed: false,
            repetition: false,
            quiet_limit: 0,
            max_plies: 1400,
            seats: [None; 7],
            teams: Vec::new(),
        };
        let mut seats = "0123456";
        let mut teams = "";
        for &(name, value) in given {
            check_name("seven_kingdoms", name, &NAMES)?;
            match name {
                "seats" => seats = value,
                "teams" => teams = value,
                _ => rules.set(name, value)?,
            }
        }
        rules.seats = read_seats(seats)?;
        rules.teams = read_teams(teams, rules.seat_count())?;
        Ok(rules)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "setup" => {
                self.setup = match value {
                    "leventhal" => Setup::Leventhal,
                    "elephantchess" => Setup::Elephantchess,
                    _ => return Err(invalid(name, value, "leventhal, elephantchess")),
                }
            }
            "loss_limit" => self.loss_limit = number(name, value, 1..=119)?,
            "kingdoms_to_win" => self.kingdoms_to_win = number(name, value, 1..=6)?,
            "capture_limit" => self.capture_limit = number(name, value, 1..=119)?,
            "count_annexed" => self.count_annexed = switch(name, value)?,
            "repetition" => self.repetition = switch(name, value)?,
            "quiet_limit" => self.quiet_limit = number(name, value, 0..=65535)?,
            "max_plies" => self.max_plies = number(name, value, 1..=65535)?,
            _ => panic!("option {name:?} is listed but cannot be set"),
        }
        Ok(())
    }

    /// Whether the kingdom is not left out.
    pub(super) fn is_present(&self, kingdom: Kingdom) -> bool {
        self.seats[kingdom.index()].is_some()
    }

    /// The seat that plays the kingdom.
    ///
    /// # Panics
    /// If the kingdom is left out.
    pub(super) fn seat(&self, kingdom: Kingdom) -> usize {
        self.seats[kingdom.index()].expect("the kingdom is present")
    }

    /// The number of seats.
    pub(super) fn seat_count(&self) -> usize {
        let highest = self.seats.iter().flatten().max();
        highest.expect("some kingdom is present") + 1
    }

    /// The team of the seat.
    pub(super) fn team(&self, seat: usize) -> usize {
        self.teams[seat]
    }

    /// Whether two kingdoms present cannot capture one another's pieces: of one seat or of one
    /// team.
    pub(super) fn are_allied(&self, one: Kingdom, other: Kingdom) -> bool {
        self.team(self.seat(one)) == self.team(self.seat(other))
    }
}

fn read_seats(text: &str) -> Result<[Option<usize>; 7], String> {
    let valid = "seven characters for w r o b g p d, digits from 0 upward without gaps or -, at \
                 least two seats";
    let fault = || invalid("seats", text, valid);
    let letters: Vec<char> = text.chars().collect();
    if letters.len() != 7 {
        return Err(fault());
    }
    let mut seats = [None; 7];
    for (seat, letter) in seats.iter_mut().zip(letters) {
        *seat = match letter {
            '-' => None,
            '0'..='6' => "0123456".find(letter),
            _ => return Err(fault()),
        };
    }
    let taken = |number: usize| seats.contains(&Some(number));
    let count = (0..7).filter(|&number| taken(number)).count();
    let gapless = (0..count).all(taken);
    if count < 2 || !gapless {
        return Err(fault());
    }
    Ok(seats)
}

fn read_teams(text: &str, seats: usize) -> Result<Vec<usize>, String> {
    if text.is_empty() {
        return Ok((0..seats).collect());
    }
    let valid = "empty, or one letter A to G for each seat, at least two teams";
    let teams: Option<Vec<usize>> = text.chars().map(|letter| "ABCDEFG".find(letter)).collect();
    match teams {
        Some(teams) if teams.len() == seats && teams.iter().any(|&team| team != teams[0]) => {
            Ok(teams)
        }
        _ => Err(invalid("teams", text, valid)),
    }
}
