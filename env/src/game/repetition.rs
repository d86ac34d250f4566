//! Repeated positions, and who forced them: RULES.md section 7 and 9.8.
//!
//! Positions are compared by their Zobrist keys (Zobrist, 1970). Only positions since the
//! last irreversible ply can recur, so the history starts anew after a capture or a reveal.

use std::collections::TryReserveError;

use crate::board::Square;
use crate::copy_vec::CopyVec;
use crate::simd;

/// Number of the latest plies that are kept in the state itself. With thousands of games, memory
/// outside the state is not in the cache; it is written to once in this many plies.
const RECENT: usize = 8;

/// Maximum number of plies for which memory is reserved.
const MAX_RESERVED: usize = 512;

/// A reversible ply: neither a capture nor a reveal (a quiet move in chess programming).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct QuietPly(u16);

impl QuietPly {
    /// A ply on a board of at most 128 squares, packed into 15 bits to save memory.
    #[inline]
    pub fn new(from: Square, to: Square, check: bool) -> Self {
        debug_assert!(from.index() < 128 && to.index() < 128);
        Self((from.index() | to.index() << 7) as u16 | u16::from(check) << 14)
    }

    /// The square the piece left.
    pub fn from(self) -> Square {
        Square::new(usize::from(self.0 & 127))
    }

    /// The square it went to.
    pub fn to(self) -> Square {
        Square::new(usize::from(self.0 >> 7 & 127))
    }

    /// Whether it gave check.
    pub fn is_check(self) -> bool {
        self.0 >> 14 == 1
    }
}

/// The entry of a ply in a history, as a number.
pub trait PlyCode: Copy {
    /// The number.
    fn code(self) -> u16;
    /// Its meaning.
    fn from_code(code: u16) -> Self;
}

impl PlyCode for () {
    fn code(self) -> u16 {
        0
    }

    fn from_code(_: u16) -> Self {}
}

impl PlyCode for QuietPly {
    fn code(self) -> u16 {
        self.0
    }

    fn from_code(code: u16) -> Self {
        // A check is the highest of the 15 bits.
        Self(code & 0x7FFF)
    }
}

/// A history as plain values, for copies of a state outside the process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordedHistory {
    /// The key of the first position.
    start: u64,
    /// The code of each ply since, and the key of the position it led to.
    plies: Vec<(u16, u64)>,
}

impl RecordedHistory {
    /// Bytes of a ply.
    const PLY: usize = 10;

    /// The key of the last position.
    fn end(&self) -> u64 {
        self.plies.last().map_or(self.start, |&(_, key)| key)
    }

    /// Number of plies.
    pub fn plies(&self) -> usize {
        self.plies.len()
    }

    /// The plies, the last one first, each with the key of the position before it.
    pub(crate) fn backwards<P: PlyCode>(&self) -> impl Iterator<Item = (P, u64)> {
        (0..self.plies.len()).rev().map(|number| {
            let before = number.checked_sub(1).map_or(self.start, |last| self.plies[last].1);
            (P::from_code(self.plies[number].0), before)
        })
    }

    /// The key of the first position in 8 bytes, then each ply in 2 and its key in 8; little-endian.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.start.to_le_bytes().to_vec();
        for (code, key) in &self.plies {
            bytes.extend(code.to_le_bytes());
            bytes.extend(key.to_le_bytes());
        }
        bytes
    }

    /// Reads what [`RecordedHistory::to_bytes`] wrote; `None` for another number of bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (start, plies) = bytes.split_first_chunk()?;
        let plies = plies.chunks(Self::PLY).map(|ply| {
            let (code, key) = ply.split_first_chunk()?;
            Some((u16::from_le_bytes(*code), u64::from_le_bytes(key.try_into().ok()?)))
        });
        Some(Self { start: u64::from_le_bytes(*start), plies: plies.collect::<Option<_>>()? })
    }
}

