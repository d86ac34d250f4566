//! Cache lines, which non-temporal stores write as a whole.

/// Bytes of a cache line.
pub(crate) const LINE: usize = 64;

/// A cache line.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct Line(pub(super) [u8; LINE]);

/// These bytes as cache lines.
///
/// # Panics
/// If they do not begin and end between two lines.
#[inline]
pub(crate) fn lines(bytes: &mut [u8]) -> &mut [Line] {
    // SAFETY: a line consists of bytes, and any bytes make one.
    let (before, lines, after) = unsafe { bytes.align_to_mut() };
    assert!(before.is_empty() && after.is_empty(), "bytes that begin or end amid a line");
    lines
}
