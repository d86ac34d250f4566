//! Observations of seven kingdoms: an upright board, and kingdoms numbered from the viewer's own.

use super::geometry::{CENTRE, SIZE};
use super::kingdom::Kingdom;
use super::moves::attacks;
use super::piece::Kind;
use super::rules::PIECE_COUNT;
use super::{SevenKingdoms, View};
use crate::board::{Bitboard, Square};
use crate::game::{
    Attacks, Encoder, Layout, Observe, Player, Viewer, counter_byte, greatest_counter_byte,
    most_occurrences,
};
use crate::planes;

/// The names of one kingdom's pieces, in the order of the kinds.
macro_rules! piece_names {
    ($kingdom:literal) => {
        [
            concat!($kingdom, " general"),
            concat!($kingdom, " marshal"),
            concat!($kingdom, " chancellor"),
            concat!($kingdom, " diplomat"),
            concat!($kingdom, " cannon"),
            concat!($kingdom, " go-between"),
            concat!($kingdom, " archer"),
            concat!($kingdom, " crossbowman"),
            concat!($kingdom, " dagger soldier"),
            concat!($kingdom, " swordsman"),
            concat!($kingdom, " knight"),
        ]
    };
}

/// Declares the scalars of each kingdom, one entry each: the end of its name, its greatest value and its
/// value.
macro_rules! kingdom_scalars {
    (($rules:ident, $facts:ident) $($name:literal: $greatest:expr => $value:expr;)*) => {
        /// The names of the scalars of one kingdom.
        macro_rules! scalar_names {
            ($kingdom:literal) => {
                [$(concat!($kingdom, " ", $name)),*]
            };
        }

        const SCALARS_PER_KINGDOM: usize = [$($name),*].len();

        fn kingdom_maxima($rules: &SevenKingdoms) -> [u8; SCALARS_PER_KINGDOM] {
            [$($greatest),*]
        }

        #[inline]
        fn kingdom_values($facts: &KingdomFacts<'_>) -> [u8; SCALARS_PER_KINGDOM] {
            [$($value),*]
        }
    };
}

kingdom_scalars! { (rules, facts)
    "standing (0 absent, 1 fallen, 2 enemy, 3 team-mate, 4 same seat)":
        SAME_SEAT => standing(facts.view, facts.own, facts.kingdom);
    "pieces lost": most_lost(rules) => saturated(facts.view.state.lost_by(facts.kingdom));
    "pieces lost to own kingdom": most_lost(rules)
        => saturated(facts.view.state.captures(facts.own, facts.kingdom).into());
    "seat's captures": most_taken(rules)
        => facts.seat.map_or(0, |seat| saturated(facts.taken[seat]));
    "seat's conquests": rules.kingdoms_to_win as u8
        => facts.seat.map_or(0, |seat| facts.conquests[seat]);
}

/// The sources of one kingdom's scalars.
struct KingdomFacts<'a> {
    view: &'a View<'a>,
    /// The viewer's kingdom.
    own: Kingdom,
    kingdom: Kingdom,
    /// The seat that plays it.
    seat: Option<Player>,
    /// Number of pieces that each seat has captured.
    taken: &'a [u32; Kingdom::COUNT],
    /// Number of kingdoms that each seat has conquered.
    conquests: &'a [u8; Kingdom::COUNT],
}

/// The greatest number of pieces that a kingdom loses. It falls when its losses exceed the limit. An
/// annexed army may count once more; with what it has lost it is no more than all pieces.
fn most_lost(rules: &SevenKingdoms) -> u8 {
    let lost =
        if rules.count_annexed { PIECE_COUNT } else { PIECE_COUNT.min(rules.loss_limit + 1) };
    saturated(lost.into())
}

/// The greatest number of pieces that a seat captures: it wins when they exceed the limit.
fn most_taken(rules: &SevenKingdoms) -> u8 {
    let taken = if rules.count_annexed {
        rules.capture_limit + PIECE_COUNT
    } else {
        PIECE_COUNT.min(rules.capture_limit + 1)
    };
    saturated(taken.into())
}

/// Lists the names for all kingdoms: the own kingdom, then the others in turn order.
macro_rules! for_each_kingdom {
    ($names:ident) => {
        [
            $names!("own"),
            $names!("+1"),
            $names!("+2"),
            $names!("+3"),
            $names!("+4"),
            $names!("+5"),
            $names!("+6"),
        ]
    };
}

/// The standing of a kingdom of the viewer's own seat, the greatest.
const SAME_SEAT: u8 = 4;

const PIECE_NAMES: [[&str; Kind::COUNT]; Kingdom::COUNT] = for_each_kingdom!(piece_names);
const KINGDOM_SCALARS: [[&str; SCALARS_PER_KINGDOM]; Kingdom::COUNT] =
    for_each_kingdom!(scalar_names);

