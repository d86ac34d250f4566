//! What designers change of a game on the half board: board, armies, movement, captures, turns, ends.
//!
//! A [`Design`] holds the options, a [`Plan`] what follows from them. Usual rules have no plan: they are
//! played by the code of their game.

use std::sync::Arc;

use super::plan::Plan;
use super::state::SQUARES;
use super::{HalfBoard, SIZE, Variant};
use crate::board::{BoardSize, Kind};
use crate::families::betza::{self, Movement};
use crate::families::designs::{
    KINDS, NoMoves, TAKES, USUAL, by_kind, read_counts, read_kinds, text, write_counts,
};
use crate::game::{
    Domain, OptionConflict, OptionSpec, Setting, Text, choice_option, choices, int_option,
    switch_option,
};

choices! {
    /// What becomes of a covered piece that a piece goes to.
    #[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
    pub enum CoveredCaptures {
        /// As in the game.
        #[default]
        Usual = USUAL,
        /// No piece goes there.
        Never = "never",
        /// It is captured, whatever it is.
        Always = "always",
        /// It is turned over, and captured if the captor takes such a piece. Otherwise both stay.
        Attempt = "attempt",
    }
}

impl CoveredCaptures {
    /// The same, in a game with these usual ones.
    pub(super) fn or(self, usual: Self) -> Self {
        if self == Self::Usual { usual } else { self }
    }
}

choices! {
    /// Whether the loss of a general loses the game.
    #[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
    pub(super) enum Royal {
        #[default]
        Usual = USUAL,
        Yes = "yes",
        No = "no",
    }
}

/// The options of designers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Design {
    pub(super) size: BoardSize,
    /// By kind, the number of pieces of red and of black.
    pub(super) army: [[u8; 2]; KINDS],
    /// By kind; empty where it is as usual.
    pub(super) moves: [Text; KINDS],
    pub(super) takes: [Text; KINDS],
    pub(super) covered_captures: CoveredCaptures,
    pub(super) royal: Royal,
    pub(super) no_moves: NoMoves,
    pub(super) chain: bool,
    pub(super) flips: u16,
}

impl Default for Design {
    fn default() -> Self {
        Self {
            size: SIZE,
            army: Kind::COUNTS.map(|count| [count; 2]),
            moves: [Text::new(); KINDS],
            takes: [Text::new(); KINDS],
            covered_captures: CoveredCaptures::Usual,
            royal: Royal::Usual,
            no_moves: NoMoves::Loss,
            chain: false,
            flips: 1,
        }
    }
}

/// A board size, as in `4x8`.
fn read_size(text: &str) -> Option<BoardSize> {
    let (files, ranks) = text.split_once('x')?;
    let number = |text: &str| text.parse().ok().filter(|_| text.len() == 1);
    let size = BoardSize { files: number(files)?, ranks: number(ranks)? };
    ((2..=SIZE.files).contains(&size.files) && (2..=SIZE.ranks).contains(&size.ranks))
        .then_some(size)
}

const BOARD: Domain = Domain::Pattern {
    expected: "files x ranks from 2x2 to 8x4, such as 4x2",
    examples: &["8x4", "4x2", "6x3", "8x2"],
    fits: |text| read_size(text).is_some(),
};

const COUNTS: Domain = Domain::Pattern {
    expected: "a number of pieces such as 2, or one of red and one of black such as 2/1",
    examples: &["2", "1", "0", "2/1", "3"],
    fits: |text| read_counts(text, SQUARES as u16).is_some(),
};

const MOVES_DOMAIN: Domain = Domain::Pattern {
    expected: betza::EXPECTED,
    examples: &[USUAL, "W", "K", "nN", "mRcpR", "N", "WD", "R2", "mWcpR", "Q", "nAnNF"],
    fits: |text| text == USUAL || Movement::parse(text).is_some(),
};

fn get_counts(design: &Design, kind: usize) -> Text {
    write_counts(design.army[kind])
}

fn set_counts(design: &mut Design, kind: usize, value: Text) {
    design.army[kind] = read_counts(&value, SQUARES as u16).expect("the domain is checked");
}

