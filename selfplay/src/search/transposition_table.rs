//! A transposition table: what a search found in positions that it may meet again (Zobrist, 1970).

use darkqi_env::Action;

/// Number of entries; a power of two.
const ENTRIES: usize = 1 << 17;

/// How a value relates to the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bound {
    Exact,
    /// The true value is this or higher.
    Lower,
    /// The true value is this or lower.
    Upper,
}

/// What the search found in a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    key: u64,
    pub(super) value: f32,
    /// The action that led to the value.
    pub(super) best: Action,
    pub(super) depth: u8,
    pub(super) bound: Bound,
}

/// Entries by key. A later entry always replaces an earlier one.
///
/// Nothing is cleared between searches: that would take longer than many searches do. Each search
/// salts its keys instead, so that it finds no entry of another.
#[derive(Debug)]
pub(super) struct TranspositionTable {
    /// Empty until the first entry: not every search needs the memory.
    entries: Vec<Entry>,
    salt: u64,
}

impl TranspositionTable {
    pub(super) const fn new() -> Self {
        Self { entries: Vec::new(), salt: 0 }
    }

    /// Forgets all entries.
    pub(super) fn restart(&mut self) {
        // An odd increment: no salt repeats within 2^64 searches.
        self.salt = self.salt.wrapping_add(0x9E37_79B9_7F4A_7C15);
    }

    #[inline]
    fn slot(&self, fingerprint: u64) -> (usize, u64) {
        (fingerprint as usize & (ENTRIES - 1), fingerprint ^ self.salt)
    }

    /// The entry of the position with this fingerprint.
    #[inline]
    pub(super) fn get(&self, fingerprint: u64) -> Option<Entry> {
        let (slot, key) = self.slot(fingerprint);
        self.entries.get(slot).copied().filter(|entry| entry.key == key)
    }

    /// Enters what the search found.
    #[inline]
    pub(super) fn put(
        &mut self,
        fingerprint: u64,
        depth: u8,
        best: Action,
        value: f32,
        bound: Bound,
    ) {
        const NOTHING: Entry =
            Entry { key: 0, value: 0.0, best: Action(0), depth: 0, bound: Bound::Upper };
        let (slot, key) = self.slot(fingerprint);
        if self.entries.is_empty() {
            self.entries.resize(ENTRIES, NOTHING);
        }
        self.entries[slot] = Entry { key, value, best, depth, bound };
    }
}

#[cfg(test)]
mod tests {
    use darkqi_env::Action;

    use super::{Bound, TranspositionTable};

    #[test]
    fn entries_are_forgotten_between_searches() {
        let mut table = TranspositionTable::new();
        table.restart();
        assert!(table.get(5).is_none());
        table.put(5, 2, Action(7), 0.5, Bound::Exact);
        let entry = table.get(5).expect("it was just entered");
        assert_eq!((entry.best, entry.depth, entry.value), (Action(7), 2, 0.5));
        table.restart();
        assert!(table.get(5).is_none());
    }
}
