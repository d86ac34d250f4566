//! Writes rows of bytes, one lane's after the other: in place, or with non-temporal stores.

use crate::simd::{self, LINE};

/// Bytes that are collected before they are streamed: far less than the L1 cache holds, and enough
/// to stream many lines at once.
const COLLECTED_BYTES: usize = 2 << 10;

/// Takes the bytes of a row, from the first to the last.
pub(super) trait RowOutput {
    /// Writes `count` bytes: 1 for a member of `set`, 0 for any other number. `set` has no member
    /// from `count` on, and one word more than it needs.
    fn bits(&mut self, set: &[u64], count: usize);

    /// Lets `write` fill the next `count` bytes. It must write all of them: they may hold anything.
    fn bytes(&mut self, count: usize, write: impl FnOnce(&mut [u8]));
}

/// Writes directly into the rows.
pub(super) struct InPlace<'a>(&'a mut [u8]);

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

/// Bytes on their way to memory. Non-temporal stores write whole cache lines: a part of a line would
/// have to be read into the caches first.
#[derive(Debug)]
pub(super) struct StreamBuffer {
    /// The line that is being filled, with room for another whole line after any of its bytes.
    line: [u8; 2 * LINE],
    /// Bytes of the line that are known.
    filled: usize,
    /// How many of these lie before the rows, which may begin inside a line.
    before: usize,
    /// The bytes after the line that are collected, and room for more.
    bytes: Vec<u8>,
    /// Number of collected bytes.
    collected: usize,
}

impl StreamBuffer {
    pub(super) const fn new() -> Self {
        Self { line: [0; 2 * LINE], filled: 0, before: 0, bytes: Vec::new(), collected: 0 }
    }

    /// Starts new rows. Unfinished bytes of the rows before are dropped.
    fn begin(&mut self, rows: &[u8]) {
        self.before = rows.as_ptr().addr() % LINE;
        self.filled = self.before;
        self.collected = 0;
    }

    /// Collects the next bytes.
    #[inline]
    fn collect(&mut self, count: usize, rest: &mut InPlace<'_>, write: impl FnOnce(&mut [u8])) {
        let start = self.collected;
        self.collected += count;
        // A whole line is read from any of the collected bytes.
        let room = self.collected + LINE;
        if self.bytes.len() < room {
            self.bytes.resize(room, 0);
        }
        write(&mut self.bytes[start..self.collected]);
        if self.collected >= COLLECTED_BYTES {
            self.stream_collected(rest);
        }
    }

    /// Streams the collected bytes.
    #[inline]
    fn stream_collected(&mut self, rest: &mut InPlace<'_>) {
        if self.collected == 0 {
            return;
        }
        let (bytes, count) = (std::mem::take(&mut self.bytes), std::mem::take(&mut self.collected));
        let block = |start, block: &mut [u8]| block.copy_from_slice(&bytes[start..][..LINE]);
        let lines = |start, lines: &mut [_]| simd::stream(&bytes[start..], lines);
        self.stream(count, rest, block, lines);
        self.bytes = bytes;
    }

    /// Streams a set as bytes, after the collected ones.
    #[inline]
    fn stream_bits(&mut self, set: &[u64], count: usize, rest: &mut InPlace<'_>) {
        self.stream_collected(rest);
        let block =
            |start, block: &mut [u8]| simd::bits_to_bytes(&[simd::word_at(set, start)], block);
        let lines = |start, lines: &mut [_]| simd::stream_bits_to_bytes(set, start, lines);
        self.stream(count, rest, block, lines);
    }

    /// Streams the next `count` bytes. `block` writes the 64 bytes from the given one on, of which
    /// those past the last may have any value, and `lines` streams whole lines from there.
    #[inline]
    fn stream(
        &mut self,
        count: usize,
        rest: &mut InPlace<'_>,
        block: impl Fn(usize, &mut [u8]),
        lines: impl FnOnce(usize, &mut [simd::Line]),
    ) {
        let room = LINE - self.filled;
        block(0, &mut self.line[self.filled..][..LINE]);
        if count < room {
            self.filled += count;
            return;
        }
        self.stream_line(rest);
        let whole = (count - room) / LINE * LINE;
        lines(room, simd::lines(rest.next(whole)));
        block(room + whole, &mut self.line[..LINE]);
        self.filled = count - room - whole;
    }