impl<V: Variant> HalfBoard<V> {
    /// The options of designers, in the order of RULES.md section 10.
    pub(super) const DESIGN: &'static [&'static [OptionSpec<Self>]] = &[
        &[OptionSpec {
            name: "board",
            about: "Files x ranks of the board.",
            domain: BOARD,
            get: |rules| {
                let BoardSize { files, ranks } = rules.design.size;
                Setting::Text(text(&format!("{files}x{ranks}")))
            },
            set: |rules, setting| {
                if let Setting::Text(text) = setting {
                    rules.design.size = read_size(&text).expect("the domain is checked");
                }
            },
        }],
        &by_kind!(
            "army",
            COUNTS,
            "Number of pieces of this kind in each army, or of red/black.",
            get_counts,
            set_counts
        ),
        &by_kind!(
            "moves",
            moves,
            MOVES_DOMAIN,
            "How this kind moves and captures, in Betza's notation."
        ),
        &by_kind!("takes", takes, TAKES, "The kinds that this kind takes."),
        &[
            choice_option!(
                covered_captures in design,
                CoveredCaptures,
                "Whether covered pieces are captured; an attempt turns the piece over, and fails if it is \
                 none that the captor takes."
            ),
            choice_option!(royal in design, Royal, "Whether the loss of a general loses the game."),
            choice_option!(no_moves in design, NoMoves, "The result for a seat that can do nothing."),
            switch_option!(
                chain in design,
                "Whether a piece that has captured may capture on in the same turn."
            ),
            int_option!(
                flips in design,
                Domain::Int { min: 1, max: 4 },
                "Pieces that a seat may turn over in one turn."
            ),
        ],
    ];
}

impl Design {
    /// The option to blame if the armies are too large for the board: that of the kind with most pieces above
    /// the usual number, or the board if there is none.
    pub(super) fn fault_of_size(&self) -> &'static str {
        const ARMY: [&str; KINDS] =
            ["army.K", "army.A", "army.E", "army.H", "army.R", "army.C", "army.P"];
        let surplus =
            |kind: usize| self.army[kind].iter().sum::<u8>().saturating_sub(2 * Kind::COUNTS[kind]);
        let most = (0..KINDS).max_by_key(|&kind| surplus(kind)).filter(|&kind| surplus(kind) > 0);
        most.map_or("board", |kind| ARMY[kind])
    }

    /// Whether losing the general loses the game, of a game with this usual answer.
    pub(super) fn is_royal(&self, usual: bool) -> bool {
        match self.royal {
            Royal::Usual => usual,
            Royal::Yes => true,
            Royal::No => false,
        }
    }

    /// Whether a kind moves otherwise than usual.
    pub(super) fn changes_movement(&self, kind: Kind) -> bool {
        !self.moves[kind.index()].is_empty()
    }

    /// Whether any kind takes others than usual.
    pub(super) fn changes_captures(&self) -> bool {
        self.takes.iter().any(|kinds| !kinds.is_empty())
    }

    /// Checks the options and computes what follows from them; `None` for the usual rules.
    pub(super) fn plan<V: Variant>(
        &mut self,
        variant: &V,
    ) -> Result<Option<Arc<Plan>>, OptionConflict> {
        // What is spelled out as it is anyway is usual.
        for kind in Kind::ALL {
            let index = kind.index();
            if self.moves[index].as_str() == variant.usual_moves(kind) {
                self.moves[index] = Text::new();
            }
            if read_kinds(&self.takes[index]) == Some(variant.usual_takes(kind))
                && !self.takes[index].is_empty()
            {
                self.takes[index] = Text::new();
            }
        }
        if self.royal == if V::ROYAL { Royal::Yes } else { Royal::No } {
            self.royal = Royal::Usual;
        }
        if self.covered_captures == V::COVERED_CAPTURES {
            self.covered_captures = CoveredCaptures::Usual;
        }
        if *self == Self::default() {
            Ok(None)
        } else {
            Plan::new(self, variant).map(Arc::new).map(Some)
        }
    }
}

#[cfg(test)]
mod tests;
