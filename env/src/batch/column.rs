//! Rows of bytes, one lane's after the other's: in place, or streamed past the caches.

use crate::simd;

/// Bytes that wait for being streamed: much less than the nearest cache holds, enough to go out
/// together.
const WAITING_BYTES: usize = 2 << 10;

/// Rows for which a draft has room, beside those that wait.
const DRAFTED: usize = 2;

/// Where rows are written that are then streamed out. Those that wait lie from `start` to `end`.
#[derive(Debug)]
pub(super) struct Draft {
    bytes: Vec<u8>,
    start: usize,
    end: usize,
}

impl Draft {
    pub(super) const fn new() -> Self {
        Self { bytes: Vec::new(), start: 0, end: 0 }
    }
}

/// The rows of a run of lanes.
pub(super) struct Column<'a> {
    /// Bytes of a row.
    length: usize,
    /// What is still to be written.
    rest: &'a mut [u8],
    draft: Option<&'a mut Draft>,
}

impl<'a> Column<'a> {
    /// Rows of this many bytes, streamed if there is a draft. What that holds is lost.
    pub(super) fn new(rows: &'a mut [u8], length: usize, mut draft: Option<&'a mut Draft>) -> Self {
        if let Some(draft) = &mut draft {
            draft.bytes.resize(DRAFTED * length + WAITING_BYTES, 0);
            (draft.start, draft.end) = (0, 0);
        }
        Self { length, rest: rows, draft }
    }

    /// The place of the next row, whose bytes may be any and must all be written.
    #[inline]
    pub(super) fn next(&mut self) -> &mut [u8] {
        let Some(draft) = &mut self.draft else {
            let (row, rest) = std::mem::take(&mut self.rest).split_at_mut(self.length);
            self.rest = rest;
            return row;
        };
        let waiting = draft.end - draft.start;
        if waiting >= WAITING_BYTES {
            // Whole lines only: a part of one would have to be completed in the caches.
            let beyond = self.rest.as_ptr().wrapping_add(waiting).addr() % simd::LINE;
            stream(draft, waiting - beyond, &mut self.rest);
        }
        if draft.end + self.length > draft.bytes.len() {
            draft.bytes.copy_within(draft.start..draft.end, 0);
            (draft.start, draft.end) = (0, draft.end - draft.start);
        }
        let row = draft.end..draft.end + self.length;
        draft.end = row.end;
        &mut draft.bytes[row]
    }

    /// Sends out the rows that wait.
    pub(super) fn finish(mut self) {
        if let Some(draft) = self.draft {
            stream(draft, draft.end - draft.start, &mut self.rest);
        }
    }
}

/// Streams the first of the waiting bytes.
fn stream(draft: &mut Draft, bytes: usize, to: &mut &mut [u8]) {
    let (place, rest) = std::mem::take(to).split_at_mut(bytes);
    simd::stream(&draft.bytes[draft.start..][..bytes], place);
    draft.start += bytes;
    *to = rest;
}

#[cfg(test)]
mod tests {
    use super::{Column, Draft};

    /// Writes rows with a byte of their own each.
    fn fill(rows: &mut [u8], length: usize, draft: Option<&mut Draft>) {
        let count = rows.len() / length;
        let mut column = Column::new(rows, length, draft);
        for number in 0..count {
            column.next().fill(number as u8 + 1);
        }
        column.finish();
    }

    #[test]
    fn streamed_rows_are_the_same_wherever_they_begin() {
        // A draft goes from one run of lanes to the next, whatever has become of the last.
        let mut draft = Draft::new();
        for length in [1, 63, 64, 118, 2086, 3960] {
            for (count, start) in [(1, 0), (3, 1), (40, 63), (200, 64)] {
                let end = start + count * length;
                let (mut direct, mut streamed) = (vec![0; end + 100], vec![0; end + 100]);
                fill(&mut direct[start..end], length, None);
                fill(&mut streamed[start..end], length, Some(&mut draft));
                assert!(direct == streamed, "{count} rows of {length} bytes from {start}");
                let mut broken_off = [0; 200];
                Column::new(&mut broken_off, 100, Some(&mut draft)).next().fill(9);
            }
        }
    }
}
