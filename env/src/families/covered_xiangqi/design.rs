//! What designers change of a game of covered xiangqi: covered squares, pools, movement, captures, the end.
//!
//! A [`Design`] holds the options, [`Designed`] what follows from them for movement and captures.

use std::sync::Arc;

use super::plan::Designed;
use super::variant::{CoveredXiangqi, Variant};
use crate::board::Kind;
use crate::families::betza::Movement;
use crate::families::designs::{
    KINDS, NoMoves, TAKES, USUAL, by_kind, read_counts, read_kinds, text, write_counts, write_kinds,
};
use crate::game::{Domain, OptionConflict, OptionSpec, Setting, Text, choice_option, choices};

/// The value of `moves` for the limits of xiangqi: the palace for advisors, the river for elephants.
const XIANGQI: &str = "xiangqi";

/// The kinds that can be covered, as bits: all but the general.
pub(super) const COVERABLE: u8 = (1 << KINDS) - 1 - 1;

/// The greatest number of pieces of a kind in a pool: as many as a side has squares for them.
const MAX_POOL: u16 = 15;

choices! {
    /// Whether covered pieces are captured.
    #[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
    pub(super) enum CoveredCaptures {
        #[default]
        Usual = USUAL,
        Never = "never",
    }
}

/// How a kind moves.
pub(super) enum Moves {
    Usual,
    /// As in xiangqi, revealed or not.
    Xiangqi,
    Betza(Movement),
}

/// The options of designers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Design {
    /// The kinds on whose home squares pieces begin covered, as bits.
    pub(super) covered: u8,
    /// By kind, the pieces of red and of black in the pools; `None` where they are as usual.
    pool: [Option<[u8; 2]>; KINDS],
    /// By kind; empty where it is as usual.
    moves: [Text; KINDS],
    takes: [Text; KINDS],
    pub(super) covered_captures: CoveredCaptures,
    pub(super) no_moves: NoMoves,
}

impl Default for Design {
    fn default() -> Self {
        Self {
            covered: COVERABLE,
            pool: [None; KINDS],
            moves: [Text::new(); KINDS],
            takes: [Text::new(); KINDS],
            covered_captures: CoveredCaptures::Usual,
            no_moves: NoMoves::Loss,
        }
    }
}

/// The kinds of these letters that begin covered, as bits.
fn read_covered(text: &str) -> Option<u8> {
    read_kinds(text).filter(|kinds| !text.is_empty() && kinds & !COVERABLE == 0)
}

/// The movement that a value of `moves` describes, if the table of actions has it.
fn read_movement(text: &str) -> Option<Movement> {
    Movement::parse_directed(text).filter(|movement| movement.diagonal() <= 2)
}

const COVERED: Domain = Domain::Pattern {
    expected: "letters of AEHRCP such as AEHRC, - for none",
    examples: &["AEHRCP", "AEHRC", "-", "P", "RC"],
    fits: |text| read_covered(text).is_some(),
};

const POOL: Domain = Domain::Pattern {
    expected: "a number of pieces from 0 to 15 such as 2, one of red and one of black such as 2/1, or usual",
    examples: &[USUAL, "2", "3", "5/2", "0", "8"],
    fits: |text| text == USUAL || read_counts(text, MAX_POOL).is_some(),
};

const MOVES: Domain = Domain::Pattern {
    expected: "a movement in Betza's notation such as W, nN, fW or mRcpR, at most two squares along a \
               diagonal; xiangqi or usual",
    examples: &[USUAL, XIANGQI, "K", "N", "fWfF", "mRcpR", "WD", "R4", "nAnN", "W2", "fNmW"],
    fits: |text| text == USUAL || text == XIANGQI || read_movement(text).is_some(),
};

impl<V: Variant> CoveredXiangqi<V> {
    /// The options of designers, in the order of RULES.md section 11.
    pub(super) const DESIGN: &'static [&'static [OptionSpec<Self>]] = &[
        &[OptionSpec {
            name: "covered",
            about: "The kinds on whose home squares pieces begin covered.",
            domain: COVERED,
            get: |rules| Setting::Text(write_kinds(rules.design.covered)),
            set: |rules, setting| {
                if let Setting::Text(text) = setting {
                    rules.design.covered = read_covered(&text).expect("the domain is checked");
                }
            },
        }],
        &by_kind!(
            "pool" ["A" 1, "E" 2, "H" 3, "R" 4, "C" 5, "P" 6],
            POOL,
            "Number of pieces of this kind that each side's covered pieces are dealt from, or of red/black.",
            |design: &Design, kind: usize| design.pool[kind].map_or(text(USUAL), write_counts),
            |design: &mut Design, kind: usize, value: Text| {
                design.pool[kind] = read_counts(&value, MAX_POOL);
            }
        ),
        &by_kind!("moves", moves, MOVES, "How this kind moves and captures, in Betza's notation."),
        &by_kind!("takes", takes, TAKES, "The kinds that this kind takes."),
        &[
            choice_option!(
                covered_captures in design,
                CoveredCaptures,
                "Whether covered pieces are captured."
            ),
            choice_option!(
                no_moves in design,
                NoMoves,
                "The result for a seat that can do nothing and is not in check."
            ),
        ],
    ];
}

