//! A transposition table: what a search found in positions that it may meet again (Zobrist, 1970).

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, OnceLock};

use bytemuck::allocation::try_zeroed_vec;
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

/// The result of the search in a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) value: f32,
    /// The action that led to the value.
    pub(super) best: Action,
    pub(super) depth: u8,
    pub(super) bound: Bound,
}

/// An entry as it is stored.
#[derive(Clone, Copy, PartialEq, Debug)]
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

/// Bytes of a line of the cache.
const LINE: usize = 64;

/// Words of a line.
const WORDS: usize = LINE / size_of::<AtomicU64>();

/// Slots of a cluster: a word each, and half a word for the check.
const SLOTS: usize = 5;

/// Slots that share a line of the cache. A position may be in any of them. The line has the entries, and
/// after them the checks, two in a word.
///
/// Threads read and write them without a lock. The check is stored mixed with the rest, so that a slot
/// that two threads wrote at once, or whose check was lost to one beside it, fits no key (Hyatt and
/// Mann, "A Lock-less Transposition Table Implementation for Parallel Search Chess Engines", ICGA
/// Journal 25, 2002).
#[derive(Clone, Copy)]
struct Cluster<'a>(&'a [AtomicU64; WORDS]);

impl<'a> Cluster<'a> {
    /// The word that has the check of a slot, and how many bits are below it there.
    #[inline]
    fn check(self, number: usize) -> (&'a AtomicU64, u32) {
        (&self.0[SLOTS + number / 2], 32 * (number as u32 % 2))
    }

    #[inline]
    fn slot(self, number: usize) -> Slot {
        let entry = self.0[number].load(Relaxed);
        let (word, below) = self.check(number);
        let check = (word.load(Relaxed) >> below) as u32 ^ Self::mixed(entry);
        Slot {
            check,
            value: f32::from_bits(entry as u32),
            best: Action((entry >> 32) as u16),
            depth: (entry >> 48) as u8,
            stamp: (entry >> 56) as u8,
        }
    }

    #[inline]
    fn set(self, number: usize, Slot { check, value, best, depth, stamp }: Slot) {
        let entry = u64::from(value.to_bits())
            | u64::from(best.0) << 32
            | u64::from(depth) << 48
            | u64::from(stamp) << 56;
        self.0[number].store(entry, Relaxed);
        let (word, below) = self.check(number);
        let others = word.load(Relaxed) & !(u64::from(u32::MAX) << below);
        word.store(others | u64::from(check ^ Self::mixed(entry)) << below, Relaxed);
    }

    const fn mixed(entry: u64) -> u32 {
        entry as u32 ^ (entry >> 32) as u32
    }

    #[inline]
    fn slots(self) -> impl Iterator<Item = Slot> + 'a {
        (0..SLOTS).map(move |number| self.slot(number))
    }
}

/// All clusters of a table.
#[derive(Debug)]
struct Clusters {
    words: Vec<AtomicU64>,
    /// Words before the first whole line.
    before: usize,
    count: usize,
}

impl Clusters {
    /// Empty clusters of this size together; None if there is no memory for them.
    ///
    /// The system gives the pages as they are first written: to write all of a large table takes longer
    /// than a search may.
    fn new(mebibytes: u32) -> Option<Self> {
        let bytes = usize::try_from(u64::from(mebibytes) << 20).ok()?;
        let count = bytes / LINE;
        // Memory that is aligned to lines would be written at once.
        let words: Vec<AtomicU64> = try_zeroed_vec((count + 1).checked_mul(WORDS)?).ok()?;
        let before = words.as_ptr().addr().wrapping_neg() % LINE / size_of::<AtomicU64>();
        Some(Self { words, before, count })
    }

    /// The cluster of a key, by its high bits, and the check by its low ones.
    #[inline]
    fn of(&self, key: u64) -> (Cluster<'_>, u32) {
        let place = ((u128::from(key) * self.count as u128) >> 64) as usize;
        let (lines, _) = self.words[self.before..].as_chunks();
        (Cluster(&lines[place]), key as u32)
    }
}

/// Number of ages that a stamp can tell apart.
const AGES: u8 = 64;

/// How many layers deeper an entry must be to survive one that is an age younger.
const DEPTH_OF_AGE: i32 = 4;

/// Entries by key. Clones share them.
///
/// Clearing the table takes longer than many searches do. Instead each search has an age, and finds
/// entries of as many ages before it as it is told to.
#[derive(Clone, Debug)]
pub(super) struct TranspositionTable {
    /// Made at the first entry: not every search needs the memory. None if there is not so much.
    clusters: Arc<OnceLock<Option<Clusters>>>,
    mebibytes: u32,
    age: u8,
    /// How many ages before this one are found.
    found_back: u8,
    /// Whether there may be entries of ages that are no longer found.
    holds_forgotten: bool,
    /// Whether ages have begun again from 0 since the table was empty, so that an old entry may have the
    /// age of the next search.
    has_wrapped: bool,
}

impl TranspositionTable {
    /// A table of this size.
    pub(super) fn new(mebibytes: u32) -> Self {
        Self {
            clusters: Arc::default(),
            mebibytes,
            age: 0,
            found_back: 0,
            holds_forgotten: false,
            has_wrapped: false,
        }
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
        self.found_back = 0;
        self.holds_forgotten = true;
        self.age += 1;
        if self.age == AGES || self.has_wrapped {
            self.clear();
        }
    }

