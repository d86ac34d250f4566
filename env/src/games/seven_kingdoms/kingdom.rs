//! The seven kingdoms in their turn order, and sets of them.

use crate::game::{Army, Lettering};

/// The armies in turn order. Letters are those of the colours.
pub(super) const ARMIES: &[Army] = DRAWN_ARMIES.split_at(Kingdom::COUNT).0;

/// The armies, then the emperor, whom no seat owns.
pub(super) const DRAWN_ARMIES: &[Army] = &[
    army("Qin", 'w', "#2f2a24", "#fdfcf8", 1),
    army("Chu", 'r', "#fff3ea", "#b8231f", 31),
    army("Han", 'o', "#3d1c00", "#f28c28", 33),
    army("Qi", 'b', "#eef5ff", "#2459a8", 34),
    army("Wei", 'g', "#effbea", "#2f7d3a", 32),
    army("Zhao", 'p', "#fbf0ff", "#7d3f98", 35),
    army("Yan", 'd', "#f2ede4", "#2b2827", 36),
    Army { lettering: Lettering::UpperCase, ..army("emperor", '*', "#5a2d00", "#ffd94a", 1) },
];

const fn army(
    name: &'static str,
    letter: char,
    ink: &'static str,
    wood: &'static str,
    sgr: u8,
) -> Army {
    Army { name, letter, lettering: Lettering::Prefixed, ink, wood, sgr }
}

/// One of the seven kingdoms, in turn order: counterclockwise from Qin.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[expect(missing_docs, reason = "the names are those of RULES.md section 6")]
pub enum Kingdom {
    Qin,
    Chu,
    Han,
    Qi,
    Wei,
    Zhao,
    Yan,
}

impl Kingdom {
    /// Number of kingdoms.
    pub const COUNT: usize = 7;

    /// Every kingdom in turn order.
    pub const ALL: [Self; Self::COUNT] =
        [Self::Qin, Self::Chu, Self::Han, Self::Qi, Self::Wei, Self::Zhao, Self::Yan];

    /// Position in [`Kingdom::ALL`].
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The letter in notation.
    pub const fn letter(self) -> char {
        ARMIES[self.index()].letter
    }

    /// The kingdom with this letter.
    pub fn from_letter(letter: char) -> Option<Self> {
        ARMIES.iter().position(|army| army.letter == letter).map(|index| Self::ALL[index])
    }

    /// The kingdom this many turns later; fallen kingdoms count.
    #[inline]
    pub const fn later(self, turns: usize) -> Self {
        Self::ALL[(self.index() + turns) % Self::COUNT]
    }

    /// All kingdoms in turn order from this one on.
    #[inline]
    pub fn from_here(self) -> impl Iterator<Item = Self> {
        (0..Self::COUNT).map(move |turns| self.later(turns))
    }

    /// All kingdoms back through the turn order: first the one before this, last this one itself.
    #[inline]
    pub fn backwards(self) -> impl Iterator<Item = Self> {
        (0..Self::COUNT).rev().map(move |turns| self.later(turns))
    }
}

/// A set of kingdoms.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Kingdoms(u8);

impl Kingdoms {
    /// Whether a kingdom is in the set.
    #[inline]
    pub const fn contains(self, kingdom: Kingdom) -> bool {
        self.0 >> kingdom.index() & 1 == 1
    }

    /// Adds a kingdom.
    pub const fn insert(&mut self, kingdom: Kingdom) {
        self.0 |= 1 << kingdom.index();
    }

    /// Removes a kingdom.
    pub const fn remove(&mut self, kingdom: Kingdom) {
        self.0 &= !(1 << kingdom.index());
    }

    /// Number of kingdoms in the set.
    #[inline]
    pub const fn count(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The kingdoms in turn order from Qin.
    pub fn iter(self) -> impl Iterator<Item = Kingdom> {
        Kingdom::ALL.into_iter().filter(move |&kingdom| self.contains(kingdom))
    }
}

impl FromIterator<Kingdom> for Kingdoms {
    fn from_iter<I: IntoIterator<Item = Kingdom>>(kingdoms: I) -> Self {
        let mut set = Self::default();
        kingdoms.into_iter().for_each(|kingdom| set.insert(kingdom));
        set
    }
}