/// A Bloom filter (Bloom, 1970) of keys: 512 bits, two hash functions of 9 key bits each.
///
/// Most positions are new; the filter shows that without a search through the history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct BloomFilter([u64; 8]);

impl BloomFilter {
    fn of(key: u64) -> Self {
        let mut filter = Self([0; 8]);
        filter.add(key);
        filter
    }

    /// Adds a key and returns whether it may have been present. A false positive is possible, a
    /// false negative is not.
    #[inline]
    fn add(&mut self, key: u64) -> bool {
        let mut may_be_present = true;
        for place in [key & 511, key >> 9 & 511] {
            let word = &mut self.0[(place >> 6) as usize];
            let bit = 1 << (place & 63);
            may_be_present &= *word & bit != 0;
            *word |= bit;
        }
        may_be_present
    }
}

/// The positions since the last irreversible ply, with a value `P` for each ply.
///
/// A key is a Zobrist hash of the public board and the seat to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PositionHistory<P = ()> {
    /// The key of the first position.
    start: u64,
    filter: BloomFilter,
    /// The plies after `start` with the keys of the positions they led to, except the recent ones.
    older: Vec<(P, u64)>,
    /// The latest plies.
    recent: CopyVec<(P, u64), RECENT>,
    /// Number of plies since the previous occurrence of the current position, 0 if there is none.
    cycle_length: usize,
    occurrences: u8,
    /// Whether any position has occurred twice.
    has_recurred: bool,
}

/// A position history with its plies, for rules that blame a seat for a repetition.
pub type PlyHistory = PositionHistory<QuietPly>;

impl<P: Copy + Default> PositionHistory<P> {
    /// The history of a game that begins with this position.
    pub fn new(key: u64) -> Self {
        let filter = BloomFilter::of(key);
        let (older, recent) = (Vec::new(), CopyVec::new((P::default(), key)));
        Self {
            start: key,
            filter,
            older,
            recent,
            cycle_length: 0,
            occurrences: 1,
            has_recurred: false,
        }
    }

    /// Reserves memory for this many quiet plies, up to a maximum, so that adding them does not
    /// allocate.
    ///
    /// # Errors
    /// If there is no memory.
    pub fn reserve(&mut self, plies: u16) -> Result<(), TryReserveError> {
        self.older.try_reserve(usize::from(plies).min(MAX_RESERVED))
    }

    /// Takes over the memory of a history that is no longer needed.
    pub fn reuse_memory(&mut self, mut old: Self) {
        old.older.clear();
        old.older.append(&mut self.older);
        self.older = old.older;
    }

    /// The plies, with the keys of the positions they led to.
    fn entries(&self) -> impl Iterator<Item = (P, u64)> {
        self.older.iter().chain(self.recent.iter()).copied()
    }

    /// Takes the plies back, the last one first. All of them, in the order in which they were played.
    pub(crate) fn unwind(&self, take_back: impl FnMut(P)) -> Vec<P> {
        let plies: Vec<P> = self.entries().map(|(ply, _)| ply).collect();
        plies.iter().rev().copied().for_each(take_back);
        plies
    }

    /// The history as plain values.
    pub(crate) fn record(&self) -> RecordedHistory
    where
        P: PlyCode,
    {
        let plies = self.entries().map(|(ply, key)| (ply.code(), key)).collect();
        RecordedHistory { start: self.start, plies }
    }

    /// Takes over a history that leads to the current position, the only one so far. Returns whether
    /// it does; nothing is changed otherwise.
    #[must_use]
    pub(crate) fn restore(&mut self, recorded: &RecordedHistory, turn: usize) -> bool
    where
        P: PlyCode,
    {
        if recorded.end() != self.start {
            return false;
        }
        self.restart(recorded.start);
        for &(code, key) in &recorded.plies {
            self.push(P::from_code(code), key, turn);
        }
        true
    }