const EMPEROR: usize = Kingdom::COUNT * Kind::COUNT;
const OWN_KINGDOM: usize = Kingdom::COUNT * SCALARS_PER_KINGDOM;

/// The names of the piece ids.
const PIECES: [&str; EMPEROR + 1] = {
    let mut names = ["emperor"; EMPEROR + 1];
    let (groups, _) = names.split_at_mut(EMPEROR);
    groups.copy_from_slice(PIECE_NAMES.as_flattened());
    names
};

const SCALARS: [&str; OWN_KINGDOM + SevenKingdoms::SCALARS.len()] = {
    let mut names = [""; OWN_KINGDOM + SevenKingdoms::SCALARS.len()];
    let (facts, rest) = names.split_at_mut(OWN_KINGDOM);
    facts.copy_from_slice(KINGDOM_SCALARS.as_flattened());
    rest.copy_from_slice(SevenKingdoms::SCALARS);
    names
};

impl SevenKingdoms {
    planes! {
        names SCALARS;
        maxima scalar_maxima(self);
        values scalars(self, view: &View<'_>, own: Kingdom) -> u8;
        "own kingdom (0 w, 1 r, 2 o, 3 b, 4 g, 5 p, 6 d)":
            Kingdom::COUNT as u8 - 1 => own.index() as u8;
        "to move": 1
            => (view.viewer == Viewer::Player(Self::seat_to_move(view.seating, view.state))).into();
        "occurrences of the position":
            most_occurrences(self.repetition) => view.state.history.occurrences();
        "plies played": counter_byte(self.max_plies, self.max_plies)
            => counter_byte(view.state.ply, self.max_plies);
        "plies without capture": greatest_counter_byte(self.quiet_limit, self.max_plies)
            => counter_byte(view.state.quiet, self.quiet_limit);
    }
}

impl Attacks for SevenKingdoms {
    fn attacks(&self, piece: usize, from: Square, target: Square, between: Option<Square>) -> bool {
        // The emperor does not move.
        piece != EMPEROR
            && attacks(Kind::ALL[piece % Kind::COUNT], from, between.into_iter().chain([target]))
                .contains(target)
    }
}

impl Observe for SevenKingdoms {
    const LAYOUT: Layout =
        Layout { size: SIZE, pieces: &PIECES, marks: &[], scalars: &SCALARS, counters: &[] };

    fn value_maxima(&self) -> Vec<u8> {
        let kingdoms = kingdom_maxima(self).repeat(Kingdom::COUNT);
        [&kingdoms[..], self.scalar_maxima().as_ref()].concat()
    }

    fn observe(&self, view: &View<'_>, encoder: &mut impl Encoder) {
        let state = view.state;
        let own = own_kingdom(view);
        let seats = view.seating.players();
        let mut taken = [0; Kingdom::COUNT];
        let mut conquests = [0; Kingdom::COUNT];
        for seat in 0..seats {
            taken[seat] = self.taken(state, seat);
            conquests[seat] = self.conquest_count(state, seat) as u8;
        }
        let armies = own.from_here().enumerate().flat_map(|(place, kingdom)| {
            let piece_id = move |square| place * Kind::COUNT + state.kind(square).index();
            state.army(kingdom).ascending().map(move |square| (piece_id(square), square))
        });
        encoder.pieces(armies.chain([(EMPEROR, CENTRE)]));
        for kingdom in own.from_here() {
            let seat = view.seating.seat(kingdom);
            let facts =
                KingdomFacts { view, own, kingdom, seat, taken: &taken, conquests: &conquests };
            encoder.scalars(&kingdom_values(&facts));
        }
        encoder.scalars(self.scalars(view, own).as_ref());
    }
}

/// The own kingdom of a viewer: the next of its seat's kingdoms to move, or the next in turn order
/// if all have fallen.
fn own_kingdom(view: &View<'_>) -> Kingdom {
    let seat = view.viewer.perspective();
    let is_own = |&kingdom: &Kingdom| view.seating.seat(kingdom) == Some(seat);
    let seats = || view.state.mover().from_here().filter(is_own);
    let next = seats().find(|&kingdom| view.state.in_play().contains(kingdom));
    next.or_else(|| seats().next()).expect("every seat plays a kingdom")
}

/// The relation of a kingdom to `own`, as in the names of the scalars.
fn standing(view: &View<'_>, own: Kingdom, kingdom: Kingdom) -> u8 {
    let Some(seat) = view.seating.seat(kingdom) else { return 0 };
    if !view.state.in_play().contains(kingdom) {
        1
    } else if view.seating.seat(own) == Some(seat) {
        SAME_SEAT
    } else if view.seating.allies(own).contains(kingdom) {
        3
    } else {
        2
    }
}

fn saturated(count: u32) -> u8 {
    count.min(255) as u8
}