    /// Begins a search that finds the entries of earlier ones since the last that began anew, and prefers
    /// its own.
    pub(super) fn age(&mut self) {
        if self.age + 1 == AGES && self.holds_forgotten {
            // Ages begin again, among which are those of forgotten entries.
            return self.clear();
        }
        self.found_back = (self.found_back + 1).min(AGES - 1);
        self.age = (self.age + 1) % AGES;
        self.has_wrapped |= self.age == 0;
    }

    /// Forgets all entries, by new memory: to write all of a large table takes too long.
    fn clear(&mut self) {
        *self = Self::new(self.mebibytes);
    }

    /// The entry of the position with this key.
    #[inline]
    pub(super) fn get(&self, key: u64) -> Option<Entry> {
        let clusters = self.clusters.get()?.as_ref()?;
        let (cluster, check) = clusters.of(key);
        let is_found = |slot: &Slot| slot.is_of(check) && self.years(*slot) <= self.found_back;
        let slot = cluster.slots().find(is_found)?;
        let bound = match slot.stamp & 3 {
            1 => Bound::Upper,
            2 => Bound::Lower,
            _ => Bound::Exact,
        };
        Some(Entry { value: slot.value, best: slot.best, depth: slot.depth, bound })
    }

    /// The number of searches since an entry was made.
    #[inline]
    fn years(&self, slot: Slot) -> u8 {
        (self.age + AGES - (slot.stamp >> 2)) % AGES
    }

    /// Enters what the search found: over what it knew of the position, or else over the shallowest
    /// entry of the cluster, the older the sooner.
    #[inline]
    pub(super) fn put(&self, key: u64, entry: Entry) {
        let Some(clusters) = self.clusters.get_or_init(|| Clusters::new(self.mebibytes)) else {
            return;
        };
        let (cluster, check) = clusters.of(key);
        let age = self.age;
        let worth = |slot: Slot| match slot.stamp & 3 {
            0 => i32::MIN,
            _ => i32::from(slot.depth) - DEPTH_OF_AGE * i32::from(self.years(slot)),
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

#[cfg(test)]
mod tests {
    use darkqi_env::Action;

    use super::{AGES, Bound, Clusters, Entry, LINE, SLOTS, Slot, TranspositionTable};

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

    /// The resident size, in KiB, of the mapping that contains an address, by the kernel.
    #[cfg(all(target_os = "linux", not(miri)))]
    fn resident(address: usize) -> Option<u64> {
        let maps = std::fs::read_to_string("/proc/self/smaps").ok()?;
        let holds = |line: &&str| {
            let range = line.split(' ').next().and_then(|range| range.split_once('-'));
            let number = |text| usize::from_str_radix(text, 16);
            let range = range.and_then(|(start, end)| number(start).ok().zip(number(end).ok()));
            range.is_some_and(|(start, end)| (start..end).contains(&address))
        };
        let mut mapping = maps.lines().skip_while(|line| !holds(line));
        let line = mapping.find_map(|line| line.strip_prefix("Rss:"))?;
        line.trim().trim_end_matches(" kB").parse().ok()
    }

    #[cfg(all(target_os = "linux", not(miri)))]
    #[test]
    fn a_large_table_takes_the_memory_that_is_written() {
        let mut table = TranspositionTable::new(256);
        for _ in 0..2 {
            for key in 1..=8 {
                table.put(u64::MAX / key, ENTRY);
            }
            let clusters = table.clusters.get().and_then(Option::as_ref).expect("there is memory");
            let middle = clusters.words[clusters.words.len() / 2..].as_ptr().addr();
            let Some(resident) = resident(middle) else { return };
            // Of 256 MiB: other tests may have memory in the same mapping.
            assert!(resident < 128 << 10, "{resident} KiB");
            table.clear();
        }
    }

    #[test]
    fn clusters_are_lines_of_the_cache() {
        let clusters = Clusters::new(1).expect("there is memory");
        assert_eq!(clusters.count, 1 << 14);
        for (key, line) in [(0, 0), (1 << 63, 1 << 13), (u64::MAX, (1 << 14) - 1)] {
            let address = clusters.of(key).0.0.as_ptr().addr();
            assert_eq!(address % LINE, 0);
            assert_eq!(address - clusters.of(0).0.0.as_ptr().addr(), line * LINE);
        }
    }

    #[test]
    fn slots_of_a_cluster_are_apart() {
        let clusters = Clusters::new(1).expect("there is memory");
        let (cluster, _) = clusters.of(0);
        let slot = |number: u8| Slot {
            check: 1 << number,
            value: f32::from(number) - 2.0,
            best: Action(u16::from(number)),
            depth: number,
            stamp: 3 + (number << 2),
        };
        for round in 0..3 {
            for number in 0..SLOTS as u8 {
                cluster.set(usize::from(number), slot(number + round));
            }
            assert!(cluster.slots().eq((0..SLOTS as u8).map(|number| slot(number + round))));
        }
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
    fn kept_entries_are_forgotten_by_the_next_search_that_begins_anew() {
        for kept in 0..3 * AGES {
            let mut table = TranspositionTable::new(1);
            table.age();
            table.put(5, ENTRY);
            (0..kept).for_each(|_| table.age());
            assert!(found(&table, 5).is_some());
            for _ in 0..AGES {
                table.restart();
                assert_eq!(found(&table, 5), None, "{kept}");
            }
        }
    }

    #[test]
    fn what_a_search_that_begins_anew_forgets_stays_forgotten() {
        for searches in 1..2 * AGES {
            let mut table = TranspositionTable::new(1);
            table.put(5, ENTRY);
            table.restart();
            table.put(7, ENTRY);
            for _ in 0..searches {
                table.age();
                assert_eq!(found(&table, 5), None, "{searches}");
            }
            assert_eq!(found(&table, 7).is_some(), searches < AGES - 1, "{searches}");
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
