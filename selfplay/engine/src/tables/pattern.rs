//! Sets of pieces that capture one another alike.
//!
//! All pieces step alike, and whatever stands in a line is a screen. So a set of pieces is known by
//! which of them capture which of the enemy's: a chariot against a horse is a king against a
//! chariot. Such sets share a table.

use std::collections::BTreeMap;

use darkqi_env::{Kind, game::ENDGAME_PIECES};

use super::captures::Captures;

/// How the pieces of two sides capture one another. The first side is not the smaller one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Pattern {
    /// Number of pieces of each side.
    counts: [u8; 2],
    /// Four bits, those of [`Captures::between`], by a piece of the first side and one of the second.
    pairs: u16,
}

/// Which piece has which place in a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Arrangement {
    /// Whether the sides are exchanged.
    pub(super) swapped: bool,
    /// By place: the number of the piece, those of the side given first before the other's.
    pub(super) pieces: [usize; ENDGAME_PIECES],
}

/// The orders of up to three pieces, the most that a side has.
const ORDERS: [&[[usize; 3]]; 4] = [
    &[],
    &[[0, 1, 2]],
    &[[0, 1, 2], [1, 0, 2]],
    &[[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]],
];

/// Bits of a pair.
const PAIR: usize = 4;

impl Pattern {
    /// The pattern of the kinds of two sides, and where their pieces are in it.
    ///
    /// # Panics
    /// If a side has no piece, or both have more than [`ENDGAME_PIECES`] together.
    pub(super) fn of(captures: &Captures, sides: [&[u8]; 2]) -> (Self, Arrangement) {
        let [first, second] = sides;
        Self::arranged([first.len(), second.len()], |one, other| {
            captures.between(first[one], second[other])
        })
    }

    /// The pattern without one of its pieces, and where the others are in it; `None` if the piece is
    /// the only one of its side. Pieces after it are numbered one less.
    pub(super) fn without(self, piece: usize) -> Option<(Self, Arrangement)> {
        let [first, second] = self.counts.map(usize::from);
        let side = self.side(piece);
        let mut counts = [first, second];
        counts[side] -= 1;
        if counts[side] == 0 {
            return None;
        }
        // The number that a piece of a side had before.
        let before = |own: usize, place: usize| {
            place + usize::from(own == side && place >= piece - side * first)
        };
        let pair = |one, other| self.pair(before(0, one), before(1, other));
        Some(Self::arranged(counts, pair))
    }

    /// The least of the patterns that the orders of the pieces give.
    fn arranged(counts: [usize; 2], pair: impl Fn(usize, usize) -> u16) -> (Self, Arrangement) {
        let [first, second] = counts;
        let mut least: Option<(Self, Arrangement)> = None;
        for swapped in [false, true] {
            let [larger, smaller] = if swapped { [second, first] } else { [first, second] };
            if larger < smaller {
                continue;
            }
            for one in ORDERS[larger] {
                for other in ORDERS[smaller] {
                    let mut pairs = 0;
                    for (row, &a) in one[..larger].iter().enumerate() {
                        for (column, &b) in other[..smaller].iter().enumerate() {
                            let bits = if swapped { turned(pair(b, a)) } else { pair(a, b) };
                            pairs |= bits << (PAIR * (row * smaller + column));
                        }
                    }
                    let pattern = Self { counts: [larger as u8, smaller as u8], pairs };
                    if least.is_none_or(|(least, _)| pattern < least) {
                        let mut pieces = [0; ENDGAME_PIECES];
                        // The side given first has the first numbers.
                        let bases = if swapped { [first, 0] } else { [0, first] };
                        let places = one[..larger].iter().map(|&piece| bases[0] + piece);
                        let rest = other[..smaller].iter().map(|&piece| bases[1] + piece);
                        pieces.iter_mut().zip(places.chain(rest)).for_each(|(to, from)| *to = from);
                        least = Some((pattern, Arrangement { swapped, pieces }));
                    }
                }
            }
        }
        least.expect("each side has a piece")
    }

    /// How a piece of the first side and one of the second capture each other.
    fn pair(self, one: usize, other: usize) -> u16 {
        let place = one * usize::from(self.counts[1]) + other;
        self.pairs >> (PAIR * place) & ((1 << PAIR) - 1)
    }

    /// Number of pieces.
    pub(super) fn count(self) -> usize {
        self.counts.iter().copied().map(usize::from).sum()
    }

