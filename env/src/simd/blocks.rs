//! Sets written as bytes, a word at a time: what all ways of doing so share.

use super::line::Line;

/// A word that begins `shift` bits into the first of two.
#[inline(always)]
pub(super) fn straddle(words: [u64; 2], shift: usize) -> u64 {
    // In two steps: a shift by 64 would overflow.
    words[0] >> shift | words[1] << 1 << (63 - shift)
}

/// Writes a set as bytes, given a way to write a word.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn bits_to_bytes_by(
    set: &[u64],
    bytes: &mut [u8],
    write_word: impl Fn(u64, &mut [u8; 64]),
) {
    let length = bytes.len();
    for (block, &word) in bytes.as_chunks_mut::<64>().0.iter_mut().zip(set) {
        write_word(word, block);
    }
    let rest = length % 64;
    let Some(&last) = set.get(length / 64).filter(|_| rest > 0) else { return };
    if let Some(block) = bytes.last_chunk_mut() {
        // A whole block that overlaps the one before: a part of a block would need a copy.
        write_word(set[length / 64 - 1] >> rest | last << (64 - rest), block);
    } else {
        let mut block = [0; 64];
        write_word(last, &mut block);
        bytes.copy_from_slice(&block[..rest]);
    }
}

/// Streams a set as bytes, given a way to stream a word.
#[inline(always)]
pub(super) fn stream_bits_to_bytes_by(
    set: &[u64],
    shift: usize,
    to: &mut [Line],
    stream_word: impl Fn(u64, &mut Line),
) {
    let words = set.windows(2).map(|pair| straddle([pair[0], pair[1]], shift));
    assert!(set.len() > to.len(), "a set that ends before the lines");
    to.iter_mut().zip(words).for_each(|(line, word)| stream_word(word, line));
}
