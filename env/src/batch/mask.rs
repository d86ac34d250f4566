//! Sets of actions: kept as bits, written as bits or bytes.

use std::collections::TryReserveError;

use super::row_writer::RowOutput;
use crate::board::{Action, ActionBits};
use crate::simd;

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
}

impl Mask {
    /// The empty set, with room for this many actions.
    ///
    /// # Errors
    /// If there is no memory.
    pub fn new(actions: usize) -> Result<Self, TryReserveError> {
        // One more word than needed: `ActionBits` may reach into the word after its first.
        let count = actions.div_ceil(64) + 1;
        let mut words = Vec::new();
        words.try_reserve_exact(count)?;
        words.resize(count, 0);
        Ok(Self { words: words.into() })
    }

    /// Removes all actions.
    #[inline]
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Adds actions that are not in the set.
    #[inline]
    pub fn insert(&mut self, run: ActionBits) {
        let (word, shift) = (run.first.index() / 64, run.first.index() % 64);
        self.words[word] |= run.bits << shift;
        // In two steps: a shift by 64 would overflow.
        self.words[word + 1] |= run.bits >> 1 >> (63 - shift);
    }

    /// Whether the action with this index, of any size, is in the set.
    #[inline]
    pub fn contains(&self, index: usize) -> bool {
        self.words.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    /// The actions, ascending.
    pub fn actions(&self) -> impl Iterator<Item = Action> {
        (0..).zip(&self.words).flat_map(|(word, &bits)| {
            let next = |&rest: &u64| Some(rest & (rest - 1)).filter(|&rest| rest > 0);
            let rests = std::iter::successors(Some(bits).filter(|&bits| bits > 0), next);
            rests.map(move |rest| Action(64 * word + rest.trailing_zeros() as u16))
        })
    }

    /// Whether the set has no action.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// How many actions the set has.
    #[inline]
    pub fn count(&self) -> u32 {
        simd::count_ones(&self.words)
    }

    /// Prefetches the set.
    #[inline]
    pub(crate) fn prefetch(&self) {
        simd::prefetch(&*self.words);
    }

    /// The action of the set that has `rank` others below it (select); none if the set is smaller.
    #[inline]
    pub fn nth(&self, rank: u32) -> Option<Action> {
        simd::select(&self.words, rank).map(|action| Action(action as u16))
    }

    /// Writes the set over `row`, which has the format's length.
    #[inline]
    pub fn write(&self, format: MaskFormat, row: &mut [u8]) {
        match format {
            MaskFormat::Bits => {
                let (wholes, rest) = row.as_chunks_mut::<8>();
                let (words, others) = self.words.split_at(wholes.len());
                // The compiler makes one copy of this.
                wholes.iter_mut().zip(words).for_each(|(out, word)| *out = word.to_le_bytes());
                if let Some(last) = others.first() {
                    rest.copy_from_slice(&last.to_le_bytes()[..rest.len()]);
                }
            }
            MaskFormat::Bool => simd::bits_to_bytes(&self.words, row),
        }
    }

    /// Writes the set, whose actions are numbered below `actions`.
    #[inline]
    pub(super) fn write_to(&self, format: MaskFormat, actions: usize, out: &mut impl RowOutput) {
        match format {
            MaskFormat::Bits => out.bytes(format.len(actions), |row| self.write(format, row)),
            MaskFormat::Bool => out.bits(&self.words, actions),
        }
    }
}