impl Design {
    /// How a kind moves.
    pub(super) fn moves(&self, kind: Kind) -> Moves {
        match self.moves[kind.index()].as_str() {
            "" => Moves::Usual,
            XIANGQI => Moves::Xiangqi,
            betza => Moves::Betza(read_movement(betza).expect("the domain is checked")),
        }
    }

    /// The kinds that a kind takes, as bits.
    pub(super) fn takes(&self, captor: Kind) -> u8 {
        let own = &self.takes[captor.index()];
        if own.is_empty() { ALL } else { read_kinds(own).expect("the domain is checked") }
    }

    /// Whether pieces move or capture otherwise than usual.
    pub(super) fn changes_movement(&self) -> bool {
        let is_changed = |text: &Text| !text.is_empty();
        self.moves.iter().chain(&self.takes).any(is_changed)
            || self.covered_captures != CoveredCaptures::Usual
    }

    /// Whether all is as usual.
    pub(super) fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    /// Number of a side's home squares of a kind that begin covered.
    fn covered_squares(&self, kind: Kind) -> u8 {
        if self.covered >> kind.index() & 1 == 1 { kind.count() } else { 0 }
    }

    /// By kind, the pieces of red and of black in the pools.
    pub(super) fn pools(&self) -> [[u8; 2]; KINDS] {
        Kind::ALL.map(|kind| self.pool[kind.index()].unwrap_or([self.covered_squares(kind); 2]))
    }

    /// By kind, the pieces of each side that begin revealed.
    pub(super) fn revealed(&self) -> [u8; KINDS] {
        Kind::ALL.map(|kind| kind.count() - self.covered_squares(kind))
    }

    /// Checks the options and computes what follows from them; `None` for usual movement and captures.
    pub(super) fn plan(&mut self) -> Result<Option<Arc<Designed>>, OptionConflict> {
        // What is spelled out as it is anyway is usual.
        for kind in Kind::ALL {
            let index = kind.index();
            let is_usual = match (kind, self.moves[index].as_str()) {
                (Kind::Advisor | Kind::Elephant, XIANGQI) => false,
                (_, XIANGQI)
                | (Kind::General, "W")
                | (Kind::Horse, "nN")
                | (Kind::Chariot, "R")
                | (Kind::Cannon, "mRcpR") => true,
                _ => false,
            };
            if is_usual {
                self.moves[index] = Text::new();
            }
            if self.takes(kind) == ALL {
                self.takes[index] = Text::new();
            }
            if self.pool[index] == Some([self.covered_squares(kind); 2]) {
                self.pool[index] = None;
            }
        }
        self.check_pools()?;
        if !self.changes_movement() {
            return Ok(None);
        }
        let designed = Designed::new(self);
        let conflict = |kind: Kind, expected: &str| {
            Err(OptionConflict { option: MOVES_OF[kind.index()], expected: expected.to_owned() })
        };
        if let Some(attacker) = designed.attacker_at_start(self.covered) {
            return conflict(attacker, "a movement that attacks no general at the start");
        }
        if !designed.can_begin(self.covered) {
            let changed = Kind::ALL.into_iter().find(|kind| !self.moves[kind.index()].is_empty());
            let changed = changed.expect("red can begin by the usual movements");
            return conflict(changed, "a movement by which red can begin the game");
        }
        Ok(Some(Arc::new(designed)))
    }

    /// Checks that each side has pieces enough for its covered squares.
    fn check_pools(&self) -> Result<(), OptionConflict> {
        const OPTIONS: [&str; KINDS] =
            ["covered", "pool.A", "pool.E", "pool.H", "pool.R", "pool.C", "pool.P"];
        let pools = self.pools();
        let squares: u8 = Kind::ALL.map(|kind| self.covered_squares(kind)).iter().sum();
        for (colour, name) in ["red", "black"].into_iter().enumerate() {
            let pieces: u8 = pools.iter().map(|pool| pool[colour]).sum();
            if pieces < squares {
                let is_small =
                    |kind: &Kind| pools[kind.index()][colour] < self.covered_squares(*kind);
                let kind = Kind::ALL.into_iter().find(is_small);
                let option = OPTIONS[kind.expect("the usual pools are large enough").index()];
                let expected = format!(
                    "pools with a piece for each covered square: {name}'s have {pieces} pieces, and it has \
                     {squares} covered squares"
                );
                return Err(OptionConflict { option, expected });
            }
        }
        Ok(())
    }
}

const MOVES_OF: [&str; KINDS] =
    ["moves.K", "moves.A", "moves.E", "moves.H", "moves.R", "moves.C", "moves.P"];

/// All kinds, as bits.
pub(super) const ALL: u8 = (1 << KINDS) - 1;

#[cfg(test)]
mod tests;
