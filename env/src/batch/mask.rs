//! Sets of legal actions: bits inside, bits or bytes outside.

use crate::action::Action;
use crate::rng::Rng;

/// How masks are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MaskFormat {
    /// One byte per action, 0 or 1.
    #[default]
    Bool,
    /// One bit per action, the lowest bit of the first byte for action 0.
    Bits,
}

impl MaskFormat {
    /// Bytes of the mask of this many actions.
    pub const fn len(self, actions: usize) -> usize {
        match self {
            Self::Bool => actions,
            Self::Bits => actions.div_ceil(8),
        }
    }
}

/// A set of actions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mask {
    words: Box<[u64]>,
    count: u32,
}

impl Mask {
    /// The empty set, with room for this many actions.
    pub fn new(actions: usize) -> Self {
        Self { words: vec![0; actions.div_ceil(64)].into(), count: 0 }
    }

    /// Removes all actions.
    #[inline]
    pub fn clear(&mut self) {
        self.words.fill(0);
        self.count = 0;
    }

    /// Adds an action that is not in the set.
    #[inline]
    pub fn insert(&mut self, action: Action) {
        self.words[action.index() / 64] |= 1 << (action.index() % 64);
        self.count += 1;
    }

    /// Whether the action with this index, of any size, is in the set.
    #[inline]
    pub fn contains(&self, index: usize) -> bool {
        self.words.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    /// Whether the set has no action.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// A uniformly random action of the set, which must not be empty.
    #[inline]
    pub fn sample(&self, rng: &mut Rng) -> Action {
        let mut rank = rng.below(self.count);
        for (number, &word) in self.words.iter().enumerate() {
            let here = word.count_ones();
            if rank < here {
                let mut rest = word;
                for _ in 0..rank {
                    rest &= rest - 1;
                }
                return Action((number * 64) as u16 + rest.trailing_zeros() as u16);
            }
            rank -= here;
        }
        unreachable!("the rank lies below the count")
    }

    /// Writes the set over `row`, which has the format's length.
    #[inline]
    pub fn write(&self, format: MaskFormat, row: &mut [u8]) {
        match format {
            MaskFormat::Bits => {
                for (out, word) in row.chunks_mut(8).zip(&self.words) {
                    out.copy_from_slice(&word.to_le_bytes()[..out.len()]);
                }
            }
            MaskFormat::Bool => {
                let (wholes, rest) = row.as_chunks_mut::<64>();
                let mut words = self.words.iter();
                for (out, &word) in wholes.iter_mut().zip(&mut words) {
                    write_bools(word, out);
                }
                if let Some(&word) = words.next() {
                    let mut last = [0; 64];
                    write_bools(word, &mut last);
                    rest.copy_from_slice(&last[..rest.len()]);
                }
            }
        }
    }
}

/// Writes the bits of a word as bytes of 0 or 1, the lowest bit first.
#[inline]
fn write_bools(word: u64, out: &mut [u8; 64]) {
    // Most words of a position's mask are empty.
    if word == 0 {
        *out = [0; 64];
        return;
    }
    for (eight, byte) in out.as_chunks_mut::<8>().0.iter_mut().zip(word.to_le_bytes()) {
        *eight = spread(byte);
    }
}

/// The bits of a byte as eight bytes of 0 or 1, the lowest bit first.
#[inline]
fn spread(byte: u8) -> [u8; 8] {
    // Copy the byte into each of eight, keep bit i in byte i, and carry it to the top bit, from
    // where it is shifted down. No byte overflows: at most 0x80 + 0x7F.
    let kept = (u64::from(byte) * 0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
    let ones = ((kept + 0x7F7F_7F7F_7F7F_7F7F) >> 7) & 0x0101_0101_0101_0101;
    ones.to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::{Mask, MaskFormat, spread};
    use crate::action::Action;
    use crate::rng::{Rng, Stream};

    #[test]
    fn bytes_spread_into_bits() {
        for byte in 0..=255_u8 {
            let expected: [u8; 8] = std::array::from_fn(|bit| byte >> bit & 1);
            assert_eq!(spread(byte), expected);
        }
    }

    #[test]
    fn both_formats_hold_the_set() {
        for actions in [1, 7, 8, 63, 64, 65, 130] {
            let mut mask = Mask::new(actions);
            let chosen: Vec<usize> = (0..actions).filter(|index| index % 3 != 1).collect();
            chosen.iter().for_each(|&index| mask.insert(Action(index as u16)));
            let mut bools = vec![9; MaskFormat::Bool.len(actions)];
            mask.write(MaskFormat::Bool, &mut bools);
            let mut bits = vec![0; MaskFormat::Bits.len(actions)];
            mask.write(MaskFormat::Bits, &mut bits);
            for index in 0..actions {
                let inside = chosen.contains(&index);
                assert_eq!(mask.contains(index), inside);
                assert_eq!(bools[index], u8::from(inside));
                assert_eq!(bits[index / 8] >> (index % 8) & 1, u8::from(inside));
            }
            assert!(!mask.contains(actions + 1000));
        }
    }

    #[test]
    fn samples_are_uniform() {
        let mut mask = Mask::new(200);
        for index in [0, 63, 64, 199] {
            mask.insert(Action(index));
        }
        let mut rng = Rng::new(1, Stream::Sample);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..40_000 {
            *counts.entry(mask.sample(&mut rng).0).or_insert(0_u32) += 1;
        }
        assert_eq!(counts.keys().copied().collect::<Vec<_>>(), [0, 63, 64, 199]);
        // Each count has standard deviation 87; five of them are 435.
        assert!(counts.values().all(|count| count.abs_diff(10_000) < 435), "{counts:?}");
    }
}