    /// The side that a piece belongs to.
    pub(super) fn side(self, piece: usize) -> usize {
        usize::from(piece >= usize::from(self.counts[0]))
    }

    /// Whether a piece captures another by a step, and by a jump.
    pub(super) fn captures(self, captor: usize, prey: usize) -> [bool; 2] {
        let first = usize::from(self.counts[0]);
        let bits = match (self.side(captor), self.side(prey)) {
            (0, 1) => self.pair(captor, prey - first),
            (1, 0) => turned(self.pair(prey, captor - first)),
            _ => 0,
        };
        [bits & 1 != 0, bits & 2 != 0]
    }

    /// The pattern as a number.
    pub(super) fn code(self) -> u32 {
        let [first, second] = self.counts.map(u32::from);
        first << 24 | second << 16 | u32::from(self.pairs)
    }

    /// The patterns of all sets of this many pieces in which each side has at least one, with the
    /// number of sets of each. Which side has which pieces does not make another set.
    pub(super) fn all(captures: &Captures, pieces: usize) -> BTreeMap<Self, u64> {
        let mut all = BTreeMap::new();
        for larger in pieces.div_ceil(2)..pieces {
            let (ones, others) = (armies(larger), armies(pieces - larger));
            for (number, one) in ones.iter().enumerate() {
                // Of two sides alike, each pair once.
                let first = if 2 * larger == pieces { number } else { 0 };
                for other in &others[first..] {
                    *all.entry(Self::of(captures, [one, other]).0).or_default() += 1;
                }
            }
        }
        all
    }
}

/// The bits of a pair with its pieces exchanged.
const fn turned(pair: u16) -> u16 {
    pair >> 2 | (pair & 3) << 2
}

/// All choices of this many pieces of one side, as ascending kinds.
fn armies(count: usize) -> Vec<Vec<u8>> {
    let mut all = vec![Vec::new()];
    for _ in 0..count {
        let longer = |army: Vec<u8>| -> Vec<Vec<u8>> {
            let least = army.last().copied().unwrap_or(0);
            let kinds = (least..).zip(&Kind::COUNTS[usize::from(least)..]);
            let is_left = |&(kind, &most): &(u8, &u8)| {
                army.iter().filter(|&&other| other == kind).count() < usize::from(most)
            };
            let with = |(kind, _)| army.iter().copied().chain([kind]).collect();
            kinds.filter(is_left).map(with).collect()
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use darkqi_env::Kind;
    use darkqi_env::game::{configure, texts};
    use darkqi_env::games::banqi::Banqi;

    use super::{Captures, Pattern};

    fn captures(options: &[(&str, &str)]) -> Captures {
        Captures::of(&configure::<Banqi>(&texts(options)).expect("the options exist"))
    }

    fn kinds(letters: &str) -> Vec<u8> {
        let kind = |letter| Kind::LETTERS.iter().position(|&known| known == letter);
        letters.chars().map(|letter| kind(letter).expect("a kind") as u8).collect()
    }

    fn pattern(captures: &Captures, pieces: &str) -> Pattern {
        let (first, second) = pieces.split_once('-').expect("two sides");
        Pattern::of(captures, [&kinds(first), &kinds(second)]).0
    }

    #[test]
    fn sets_that_capture_alike_share_a_pattern() {
        let standard = captures(&[]);
        for (one, other) in [("K-R", "H-C"), ("K-P", "P-R"), ("KP-AR", "RP-HC"), ("AP-K", "K-PA")] {
            assert_eq!(pattern(&standard, one), pattern(&standard, other), "{one}, {other}");
        }
        for (one, other) in [("K-R", "K-K"), ("KP-K", "KA-K"), ("KR-P", "KR-K")] {
            assert_ne!(pattern(&standard, one), pattern(&standard, other), "{one}, {other}");
        }
        // A jumping cannon is like no other piece.
        let jumping = captures(&[("cannon", "jump")]);
        assert_eq!(pattern(&standard, "CH-R"), pattern(&standard, "HC-E"));
        assert_ne!(pattern(&jumping, "CH-R"), pattern(&jumping, "HH-E"));
        // The order of ranks decides which is the higher.
        let hongkong = captures(&[("ranking", "hongkong")]);
        assert_eq!(pattern(&standard, "AA-R"), pattern(&hongkong, "RR-A"));
    }
}