    /// Prefetches the memory to which the next ply will move the recent plies, if it will.
    #[inline]
    pub(crate) fn prefetch(&self) {
        if self.recent.is_full() {
            simd::prefetch(&self.older[self.older.len()..]);
        }
    }

    /// Starts anew with the position of this key, which an irreversible ply led to.
    #[inline]
    pub fn restart(&mut self, key: u64) {
        self.start = key;
        self.filter = BloomFilter::of(key);
        self.older.clear();
        self.recent.clear();
        self.cycle_length = 0;
        self.occurrences = 1;
        self.has_recurred = false;
    }

    /// Adds a quiet ply and the key of the position it led to. A seat moves every `turn` plies, so
    /// only positions a multiple of `turn` plies back are compared.
    #[inline]
    pub fn push(&mut self, ply: P, key: u64, turn: usize) {
        if self.recent.is_full() {
            self.spill();
        }
        self.recent.push((ply, key));
        self.cycle_length = 0;
        self.occurrences = 1;
        if self.filter.add(key) {
            self.count_occurrences(key, turn);
        }
    }

    /// Moves the recent plies to the older ones.
    #[inline(never)]
    fn spill(&mut self) {
        self.older.extend_from_slice(&self.recent);
        self.recent.clear();
    }

    /// Counts the earlier occurrences of the current position, which has this key.
    #[inline(never)]
    fn count_occurrences(&mut self, key: u64, turn: usize) {
        let older = self.older.len();
        let played = older + self.recent.len();
        for back in (turn..=played).step_by(turn) {
            let earlier = match (played - back).checked_sub(1) {
                None => self.start,
                Some(ply) if ply < older => self.older[ply].1,
                Some(ply) => self.recent[ply - older].1,
            };
            if earlier == key {
                if self.cycle_length == 0 {
                    self.cycle_length = back;
                }
                self.occurrences = self.occurrences.saturating_add(1);
                self.has_recurred = true;
            }
        }
    }

    /// Number of occurrences of the current position, this one included.
    #[inline]
    pub fn occurrences(&self) -> u8 {
        self.occurrences
    }

    /// What the earlier occurrences of the current position add to a hash of it: 0 if there are none.
    ///
    /// A search must not take a position for its first occurrence: what follows the second may end the
    /// game.
    #[inline]
    pub fn recurrence_key(&self) -> u64 {
        u64::from(self.occurrences - 1).wrapping_mul(0xD1B5_4A32_D192_ED03)
    }

    /// Whether any position, the current one or an earlier one, has occurred twice.
    #[inline]
    pub fn has_recurred(&self) -> bool {
        self.has_recurred
    }

    /// The plies since the previous occurrence of the current position.
    pub fn last_cycle(&self) -> impl DoubleEndedIterator<Item = P> + '_ {
        let older = self.older.len();
        let first = older + self.recent.len() - self.cycle_length;
        let recent = &self.recent[first.saturating_sub(older)..];
        self.older[first.min(older)..].iter().chain(recent).map(|&(ply, _)| ply)
    }
}

/// The greatest [`PositionHistory::occurrences`] in a game whose positions are counted if
/// `repetition` is on, and which the third occurrence then ends.
pub(crate) const fn most_occurrences(repetition: bool) -> u8 {
    if repetition { 3 } else { 1 }
}

/// Whether every ply in the last cycle gave check: of the side that moved last, and of the other
/// side.
///
/// The length of a cycle is even and greater than 0.
pub fn perpetual_check(history: &PlyHistory) -> [bool; 2] {
    let all_check =
        |skip: usize| history.last_cycle().rev().skip(skip).step_by(2).all(QuietPly::is_check);
    [all_check(0), all_check(1)]
}

#[cfg(test)]
mod tests {
    use super::{PlyHistory, PositionHistory, QuietPly, RECENT, RecordedHistory, perpetual_check};
    use crate::board::Square;
    use crate::rng::{Rng, Stream};

