//! A transposition table: what a search found in positions that it may meet again (Zobrist, 1970).

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::sync::{Arc, OnceLock};

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

impl Slot {
    /// Whether it has an entry for a key with this check.
    fn is_of(self, check: u32) -> bool {
        self.check == check && self.stamp & 3 != 0
    }
}

/// Slots that share a line of the cache. A position may be in any of them.
///
/// Threads read and write them without a lock. The check is stored mixed with the rest, so that a slot
/// that two threads wrote at once fits no key (Hyatt and Mann, "A Lock-less Transposition Table
/// Implementation for Parallel Search Chess Engines", ICGA Journal 25, 2002).
#[derive(Debug, Default)]
#[repr(align(64))]
struct Cluster {
    entries: [AtomicU64; SLOTS],
    checks: [AtomicU32; SLOTS],
}

/// Slots of a cluster.
const SLOTS: usize = 5;

impl Cluster {
    #[inline]
    fn slot(&self, number: usize) -> Slot {
        let entry = self.entries[number].load(Relaxed);
        let check = self.checks[number].load(Relaxed) ^ Self::mixed(entry);
        Slot {
            check,
            value: f32::from_bits(entry as u32),
            best: Action((entry >> 32) as u16),
            depth: (entry >> 48) as u8,
            stamp: (entry >> 56) as u8,
        }
    }

    #[inline]
    fn set(&self, number: usize, Slot { check, value, best, depth, stamp }: Slot) {
        let entry = u64::from(value.to_bits())
            | u64::from(best.0) << 32
            | u64::from(depth) << 48
            | u64::from(stamp) << 56;
        self.entries[number].store(entry, Relaxed);
        self.checks[number].store(check ^ Self::mixed(entry), Relaxed);
    }

    const fn mixed(entry: u64) -> u32 {
        entry as u32 ^ (entry >> 32) as u32
    }

    #[inline]
    fn slots(&self) -> impl Iterator<Item = Slot> + '_ {
        (0..SLOTS).map(|number| self.slot(number))
    }
}

/// Number of ages that a stamp can tell apart.
const AGES: u8 = 64;

/// How many layers deeper an entry must be to survive one that is an age younger.
const DEPTH_OF_AGE: i32 = 4;

/// Entries by key. Clones share them.
///
/// Clearing the table takes longer than many searches do. Instead each search has an age, and finds
/// entries of other ages only if it is told to.
#[derive(Clone, Debug)]
pub(super) struct TranspositionTable {
    /// Made at the first entry: not every search needs the memory. None if there is not so much.
    clusters: Arc<OnceLock<Option<Vec<Cluster>>>>,
    mebibytes: u32,
    age: u8,
    finds_older: bool,
}

impl TranspositionTable {
    /// A table of this size.
    pub(super) fn new(mebibytes: u32) -> Self {
        Self { clusters: Arc::default(), mebibytes, age: 0, finds_older: false }
    }

    /// The size in MiB.
    pub(super) const fn mebibytes(&self) -> u32 {
        self.mebibytes
    }

    /// Whether there was no memory for it, so that it holds nothing.
    pub(super) fn has_failed(&self) -> bool {
        matches!(self.clusters.get(), Some(None))
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
    pub(super) const fn age(&mut self) {
        self.finds_older = true;
        self.age = (self.age + 1) % AGES;
    }

    /// Forgets all entries.
    pub(super) fn clear(&mut self) {
        for cluster in self.clusters.get().into_iter().flatten().flatten() {
            cluster.entries.iter().for_each(|entry| entry.store(0, Relaxed));
        }
        self.age = 0;
    }

    /// The cluster of a key among this many, by its high bits, and the check by its low ones.
    #[inline]
    fn place(key: u64, clusters: usize) -> (usize, u32) {
        (((u128::from(key) * clusters as u128) >> 64) as usize, key as u32)
    }

    /// The entry of the position with this key.
    #[inline]
    pub(super) fn get(&self, key: u64) -> Option<Entry> {
        let clusters = self.clusters.get()?.as_ref()?;
        let (place, check) = Self::place(key, clusters.len());
        let slot = clusters[place]
            .slots()
            .find(|slot| slot.is_of(check) && (self.finds_older || slot.stamp >> 2 == self.age))?;
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
    pub(super) fn put(&self, key: u64, entry: Entry) {
        let Some(clusters) = self.clusters.get_or_init(|| clusters(self.mebibytes)) else { return };
        let (place, check) = Self::place(key, clusters.len());
        let cluster = &clusters[place];
        let age = self.age;
        let worth = |slot: Slot| {
            let years = (age + AGES - (slot.stamp >> 2)) % AGES;
            match slot.stamp & 3 {
                0 => i32::MIN,
                _ => i32::from(slot.depth) - DEPTH_OF_AGE * i32::from(years),
            }
        };
        let known = cluster.slots().position(|slot| slot.is_of(check));
        let place = known.unwrap_or_else(|| {
            (1..SLOTS).fold(0, |cheapest, other| {
                let is_cheaper = worth(cluster.slot(other)) < worth(cluster.slot(cheapest));
                if is_cheaper { other } else { cheapest }
            })
        });
        let Entry { value, best, depth, bound } = entry;
        cluster.set(place, Slot { check, value, best, depth, stamp: age << 2 | bound as u8 });
    }
}

/// Empty clusters of this size together; None if there is no memory for them.
fn clusters(mebibytes: u32) -> Option<Vec<Cluster>> {
    let bytes = usize::try_from(u64::from(mebibytes) << 20).ok()?;
    let count = bytes / size_of::<Cluster>();
    let mut clusters = Vec::new();
    clusters.try_reserve_exact(count).ok()?;
    clusters.resize_with(count, Cluster::default);
    Some(clusters)
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
    fn a_table_beyond_the_memory_holds_nothing() {
        // 4 PiB, more than a process can address.
        let mut table = TranspositionTable::new(u32::MAX);
        table.put(5, ENTRY);
        assert!(table.has_failed());
        assert_eq!(found(&table, 5), None);
        table.clear();
        assert!(!TranspositionTable::new(1).has_failed());
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
