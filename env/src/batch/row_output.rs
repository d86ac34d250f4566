//! Where the bytes of a row are written.

use crate::simd;

/// Takes the bytes of a row, from the first to the last.
pub(super) trait RowOutput {
    /// Writes `count` bytes: 1 for a member of `set`, 0 for any other number. `set` has no member
    /// from `count` on, and one word more than it needs.
    fn bits(&mut self, set: &[u64], count: usize);

    /// Lets `write` fill the next `count` bytes. It must write all of them: they may hold anything.
    fn bytes(&mut self, count: usize, write: impl FnOnce(&mut [u8]));
}

/// Writes directly into the rows.
pub(super) struct InPlace<'a>(pub(super) &'a mut [u8]);

impl<'a> InPlace<'a> {
    /// The next bytes.
    ///
    /// # Panics
    /// If fewer than `count` are left.
    #[inline]
    pub(super) fn next(&mut self, count: usize) -> &'a mut [u8] {
        self.0.split_off_mut(..count).expect("a row is as long as its format says")
    }
}

impl RowOutput for InPlace<'_> {
    #[inline]
    fn bits(&mut self, set: &[u64], count: usize) {
        simd::bits_to_bytes(set, self.next(count));
    }

    #[inline]
    fn bytes(&mut self, count: usize, write: impl FnOnce(&mut [u8])) {
        write(self.next(count));
    }
}
