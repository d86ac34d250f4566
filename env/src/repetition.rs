//! Repeated positions, and who forced them: RULES.md section 7 and 9.8.

use crate::simd;
use crate::square::Square;

/// Plies for which room is made beforehand at the most.
const MAX_ROOM: usize = 512;

/// A ply that can be taken back: neither a capture nor a reveal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QuietPly(u16);

impl QuietPly {
    /// A ply on a board of at most 128 squares, packed: thousands of games keep hundreds of them.
    #[inline]
    pub fn new(from: Square, to: Square, check: bool) -> Self {
        debug_assert!(from.index() < 128 && to.index() < 128);
        Self((from.index() | to.index() << 7) as u16 | u16::from(check) << 14)
    }

    /// Where the piece came from.
    pub fn from(self) -> Square {
        Square::new(usize::from(self.0 & 127))
    }

    /// Where it went.
    pub fn to(self) -> Square {
        Square::new(usize::from(self.0 >> 7 & 127))
    }

    /// Whether it gave check.
    pub fn is_check(self) -> bool {
        self.0 >> 14 == 1
    }
}

/// Which keys may have come before, by their lowest 8 bits.
///
/// Most positions are new, and are known to be so without a look at the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Sketch([u64; 4]);

impl Sketch {
    fn of(key: u64) -> Self {
        let mut sketch = Self([0; 4]);
        sketch.add(key);
        sketch
    }

    /// Adds a key and says whether it may have been there: always if it was, seldom otherwise.
    #[inline]
    fn add(&mut self, key: u64) -> bool {
        let word = &mut self.0[(key >> 6 & 3) as usize];
        let bit = 1 << (key & 63);
        let was_there = *word & bit != 0;
        *word |= bit;
        was_there
    }
}

/// The positions since the last irreversible ply, with what is kept of each ply since then: only
/// they can recur.
///
/// Keys hash the public board and the player to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Positions<P = ()> {
    start: u64,
    seen: Sketch,
    /// The plies after `start`, and the keys of the positions that they led to: side by side, for
    /// in thousands of games each lies far from what was touched last.
    plies: Vec<(P, u64)>,
    /// Plies after the previous occurrence of the current position, 0 where there is none.
    cycle: usize,
    occurrences: u8,
}

/// Positions with the plies that led to them, where these say who is to blame for a repetition.
pub type History = Positions<QuietPly>;

impl<P: Copy> Positions<P> {
    /// A game that begins with this position.
    pub fn new(key: u64) -> Self {
        let seen = Sketch::of(key);
        Self { start: key, seen, plies: Vec::new(), cycle: 0, occurrences: 1 }
    }

    /// Makes room for this many quiet plies, within reason, so that adding them allocates nothing.
    pub fn reserve(&mut self, plies: u16) {
        self.plies.reserve(usize::from(plies).min(MAX_ROOM));
    }

    /// Moves these positions into the memory of others that are no longer needed.
    pub fn store_in(&mut self, mut old: Self) {
        old.plies.clear();
        old.plies.append(&mut self.plies);
        self.plies = old.plies;
    }

    /// Asks for the memory that the next ply goes to.
    #[inline]
    pub(crate) fn prefetch(&self) {
        if let Some(last) = self.plies.last() {
            simd::prefetch(last);
        }
    }

    /// Forgets everything: the position with this key came about by an irreversible ply.
    #[inline]
    pub fn restart(&mut self, key: u64) {
        self.start = key;
        self.seen = Sketch::of(key);
        self.plies.clear();
        self.cycle = 0;
        self.occurrences = 1;
    }

    /// Adds a quiet ply and the position with this key that it led to. A player's turn comes round
    /// every `turn` plies.
    #[inline]
    pub fn push(&mut self, ply: P, key: u64, turn: usize) {
        self.plies.push((ply, key));
        self.cycle = 0;
        self.occurrences = 1;
        if self.seen.add(key) {
            self.count_back(key, turn);
        }
    }

    /// Looks for earlier occurrences of the current position, which has this key.
    #[inline(never)]
    fn count_back(&mut self, key: u64, turn: usize) {
        let played = self.plies.len();
        for back in (turn..=played).step_by(turn) {
            let earlier = if back == played { self.start } else { self.plies[played - back - 1].1 };
            if earlier == key {
                if self.cycle == 0 {
                    self.cycle = back;
                }
                self.occurrences = self.occurrences.saturating_add(1);
            }
        }
    }

    /// How often the current position has stood, this time included.
    #[inline]
    pub fn occurrences(&self) -> u8 {
        self.occurrences
    }

    /// The plies after the previous occurrence of the current position, up to now.
    pub fn last_cycle(&self) -> impl DoubleEndedIterator<Item = P> + '_ {
        self.plies[self.plies.len() - self.cycle..].iter().map(|&(ply, _)| ply)
    }
}

/// Whether every ply in the last cycle of the side that moved last, and of the other side, gave
/// check.
///
/// The length of a cycle is even and greater than 0.
pub fn perpetual_check(history: &History) -> [bool; 2] {
    let all_check =
        |skip: usize| history.last_cycle().rev().skip(skip).step_by(2).all(QuietPly::is_check);
    [all_check(0), all_check(1)]
}

#[cfg(test)]
mod tests {
    use super::{History, Positions, QuietPly, perpetual_check};
    use crate::square::Square;

    #[test]
    fn positions_recur_when_the_turn_has_come_round() {
        let mut positions = Positions::new(10);
        for key in [11, 12, 10, 11] {
            positions.push((), key, 3);
        }
        assert_eq!(positions.occurrences(), 2);
        positions.push((), 10, 3);
        assert_eq!(
            positions.occurrences(),
            1,
            "two plies after the last time it is another's turn"
        );
    }

    #[test]
    fn third_occurrence_and_its_cycle() {
        let square = Square::new(0);
        let mut history = History::new(10);
        // Positions 10 11 12 13 | 10 11 12 13 | 10, the second player checking throughout.
        for (number, key) in [11, 12, 13, 10, 11, 12, 13, 10].into_iter().enumerate() {
            history.push(QuietPly::new(square, square, number % 2 == 1), key, 2);
        }
        assert_eq!(history.occurrences(), 3);
        assert_eq!(history.last_cycle().count(), 4);
        assert_eq!(perpetual_check(&history), [true, false]);
        history.restart(10);
        assert_eq!(history.occurrences(), 1);
    }
}