    /// Streams the line that has been filled.
    #[inline]
    fn stream_line(&mut self, rest: &mut InPlace<'_>) {
        let place = rest.next(LINE - self.before);
        if self.before == 0 {
            simd::stream(&self.line, simd::lines(place));
        } else {
            place.copy_from_slice(&self.line[self.before..LINE]);
            self.before = 0;
        }
    }

    /// Writes the bytes that are left; the last may fill a part of a line.
    fn finish(&mut self, mut rest: InPlace<'_>) {
        self.stream_collected(&mut rest);
        rest.0.copy_from_slice(&self.line[self.before..self.filled]);
    }
}

/// Writes the rows of neighbouring lanes.
pub(super) struct RowWriter<'a> {
    rest: InPlace<'a>,
    buffer: Option<&'a mut StreamBuffer>,
}

impl<'a> RowWriter<'a> {
    /// Writes these rows, with non-temporal stores if there is a buffer.
    pub(super) fn new(rows: &'a mut [u8], mut buffer: Option<&'a mut StreamBuffer>) -> Self {
        if let Some(buffer) = &mut buffer {
            buffer.begin(rows);
        }
        Self { rest: InPlace(rows), buffer }
    }

    /// Writes what is still buffered. All rows must have been written.
    pub(super) fn finish(self) {
        if let Some(buffer) = self.buffer {
            buffer.finish(self.rest);
        }
    }
}

impl RowOutput for RowWriter<'_> {
    #[inline]
    fn bits(&mut self, set: &[u64], count: usize) {
        match &mut self.buffer {
            None => self.rest.bits(set, count),
            Some(buffer) => buffer.stream_bits(set, count, &mut self.rest),
        }
    }

    #[inline]
    fn bytes(&mut self, count: usize, write: impl FnOnce(&mut [u8])) {
        match &mut self.buffer {
            None => self.rest.bytes(count, write),
            Some(buffer) => buffer.collect(count, &mut self.rest, write),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{RowOutput, RowWriter, StreamBuffer};

    /// Writes rows that consist of a set and of bytes, different in every row.
    fn fill(rows: &mut [u8], [bits, bytes]: [usize; 2], buffer: Option<&mut StreamBuffer>) {
        let count = rows.len() / (bits + bytes);
        let mut writer = RowWriter::new(rows, buffer);
        for number in 0..count {
            let mut set = vec![0; bits / 64 + 2];
            (0..bits)
                .filter(|bit| bit * 7 % 11 <= number % 11)
                .for_each(|bit| set[bit / 64] |= 1 << (bit % 64));
            writer.bits(&set, bits);
            writer.bytes(bytes, |place| {
                place
                    .iter_mut()
                    .enumerate()
                    .for_each(|(index, byte)| *byte = (index + number) as u8 | 2);
            });
        }
        writer.finish();
    }

    #[test]
    fn streamed_rows_are_the_same_at_any_alignment() {
        // One buffer is used for all, even after rows that were not finished.
        let mut buffer = StreamBuffer::new();
        for lengths in [[1, 0], [0, 1], [30, 33], [64, 64], [44, 118], [2086, 3960], [1440, 2070]] {
            for (count, start) in [(1, 0), (3, 1), (40, 63), (200, 64)] {
                let end = start + count * lengths.iter().sum::<usize>();
                let (mut direct, mut streamed) = (vec![0; end + 100], vec![0; end + 100]);
                fill(&mut direct[start..end], lengths, None);
                fill(&mut streamed[start..end], lengths, Some(&mut buffer));
                assert!(direct == streamed, "{count} rows of {lengths:?} bytes from {start}");
                let mut unfinished = [0; 200];
                RowWriter::new(&mut unfinished, Some(&mut buffer))
                    .bytes(100, |place| place.fill(9));
            }
        }
    }
}