    /// Occurrences and the last cycle are those of a plain list, for recent and for older plies.
    #[test]
    fn plies_are_found_among_the_recent_and_the_older() {
        let mut rng = Rng::new(1, Stream::Deal);
        let mut cycles = [0; 2];
        for round in 0..200 {
            let keys = 1 + round % 20;
            let mut history = PositionHistory::new(0);
            let mut list = vec![(0, 0)];
            for number in 0..rng.below(4 * RECENT as u32) as usize + 40 {
                // Keys that differ only in their high bits, so that the filter reports all as
                // present.
                let key = u64::from(rng.below(keys)) << 40;
                if rng.below(40) == 0 {
                    history.restart(key);
                    list = vec![(0, key)];
                } else {
                    history.push(number, key, 2);
                    list.push((number, key));
                }
                let earlier: Vec<usize> = (0..list.len() - 1)
                    .rev()
                    .skip(1)
                    .step_by(2)
                    .filter(|&place| list[place].1 == key)
                    .collect();
                assert_eq!(usize::from(history.occurrences()), 1 + earlier.len());
                let recurs = |last: usize| {
                    let earlier = (0..last).rev().skip(1).step_by(2);
                    earlier.into_iter().any(|place| list[place].1 == list[last].1)
                };
                assert_eq!(history.has_recurred(), (0..list.len()).any(recurs));
                let cycle: Vec<usize> = history.last_cycle().collect();
                let begin = earlier.first().map_or(list.len(), |&place| place + 1);
                assert!(cycle.iter().eq(list[begin..].iter().map(|(ply, _)| ply)));
                assert!(history.last_cycle().rev().eq(cycle.iter().rev().copied()));
                cycles[usize::from(cycle.len() > RECENT)] += 1;
            }
        }
        assert!(cycles[0] > 1000 && cycles[1] > 1000, "{cycles:?}");
    }

    #[test]
    fn positions_recur_with_the_same_seat_to_move() {
        let mut history = PositionHistory::new(10);
        for key in [11, 12, 10, 11] {
            history.push((), key, 3);
        }
        assert_eq!(history.occurrences(), 2);
        history.push((), 10, 3);
        assert_eq!(
            history.occurrences(),
            1,
            "with three seats, another seat is to move two plies later"
        );
    }

    #[test]
    fn a_recorded_history_goes_on_as_the_one_that_was_recorded() {
        let square = Square::new(3);
        let mut history = PlyHistory::new(10);
        for key in [11, 12, 13, 10].repeat(4).into_iter().take(14) {
            history.push(QuietPly::new(square, square, key == 11), key, 2);
        }
        let recorded = history.record();
        let read = RecordedHistory::from_bytes(&recorded.to_bytes()).expect("they were written");
        assert_eq!((&read, read.plies()), (&recorded, 14));
        let mut restored = PlyHistory::new(12);
        assert!(restored.restore(&read, 2));
        assert_eq!(restored.occurrences(), 4);
        assert!(restored.last_cycle().eq(history.last_cycle()));
        for key in [13, 10] {
            history.push(QuietPly::new(square, square, false), key, 2);
            restored.push(QuietPly::new(square, square, false), key, 2);
            assert_eq!(restored.occurrences(), history.occurrences());
        }
        let mut elsewhere = PlyHistory::new(13);
        assert!(!elsewhere.restore(&read, 2), "it leads to another position");
        assert_eq!(elsewhere, PlyHistory::new(13));
        for length in [0, 7, 9, 17, 19] {
            assert_eq!(RecordedHistory::from_bytes(&vec![0; length]), None, "{length} bytes");
        }
    }

    #[test]
    fn third_occurrence_and_its_cycle() {
        let square = Square::new(0);
        let mut history = PlyHistory::new(10);
        // Positions 10 11 12 13 | 10 11 12 13 | 10; seat 1 gives check with every ply.
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
