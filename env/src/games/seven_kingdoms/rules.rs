//! The rules of seven kingdoms with their options.

use super::kingdom::Kingdom;
use super::piece::Setup;
use super::seating::Seating;
use crate::game::{
    Domain, OptionSpec, Setting, choice_option, int_option, max_plies_option, switch_option,
};

/// Number of pieces of all armies.
pub(super) const PIECE_COUNT: u16 = 119;

/// The rules with their options.
#[derive(Clone, PartialEq, Debug)]
pub struct SevenKingdoms {
    pub(super) setup: Setup,
    pub(super) loss_limit: u16,
    pub(super) kingdoms_to_win: u16,
    pub(super) capture_limit: u16,
    pub(super) count_annexed: bool,
    pub(super) seating: Seating,
    pub(super) repetition: bool,
    pub(super) quiet_limit: u16,
    pub(super) max_plies: u16,
}

impl Default for SevenKingdoms {
    fn default() -> Self {
        Self {
            setup: Setup::default(),
            loss_limit: 10,
            kingdoms_to_win: 2,
            capture_limit: 30,
            count_annexed: false,
            seating: Seating::default(),
            repetition: false,
            quiet_limit: 0,
            max_plies: 1400,
        }
    }
}

pub(super) const OPTIONS: &[OptionSpec<SevenKingdoms>] = &[
    choice_option!(
        setup,
        Setup,
        "The array: as reconstructed by Leventhal, or with chancellor and diplomat of the two \
         southern armies exchanged."
    ),
    int_option!(
        loss_limit,
        Domain::Int { min: 1, max: PIECE_COUNT },
        "Losses beyond which a kingdom falls."
    ),
    int_option!(
        kingdoms_to_win,
        Domain::Int { min: 1, max: 6 },
        "Fallen kingdoms that win for a seat; at most its number of enemy kingdoms."
    ),
    int_option!(
        capture_limit,
        Domain::Int { min: 1, max: PIECE_COUNT },
        "Captures beyond which a seat wins."
    ),
    switch_option!(count_annexed, "Whether annexed pieces count as captures."),
    OptionSpec {
        name: "seats",
        about: "Seat of each kingdom in the order w r o b g p d; - leaves a kingdom out.",
        domain: Domain::Text { alphabet: "0123456-", min: Kingdom::COUNT, max: Kingdom::COUNT },
        get: |rules| Setting::Text(rules.seating.seats_text()),
        set: |rules, setting| {
            if let Setting::Text(text) = setting {
                rules.seating = rules.seating.with_seats(&text);
            }
        },
    },
    OptionSpec {
        name: "teams",
        about: "Team of each seat, one letter per seat; empty without teams.",
        domain: Domain::Text { alphabet: "ABCDEFG", min: 0, max: Kingdom::COUNT },
        get: |rules| Setting::Text(rules.seating.teams_text()),
        set: |rules, setting| {
            if let Setting::Text(text) = setting {
                rules.seating = rules.seating.with_teams(&text);
            }
        },
    },
    switch_option!(repetition, "Whether the third occurrence of a position makes a draw."),
    int_option!(
        quiet_limit,
        Domain::LIMIT,
        "Plies in a row without capture that make a draw; 0 turns it off."
    ),
    max_plies_option!(),
];
