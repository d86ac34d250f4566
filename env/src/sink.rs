//! Where the bytes of a row go.

use crate::simd;

/// Takes the bytes of a row, from the first to the last.
pub(crate) trait Sink {
    /// The next `count` bytes are 1 for a member of a set, and 0 for any other number. The set has
    /// no greater members, and a word more than it needs.
    fn bits(&mut self, set: &[u64], count: usize);

    /// The next `count` bytes are what `write` makes of them: it must write all, whatever they are.
    fn bytes(&mut self, count: usize, write: impl FnOnce(&mut [u8]));
}

/// Writes bytes where they belong.
pub(crate) struct InPlace<'a>(pub(crate) &'a mut [u8]);

impl<'a> InPlace<'a> {
    /// The place of the next bytes.
    ///
    /// # Panics
    /// If there is no room for so many.
    #[inline]
    pub(crate) fn next(&mut self, count: usize) -> &'a mut [u8] {
        self.0.split_off_mut(..count).expect("a row is as long as its format says")
    }
}

impl Sink for InPlace<'_> {
    #[inline]
    fn bits(&mut self, set: &[u64], count: usize) {
        simd::expand(set, self.next(count));
    }

    #[inline]
    fn bytes(&mut self, count: usize, write: impl FnOnce(&mut [u8])) {
        write(self.next(count));
    }
}
