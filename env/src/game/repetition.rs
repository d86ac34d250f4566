//! Repeated positions, and who forced them: RULES.md section 7 and 9.8.

use arrayvec::ArrayVec;

use crate::board::Square;
use crate::simd;

/// So many of the latest plies are kept in the state itself. In thousands of games, what lies
/// elsewhere is far from all that was touched last: it is written to once for so many plies.
const RECENT: usize = 8;

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

/// Which keys may have come before, by twice 9 of their bits: a Bloom filter (Bloom, 1970).
///
/// Most positions are new, and are known to be so without a look at the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Sketch([u64; 8]);

impl Sketch {
    fn of(key: u64) -> Self {
        let mut sketch = Self([0; 8]);
        sketch.add(key);
        sketch
    }

    /// Adds a key and says whether it may have been there: always if it was, seldom otherwise.
    #[inline]
    fn add(&mut self, key: u64) -> bool {
        let mut was_there = true;
        for place in [key & 511, key >> 9 & 511] {
            let word = &mut self.0[(place >> 6) as usize];
            let bit = 1 << (place & 63);
            was_there &= *word & bit != 0;
            *word |= bit;
        }
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
    /// The plies after `start`, and the keys of the positions that they led to, but for the recent
    /// ones.
    older: Vec<(P, u64)>,
    /// The plies after those.
    recent: ArrayVec<(P, u64), RECENT>,
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
        let (older, recent) = (Vec::new(), ArrayVec::new());
        Self { start: key, seen, older, recent, cycle: 0, occurrences: 1 }
    }

    /// Makes room for this many quiet plies, within reason, so that adding them allocates nothing.
    pub fn reserve(&mut self, plies: u16) {
        self.older.reserve(usize::from(plies).min(MAX_ROOM));
    }

    /// MoveTables these positions into the memory of others that are no longer needed.
    pub fn store_in(&mut self, mut old: Self) {
        old.older.clear();
        old.older.append(&mut self.older);
        self.older = old.older;
    }

    /// Asks for the memory that the recent plies go to, if they do with the next one.
    #[inline]
    pub(crate) fn prefetch(&self) {
        if self.recent.is_full() {
            simd::prefetch(&self.older[self.older.len()..]);
        }
    }

    /// Forgets everything: the position with this key came about by an irreversible ply.
    #[inline]
    pub fn restart(&mut self, key: u64) {
        self.start = key;
        self.seen = Sketch::of(key);
        self.older.clear();
        self.recent.clear();
        self.cycle = 0;
        self.occurrences = 1;
    }

    /// Adds a quiet ply and the position with this key that it led to. A player's turn comes round
    /// every `turn` plies.
    #[inline]
    pub fn push(&mut self, ply: P, key: u64, turn: usize) {
        if self.recent.is_full() {
            self.set_aside();
        }
        self.recent.push((ply, key));
        self.cycle = 0;
        self.occurrences = 1;
        if self.seen.add(key) {
            self.count_back(key, turn);
        }
    }

    /// Makes room for recent plies.
    #[inline(never)]
    fn set_aside(&mut self) {
        self.older.extend_from_slice(&self.recent);
        self.recent.clear();
    }

    /// Looks for earlier occurrences of the current position, which has this key.
    #[inline(never)]
    fn count_back(&mut self, key: u64, turn: usize) {
        let older = self.older.len();
        let played = older + self.recent.len();
        for back in (turn..=played).step_by(turn) {
            let earlier = match (played - back).checked_sub(1) {
                None => self.start,
                Some(ply) if ply < older => self.older[ply].1,
                Some(ply) => self.recent[ply - older].1,
            };
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
        let older = self.older.len();
        let first = older + self.recent.len() - self.cycle;
        let recent = &self.recent[first.saturating_sub(older)..];
        self.older[first.min(older)..].iter().chain(recent).map(|&(ply, _)| ply)
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
    use super::{History, Positions, QuietPly, RECENT, perpetual_check};
    use crate::board::Square;
    use crate::rng::{Rng, Stream};

    /// Occurrences and the last cycle are those of a plain list, wherever the plies are kept.
    #[test]
    fn plies_are_found_among_the_recent_and_the_older() {
        let mut rng = Rng::new(1, Stream::Deal);
        let mut cycles = [0; 2];
        for round in 0..200 {
            let keys = 1 + round % 20;
            let mut positions = Positions::new(0);
            let mut list = vec![(0, 0)];
            for number in 0..rng.below(4 * RECENT as u32) as usize + 40 {
                // Keys that differ in their high bits alone: the sketch takes all for old.
                let key = u64::from(rng.below(keys)) << 40;
                if rng.below(40) == 0 {
                    positions.restart(key);
                    list = vec![(0, key)];
                } else {
                    positions.push(number, key, 2);
                    list.push((number, key));
                }
                let earlier: Vec<usize> = (0..list.len() - 1)
                    .rev()
                    .skip(1)
                    .step_by(2)
                    .filter(|&place| list[place].1 == key)
                    .collect();
                assert_eq!(usize::from(positions.occurrences()), 1 + earlier.len());
                let cycle: Vec<usize> = positions.last_cycle().collect();
                let begin = earlier.first().map_or(list.len(), |&place| place + 1);
                assert!(cycle.iter().eq(list[begin..].iter().map(|(ply, _)| ply)));
                assert!(positions.last_cycle().rev().eq(cycle.iter().rev().copied()));
                cycles[usize::from(cycle.len() > RECENT)] += 1;
            }
        }
        assert!(cycles[0] > 1000 && cycles[1] > 1000, "{cycles:?}");
    }

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
