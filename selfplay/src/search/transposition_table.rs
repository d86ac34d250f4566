//! A transposition table: what a search found in positions that it may meet again (Zobrist, 1970).

use darkqi_env::Action;

/// How a value relates to the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bound {
    /// The true value is this or lower.
    Upper = 1,
    /// The true value is this or higher.
    Lower = 2,
    Exact = 3,
}

/// What the search found in a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) value: f32,
    /// The action that led to the value.
    pub(super) best: Action,
    pub(super) depth: u8,
    pub(super) bound: Bound,
}

/// An entry as it is stored.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// Bits of the key that do not choose the cluster.
    check: u32,
    value: f32,
    best: Action,
    depth: u8,
    /// The bound in two bits, 0 for an empty slot; above them the age when it was written.
    stamp: u8,
}

/// Slots that share a line of the cache. A position may be in any of them.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Cluster([Slot; 5]);

const EMPTY: Cluster =
    Cluster([Slot { check: 0, value: 0.0, best: Action(0), depth: 0, stamp: 0 }; 5]);

/// Number of ages that a stamp can tell apart.
const AGES: u8 = 64;

/// How many layers deeper an entry must be to survive one that is an age younger.
const DEPTH_OF_AGE: i32 = 4;

/// Entries by key.
///
/// Clearing the table takes longer than many searches do. Instead each search has an age, and finds
/// entries of other ages only if it is told to.
#[derive(Debug)]
pub(super) struct TranspositionTable {
    /// Empty until the first entry: not every search needs the memory.
    clusters: Vec<Cluster>,
    mebibytes: u32,
    age: u8,
    finds_older: bool,
}

impl TranspositionTable {
    /// A table of this size.
    pub(super) const fn new(mebibytes: u32) -> Self {
        Self { clusters: Vec::new(), mebibytes, age: 0, finds_older: false }
    }

    /// The size in MiB.
    pub(super) const fn mebibytes(&self) -> u32 {
        self.mebibytes
    }

    /// Begins a search that finds no entry of an earlier one.
    pub(super) fn restart(&mut self) {
        self.finds_older = false;
        self.age += 1;
        if self.age == AGES {
            self.clear();
        }
    }

    /// Begins a search that finds the entries of earlier ones, and prefers its own.
    pub(super) fn age(&mut self) {
        self.finds_older = true;
        self.age = (self.age + 1) % AGES;
    }

    /// Forgets all entries.
    pub(super) fn clear(&mut self) {
        self.clusters.fill(EMPTY);
        self.age = 0;
    }

    /// The cluster of a key, by its high bits, and the check by its low ones.
    #[inline]
    fn place(&self, key: u64) -> (usize, u32) {
        (((u128::from(key) * self.clusters.len() as u128) >> 64) as usize, key as u32)
    }

    /// The entry of the position with this key.
    #[inline]
    pub(super) fn get(&self, key: u64) -> Option<Entry> {
        let (place, check) = self.place(key);
        let is_it = |slot: &&Slot| {
            slot.check == check
                && slot.stamp & 3 != 0
                && (self.finds_older || slot.stamp >> 2 == self.age)
        };
        let slot = self.clusters.get(place)?.0.iter().find(is_it)?;
        let bound = match slot.stamp & 3 {
            1 => Bound::Upper,
            2 => Bound::Lower,
            _ => Bound::Exact,
        };
        Some(Entry { value: slot.value, best: slot.best, depth: slot.depth, bound })
    }

    /// Enters what the search found: over what it knew of the position, or else over the shallowest
    /// entry of the cluster, the older the sooner.
    #[inline]
    pub(super) fn put(&mut self, key: u64, entry: Entry) {
        if self.clusters.is_empty() {
            let size = size_of::<Cluster>() as u64;
            let count = (u64::from(self.mebibytes) << 20) / size;
            self.clusters.resize(count as usize, EMPTY);
        }
        let (place, check) = self.place(key);
        let age = self.age;
        let slots = &mut self.clusters[place].0;
        let worth = |slot: &Slot| {
            let years = (age + AGES - (slot.stamp >> 2)) % AGES;
            match slot.stamp & 3 {
                0 => i32::MIN,
                _ => i32::from(slot.depth) - DEPTH_OF_AGE * i32::from(years),
            }
        };
        let known = slots.iter().position(|slot| slot.stamp & 3 != 0 && slot.check == check);
        let place = known.unwrap_or_else(|| {
            (1..slots.len()).fold(0, |cheapest, other| {
                if worth(&slots[other]) < worth(&slots[cheapest]) { other } else { cheapest }
            })
        });
        let Entry { value, best, depth, bound } = entry;
        slots[place] = Slot { check, value, best, depth, stamp: age << 2 | bound as u8 };
    }
}

#[cfg(test)]
mod tests {
    use darkqi_env::Action;

    use super::{AGES, Bound, Entry, TranspositionTable};

    const ENTRY: Entry = Entry { value: 0.5, best: Action(7), depth: 2, bound: Bound::Exact };

    fn found(table: &TranspositionTable, key: u64) -> Option<(Action, u8, f32)> {
        table.get(key).map(|entry| (entry.best, entry.depth, entry.value))
    }

    #[test]
    fn entries_are_forgotten_between_searches() {
        let mut table = TranspositionTable::new(1);
        for _ in 0..2 * AGES {
            table.restart();
            assert_eq!(found(&table, 5), None);
            table.put(5, ENTRY);
            assert_eq!(found(&table, 5), Some((Action(7), 2, 0.5)));
        }
    }

    #[test]
    fn kept_entries_give_way_to_deeper_and_younger_ones() {
        let mut table = TranspositionTable::new(1);
        table.age();
        // All in one cluster.
        for key in 1..=5 {
            table.put(key, Entry { depth: 10 + key as u8, ..ENTRY });
        }
        table.put(6, ENTRY);
        assert_eq!((found(&table, 1), found(&table, 6).is_some()), (None, true));
        for _ in 0..4 {
            table.age();
        }
        table.put(7, ENTRY);
        assert_eq!((found(&table, 6), found(&table, 7).is_some()), (None, true));
        assert!((2..=5).all(|key| found(&table, key).is_some()));
        table.clear();
        assert!((1..=7).all(|key| found(&table, key).is_none()));
    }
}
