//! The three-check rule of gaiqi (RULES.md section 1): its state is a part of a position.

use super::board::Board;
use super::phase::{Phase, Pieces, Transform};
use super::rules::Rules;

/// A piece that has given check with each of its colour's latest plies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Streak {
    /// Its number among those face up.
    pub(super) piece: u8,
    /// Number of checks in a row, 1 to [`Streak::LIMIT`]; more count as that.
    pub(super) checks: u8,
}

impl Streak {
    /// Number of checks in a row after which the piece must not check again.
    pub(super) const LIMIT: u8 = 3;
}

/// The streaks of the mover and of the other colour; none in banqi.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Chase {
    pub(super) mover: Option<Streak>,
    /// Its piece attacks the mover's general, as it has just moved.
    pub(super) other: Option<Streak>,
}

impl Chase {
    /// The same, with these numbers of the pieces. A piece without one has lost its streak.
    pub(super) fn renumbered(self, number: impl Fn(u8) -> Option<u8>) -> Self {
        let renumber = |streak: Option<Streak>| {
            streak.and_then(|streak| Some(Streak { piece: number(streak.piece)?, ..streak }))
        };
        Self { mover: renumber(self.mover), other: renumber(self.other) }
    }

    /// The same in the phase that stands for this one.
    pub(super) fn transformed(self, transform: &Transform) -> Self {
        self.renumbered(|piece| Some(transform.piece(piece)))
    }

    /// The chase after a ply of this piece, which gives check or not.
    pub(super) fn after(self, piece: u8, gives_check: bool) -> Self {
        let before = self.mover.filter(|streak| streak.piece == piece);
        let checks = before.map_or(1, |streak| (streak.checks + 1).min(Streak::LIMIT));
        Self { mover: self.other, other: gives_check.then_some(Streak { piece, checks }) }
    }
}

/// The chases that an arrangement of a phase may have, in the order of their numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Chases {
    /// The pieces that may have a streak of the mover.
    own: Pieces,
    /// The pieces that may have a streak of the other colour.
    attackers: Pieces,
    /// Whether the mover captures the general at once, whatever the chase.
    pub(super) wins: bool,
}

impl Chases {
    pub(super) fn new(
        board: &Board,
        rules: &Rules,
        phase: &Phase,
        mover: usize,
        places: &[u8],
    ) -> Self {
        let mut chases = Self { own: Pieces::new(), attackers: Pieces::new(), wins: false };
        if !rules.is_gaiqi() {
            return chases;
        }
        let occupied = phase.occupied(places);
        let attackers = |colour: usize| -> Pieces {
            let Some(general) = phase.general(1 - colour) else { return Pieces::new() };
            let attacks = |&piece: &usize| {
                let kind = phase.shown[piece];
                rules.attacks(board, kind, places[piece], occupied, places[general])
            };
            phase.pieces(colour).filter(attacks).map(|piece| piece as u8).collect()
        };
        chases.wins = !attackers(mover).is_empty();
        if !chases.wins {
            chases.attackers = attackers(1 - mover);
            if phase.general(1 - mover).is_some() {
                chases.own = phase.pieces(mover).map(|piece| piece as u8).collect();
            }
        }
        chases
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        [&self.own, &self.attackers].map(variants).iter().product()
    }

    /// The number of a chase, of which the one without streaks has 0.
    pub(super) fn index(&self, chase: Chase) -> usize {
        if self.wins {
            return 0;
        }
        code(&self.attackers, chase.other) * variants(&self.own) + code(&self.own, chase.mover)
    }

    /// The chase with this number.
    pub(super) fn get(&self, index: usize) -> Chase {
        let own = variants(&self.own);
        Chase { mover: streak(&self.own, index % own), other: streak(&self.attackers, index / own) }
    }

    /// Whether a chase may be here.
    pub(super) fn contains(&self, chase: Chase) -> bool {
        let may = |pieces: &Pieces, streak: Option<Streak>| {
            streak.is_none_or(|streak| pieces.contains(&streak.piece))
        };
        self.wins || may(&self.own, chase.mover) && may(&self.attackers, chase.other)
    }
}

/// Number of streaks of one of these pieces, none included.
fn variants(pieces: &Pieces) -> usize {
    1 + pieces.len() * usize::from(Streak::LIMIT)
}

fn code(pieces: &Pieces, streak: Option<Streak>) -> usize {
    streak.map_or(0, |Streak { piece, checks }| {
        let place = pieces.iter().position(|&other| other == piece);
        let place = place.expect("only these have streaks");
        place * usize::from(Streak::LIMIT) + usize::from(checks)
    })
}

fn streak(pieces: &Pieces, code: usize) -> Option<Streak> {
    let code = code.checked_sub(1)?;
    let limit = usize::from(Streak::LIMIT);
    Some(Streak { piece: pieces[code / limit], checks: (code % limit) as u8 + 1 })
}
