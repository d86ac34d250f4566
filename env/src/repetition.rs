//! Repeated positions, and who forced them: RULES.md section 7 and 9.8.

use crate::square::Square;

/// Plies for which room is made beforehand at the most.
const MAX_ROOM: usize = 512;

/// A ply that can be taken back: neither a capture nor a reveal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QuietPly {
    /// Where the piece came from.
    pub from: Square,
    /// Where it went.
    pub to: Square,
    /// Whether it gave check.
    pub check: bool,
    /// Key of the position it led to.
    key: u64,
}

/// The positions since the last irreversible ply. Only they can recur.
///
/// Keys hash the public board and the player to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct History {
    start: u64,
    plies: Vec<QuietPly>,
    /// Plies after the previous occurrence of the current position, 0 where there is none.
    cycle: usize,
    occurrences: u8,
}

impl History {
    /// A history that begins with this position.
    pub fn new(key: u64) -> Self {
        Self { start: key, plies: Vec::new(), cycle: 0, occurrences: 1 }
    }

    /// Makes room for this many quiet plies, within reason, so that adding them allocates nothing.
    pub fn reserve(&mut self, plies: u16) {
        self.plies.reserve(usize::from(plies).min(MAX_ROOM));
    }

    /// Moves this history into the memory of one that is no longer needed.
    pub fn store_in(&mut self, mut old: Self) {
        old.plies.clear();
        old.plies.append(&mut self.plies);
        self.plies = old.plies;
    }

    /// Forgets everything: the position with this key came about by an irreversible ply.
    #[inline]
    pub fn restart(&mut self, key: u64) {
        self.start = key;
        self.plies.clear();
        self.cycle = 0;
        self.occurrences = 1;
    }

    /// Adds a quiet ply and the position it led to.
    #[inline]
    pub fn push(&mut self, from: Square, to: Square, check: bool, key: u64) {
        self.plies.push(QuietPly { from, to, check, key });
        let played = self.plies.len();
        self.cycle = 0;
        self.occurrences = 1;
        // The same player is to move after every second ply only.
        for back in (2..=played).step_by(2) {
            let earlier =
                if back == played { self.start } else { self.plies[played - back - 1].key };
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
    pub fn cycle(&self) -> &[QuietPly] {
        &self.plies[self.plies.len() - self.cycle..]
    }
}

/// Whether every ply in the cycle of the side that moved last, and of the other side, gave check.
///
/// The length of a cycle is even and greater than 0.
pub fn perpetual_check(cycle: &[QuietPly]) -> [bool; 2] {
    let all_check =
        |skip: usize| cycle.iter().rev().skip(skip).step_by(2).all(|ply: &QuietPly| ply.check);
    [all_check(0), all_check(1)]
}

#[cfg(test)]
mod tests {
    use super::{History, perpetual_check};
    use crate::square::Square;

    #[test]
    fn third_occurrence_and_its_cycle() {
        let square = Square::new(0);
        let mut history = History::new(10);
        // Positions 10 11 12 13 | 10 11 12 13 | 10, the second player checking throughout.
        for (number, key) in [11, 12, 13, 10, 11, 12, 13, 10].into_iter().enumerate() {
            history.push(square, square, number % 2 == 1, key);
        }
        assert_eq!(history.occurrences(), 3);
        assert_eq!(history.cycle().len(), 4);
        assert_eq!(perpetual_check(history.cycle()), [true, false]);
        history.restart(10);
        assert_eq!(history.occurrences(), 1);
    }
}
