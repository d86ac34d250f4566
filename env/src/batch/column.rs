//! Rows of bytes, one lane's after the other's: in place, or streamed past the caches.

use crate::simd::{self, LINE};
use crate::sink::{InPlace, Sink};

/// Bytes that wait for being streamed: much less than the nearest cache holds, enough to go out
/// together.
const WAITING_BYTES: usize = 2 << 10;

/// What is on its way to memory, which takes whole lines: a part of one would have to be completed
/// in the caches.
#[derive(Debug)]
pub(super) struct Draft {
    /// The line that is filled at present, with room for a whole one after each of its bytes.
    line: [u8; 2 * LINE],
    /// Bytes of the line that are known.
    filled: usize,
    /// How many of those are not the rows', which begin amid a line.
    foreign: usize,
    /// Bytes that come after the line, and room for others.
    bytes: Vec<u8>,
    /// How many there are.
    waiting: usize,
}

impl Draft {
    pub(super) const fn new() -> Self {
        Self { line: [0; 2 * LINE], filled: 0, foreign: 0, bytes: Vec::new(), waiting: 0 }
    }

    /// Makes ready for rows that begin here. What was not finished is lost.
    fn begin(&mut self, rows: &[u8]) {
        self.foreign = rows.as_ptr().addr() % LINE;
        self.filled = self.foreign;
        self.waiting = 0;
    }

    /// Takes the next bytes.
    #[inline]
    fn take(&mut self, count: usize, rest: &mut InPlace<'_>, write: impl FnOnce(&mut [u8])) {
        let start = self.waiting;
        self.waiting += count;
        // Whole lines are read, from whichever byte.
        let room = self.waiting + LINE;
        if self.bytes.len() < room {
            self.bytes.resize(room, 0);
        }
        write(&mut self.bytes[start..self.waiting]);
        if self.waiting >= WAITING_BYTES {
            self.send_waiting(rest);
        }
    }

    /// Sends out the bytes that wait.
    #[inline]
    fn send_waiting(&mut self, rest: &mut InPlace<'_>) {
        if self.waiting == 0 {
            return;
        }
        let (bytes, count) = (std::mem::take(&mut self.bytes), std::mem::take(&mut self.waiting));
        let block = |start, block: &mut [u8]| block.copy_from_slice(&bytes[start..][..LINE]);
        let lines = |start, lines: &mut [_]| simd::stream(&bytes[start..], lines);
        self.send(count, rest, block, lines);
        self.bytes = bytes;
    }

    /// Sends out a set as bytes, after those that wait.
    #[inline]
    fn send_bits(&mut self, set: &[u64], count: usize, rest: &mut InPlace<'_>) {
        self.send_waiting(rest);
        let block = |start, block: &mut [u8]| simd::expand(&[simd::word(set, start)], block);
        let lines = |start, lines: &mut [_]| simd::stream_bits(set, start, lines);
        self.send(count, rest, block, lines);
    }

    /// Sends out the next bytes. `block` writes the 64 from the given one on, of which those beyond
    /// the last may be any, and `lines` streams whole lines from there.
    #[inline]
    fn send(
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
        self.send_line(rest);
        let whole = (count - room) / LINE * LINE;
        lines(room, simd::lines(rest.next(whole)));
        block(room + whole, &mut self.line[..LINE]);
        self.filled = count - room - whole;
    }

    /// Sends out the line that has been filled.
    #[inline]
    fn send_line(&mut self, rest: &mut InPlace<'_>) {
        let place = rest.next(LINE - self.foreign);
        if self.foreign == 0 {
            simd::stream(&self.line, simd::lines(place));
        } else {
            place.copy_from_slice(&self.line[self.foreign..LINE]);
            self.foreign = 0;
        }
    }

    /// Sends out what is left, the part of a line at last.
    fn finish(&mut self, mut rest: InPlace<'_>) {
        self.send_waiting(&mut rest);
        rest.0.copy_from_slice(&self.line[self.foreign..self.filled]);
    }
}

/// The rows of a run of lanes that are still to be written.
pub(super) struct Column<'a> {
    rest: InPlace<'a>,
    draft: Option<&'a mut Draft>,
}

impl<'a> Column<'a> {
    /// Rows that are streamed if there is a draft.
    pub(super) fn new(rows: &'a mut [u8], mut draft: Option<&'a mut Draft>) -> Self {
        if let Some(draft) = &mut draft {
            draft.begin(rows);
        }
        Self { rest: InPlace(rows), draft }
    }

    /// Ends the rows, all of which must have been written.
    pub(super) fn finish(self) {
        if let Some(draft) = self.draft {
            draft.finish(self.rest);
        }
    }
}

impl Sink for Column<'_> {
    #[inline]
    fn bits(&mut self, set: &[u64], count: usize) {
        match &mut self.draft {
            None => self.rest.bits(set, count),
            Some(draft) => draft.send_bits(set, count, &mut self.rest),
        }
    }

    #[inline]
    fn bytes(&mut self, count: usize, write: impl FnOnce(&mut [u8])) {
        match &mut self.draft {
            None => self.rest.bytes(count, write),
            Some(draft) => draft.take(count, &mut self.rest, write),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Column, Draft};
    use crate::sink::Sink;

    /// Writes rows of a set and of bytes, all of which change from row to row.
    fn fill(rows: &mut [u8], [bits, bytes]: [usize; 2], draft: Option<&mut Draft>) {
        let count = rows.len() / (bits + bytes);
        let mut column = Column::new(rows, draft);
        for number in 0..count {
            let mut set = vec![0; bits / 64 + 2];
            (0..bits)
                .filter(|bit| bit * 7 % 11 <= number % 11)
                .for_each(|bit| set[bit / 64] |= 1 << (bit % 64));
            column.bits(&set, bits);
            column.bytes(bytes, |place| {
                place
                    .iter_mut()
                    .enumerate()
                    .for_each(|(index, byte)| *byte = (index + number) as u8 | 2);
            });
        }
        column.finish();
    }

    #[test]
    fn streamed_rows_are_the_same_wherever_they_begin() {
        // A draft goes from one run of lanes to the next, whatever has become of the last.
        let mut draft = Draft::new();
        for lengths in [[1, 0], [0, 1], [30, 33], [64, 64], [44, 118], [2086, 3960], [1440, 2070]] {
            for (count, start) in [(1, 0), (3, 1), (40, 63), (200, 64)] {
                let end = start + count * lengths.iter().sum::<usize>();
                let (mut direct, mut streamed) = (vec![0; end + 100], vec![0; end + 100]);
                fill(&mut direct[start..end], lengths, None);
                fill(&mut streamed[start..end], lengths, Some(&mut draft));
                assert!(direct == streamed, "{count} rows of {lengths:?} bytes from {start}");
                let mut broken_off = [0; 200];
                Column::new(&mut broken_off, Some(&mut draft)).bytes(100, |place| place.fill(9));
            }
        }
    }
}
