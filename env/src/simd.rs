//! The few operations for which most processors have instructions that a portable build must not
//! take for granted: on sets kept as machine words, and on rows of bytes. The processor is asked at
//! run time.

/// For each member of `mask`, from the lowest, whether it is in `set`: bit 0 for the first.
#[inline]
pub(crate) fn compress(set: u64, mask: u64) -> u64 {
    fastest!(compress(set, mask))
}

/// The same for a mask of two words, of whose members `low` are in the first one.
#[inline]
pub(crate) fn compress_pair(set: [u64; 2], mask: [u64; 2], low: u8) -> u64 {
    fastest!(compress_pair(set, mask, low))
}

/// Number of members.
#[inline]
pub(crate) fn count(set: &[u64]) -> u32 {
    fastest!(count(set))
}

/// The member that has `rank` others below it, if there are so many.
#[inline]
pub(crate) fn select(set: &[u64], rank: u32) -> Option<usize> {
    fastest!(select(set, rank))
}

/// Writes 1 for each member and 0 for all others, one byte each.
#[inline]
pub(crate) fn expand(set: &[u64], bytes: &mut [u8]) {
    #[cfg(target_arch = "x86_64")]
    if *x86_64_v4::IS_THERE {
        // SAFETY: the processor has said that it has what the function is compiled for.
        return unsafe { x86_64_v4::expand(set, bytes) };
    }
    fastest!(expand(set, bytes))
}

/// Writes planes, each with a byte for every one of the values: the first has 1 where the value is 1
/// and 0 elsewhere, the second where it is 2, and so on.
#[inline]
pub(crate) fn one_hot(values: &[u8], planes: &mut [u8]) {
    fastest!(one_hot(values, planes))
}

/// The word of a set that begins with this member.
#[inline]
pub(crate) fn word(set: &[u64], start: usize) -> u64 {
    let at = |index: usize| set.get(index).copied().unwrap_or(0);
    straddle([at(start / 64), at(start / 64 + 1)], start % 64)
}

/// A word that begins so many bits into the first of two.
#[inline(always)]
fn straddle(words: [u64; 2], shift: usize) -> u64 {
    // In two steps, for a shift by 64 is none.
    words[0] >> shift | words[1] << 1 << (63 - shift)
}

/// A cache line.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct Line([u8; LINE]);

/// The cache lines that these bytes are.
///
/// # Panics
/// If they are no whole lines.
#[inline]
pub(crate) fn lines(bytes: &mut [u8]) -> &mut [Line] {
    // SAFETY: a line is made of bytes, and any bytes make one.
    let (before, lines, after) = unsafe { bytes.align_to_mut() };
    assert!(before.is_empty() && after.is_empty(), "bytes that begin or end amid a line");
    lines
}

/// Copies the first bytes past the caches, where the processor can: for what is not read again
/// soon.
///
/// Other threads may see them late. Call [`publish`] before telling them.
///
/// # Panics
/// If there are fewer bytes than the lines have.
#[inline]
pub(crate) fn stream(from: &[u8], to: &mut [Line]) {
    fastest!(stream(from.as_chunks().0, to))
}

/// Writes 1 for each member from `start` on and 0 for all others, one byte each, like [`stream`].
///
/// # Panics
/// If the set does not go a word beyond the lines.
#[inline]
pub(crate) fn stream_bits(set: &[u64], start: usize, to: &mut [Line]) {
    let (set, shift) = (&set[start / 64..], start % 64);
    #[cfg(target_arch = "x86_64")]
    if *x86_64_v4::IS_THERE {
        // SAFETY: the processor has said that it has what the function is compiled for.
        return unsafe { x86_64_v4::stream_bits(set, shift, to) };
    }
    fastest!(stream_bits(set, shift, to))
}

/// Makes sure that what [`stream`] has written is seen by whoever is told of it from now on.
#[inline]
pub(crate) fn publish() {
    // SAFETY: every x86-64 processor has the instruction.
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

/// Asks for a value that is needed soon, where the processor can; for one without bytes, for what
/// lies at its place.
#[inline]
pub(crate) fn prefetch<T: ?Sized>(value: &T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    for offset in (0..size_of_val(value).max(1)).step_by(LINE) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every x86-64 processor has the instruction, which reads nothing; the offset is 0 or
        // lies within the value.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast::<i8>().byte_add(offset))
        }
    }
}

/// Bytes of a cache line.
pub(crate) const LINE: usize = 64;

/// Runs the fast way where the processor has it, else the portable one.
macro_rules! fastest {
    ($function:ident($($argument:expr),*)) => {{
        #[cfg(target_arch = "x86_64")]
        if *x86_64_v3::IS_THERE {
            // SAFETY: the processor has said that it has what the function is compiled for.
            return unsafe { x86_64_v3::$function($($argument),*) };
        }
        portable::$function($($argument),*)
    }};
}
use fastest;

/// Writes sets as bytes with something that does so for a word.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn expand_by(set: &[u64], bytes: &mut [u8], expand_word: impl Fn(u64, &mut [u8; 64])) {
    let length = bytes.len();
    for (block, &word) in bytes.as_chunks_mut::<64>().0.iter_mut().zip(set) {
        expand_word(word, block);
    }
    let rest = length % 64;
    let Some(&last) = set.get(length / 64).filter(|_| rest > 0) else { return };
    if let Some(block) = bytes.last_chunk_mut() {
        // Once more over what is there already: a part of a block would have to be copied.
        expand_word(set[length / 64 - 1] >> rest | last << (64 - rest), block);
    } else {
        let mut block = [0; 64];
        expand_word(last, &mut block);
        bytes.copy_from_slice(&block[..rest]);
    }
}

/// Streams sets as bytes with something that does so for a word.
#[inline(always)]
fn stream_bits_by(
    set: &[u64],
    shift: usize,
    to: &mut [Line],
    stream_word: impl Fn(u64, &mut Line),
) {
    let words = set.windows(2).map(|pair| straddle([pair[0], pair[1]], shift));
    assert!(set.len() > to.len(), "a set that ends before the lines");
    to.iter_mut().zip(words).for_each(|(line, word)| stream_word(word, line));
}

mod portable {
    use super::{LINE, Line};

    pub(super) fn compress(set: u64, mask: u64) -> u64 {
        let mut compressed = 0;
        let mut rest = set & mask;
        while rest != 0 {
            let below = (rest & rest.wrapping_neg()) - 1;
            compressed |= 1 << (mask & below).count_ones();
            rest &= rest - 1;
        }
        compressed
    }

    pub(super) fn compress_pair(set: [u64; 2], mask: [u64; 2], low: u8) -> u64 {
        compress(set[0], mask[0]) | compress(set[1], mask[1]) << low
    }

    pub(super) fn count(set: &[u64]) -> u32 {
        set.iter().map(|word| word.count_ones()).sum()
    }

    pub(super) fn select(set: &[u64], mut rank: u32) -> Option<usize> {
        for (number, &word) in set.iter().enumerate() {
            let here = word.count_ones();
            if rank < here {
                let rest = (0..rank).fold(word, |rest, _| rest & (rest - 1));
                return Some(64 * number + rest.trailing_zeros() as usize);
            }
            rank -= here;
        }
        None
    }

    pub(super) fn one_hot(values: &[u8], planes: &mut [u8]) {
        for (plane, value) in planes.chunks_exact_mut(values.len()).zip(1..) {
            plane.iter_mut().zip(values).for_each(|(byte, &here)| *byte = u8::from(here == value));
        }
    }

    pub(super) fn stream(from: &[[u8; LINE]], to: &mut [Line]) {
        let lines = &from[..to.len()];
        to.iter_mut().zip(lines).for_each(|(line, bytes)| line.0 = *bytes);
    }

    pub(super) fn stream_bits(set: &[u64], shift: usize, to: &mut [Line]) {
        super::stream_bits_by(set, shift, to, |word, line| expand(&[word], &mut line.0));
    }

    pub(super) fn expand(set: &[u64], bytes: &mut [u8]) {
        for (bytes, &word) in bytes.chunks_mut(64).zip(set) {
            // Most words of a position's mask are empty.
            if word == 0 {
                bytes.fill(0);
                continue;
            }
            for (place, byte) in bytes.iter_mut().enumerate() {
                *byte = (word >> place & 1) as u8;
            }
        }
    }
}

/// What is used of the x86-64-v3 level, which nearly all processors since 2015 have. AMD's before
/// Zen 3 have it too, but take long over [`compress`] and [`select`].
#[cfg(target_arch = "x86_64")]
mod x86_64_v3 {
    use std::arch::x86_64::{
        __m256i, _mm256_add_epi8, _mm256_and_si256, _mm256_cmpeq_epi8, _mm256_loadu_si256,
        _mm256_set1_epi8, _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_setr_epi64x,
        _mm256_shuffle_epi8, _mm256_storeu_si256, _mm256_stream_si256, _pdep_u64, _pext_u64,
    };
    use std::sync::LazyLock;

    use super::{LINE, Line, expand_by, stream_bits_by};

    pub(super) static IS_THERE: LazyLock<bool> = LazyLock::new(|| {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt")
    });

    #[target_feature(enable = "bmi2")]
    pub(super) fn compress(set: u64, mask: u64) -> u64 {
        _pext_u64(set, mask)
    }

    #[target_feature(enable = "bmi2")]
    pub(super) fn compress_pair(set: [u64; 2], mask: [u64; 2], low: u8) -> u64 {
        _pext_u64(set[0], mask[0]) | _pext_u64(set[1], mask[1]) << low
    }

    #[target_feature(enable = "popcnt")]
    pub(super) fn count(set: &[u64]) -> u32 {
        set.iter().map(|word| word.count_ones()).sum()
    }

    #[target_feature(enable = "bmi1,bmi2,popcnt")]
    pub(super) fn select(set: &[u64], mut rank: u32) -> Option<usize> {
        for (number, &word) in set.iter().enumerate() {
            let here = word.count_ones();
            if rank < here {
                return Some(64 * number + _pdep_u64(1 << rank, word).trailing_zeros() as usize);
            }
            rank -= here;
        }
        None
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn expand(set: &[u64], bytes: &mut [u8]) {
        expand_by(set, bytes, |word, block| {
            for (half, place) in expand_word(word).into_iter().zip(block.as_chunks_mut::<32>().0) {
                // SAFETY: the place has 32 bytes, and the store needs no alignment.
                unsafe { _mm256_storeu_si256(place.as_mut_ptr().cast(), half) }
            }
        });
    }

    /// The bits of a word as bytes of 0 or 1.
    #[target_feature(enable = "avx2")]
    fn expand_word(word: u64) -> [__m256i; 2] {
        // Byte i of each half gets byte i / 8 of its half of the word, and keeps bit i % 8 of it.
        let spread = _mm256_setr_epi64x(
            0,
            0x0101_0101_0101_0101,
            0x0202_0202_0202_0202,
            0x0303_0303_0303_0303,
        );
        let bits = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
        [word as i32, (word >> 32) as i32].map(|half| {
            let copies = _mm256_shuffle_epi8(_mm256_set1_epi32(half), spread);
            let is_set = _mm256_cmpeq_epi8(_mm256_and_si256(copies, bits), bits);
            _mm256_and_si256(is_set, _mm256_set1_epi8(1))
        })
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn one_hot(values: &[u8], planes: &mut [u8]) {
        const BLOCK: usize = size_of::<__m256i>();
        let Some(last) = values.len().checked_sub(BLOCK) else {
            return super::portable::one_hot(values, planes);
        };
        // The last block goes over some of the one before it.
        for start in (0..last).step_by(BLOCK).chain([last]) {
            let block: &[u8; BLOCK] = values[start..].first_chunk().expect("a block begins here");
            // SAFETY: the block has the bytes that are loaded, which need no alignment.
            let block = unsafe { _mm256_loadu_si256(block.as_ptr().cast()) };
            let mut value = _mm256_set1_epi8(0);
            for plane in planes.chunks_exact_mut(values.len()) {
                value = _mm256_add_epi8(value, _mm256_set1_epi8(1));
                let is_here = _mm256_cmpeq_epi8(block, value);
                let ones = _mm256_and_si256(is_here, _mm256_set1_epi8(1));
                let place: &mut [u8; BLOCK] =
                    plane[start..].first_chunk_mut().expect("a plane is as long as the values");
                // SAFETY: the place has the bytes of the block, and the store needs no alignment.
                unsafe { _mm256_storeu_si256(place.as_mut_ptr().cast(), ones) }
            }
        }
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn stream(from: &[[u8; LINE]], to: &mut [Line]) {
        let lines = &from[..to.len()];
        for (bytes, line) in lines.iter().zip(to) {
            let halves = bytes.as_chunks::<32>().0;
            // SAFETY: each half has the 32 bytes that are loaded, which need no alignment.
            let load = |half: &[u8; 32]| unsafe { _mm256_loadu_si256(half.as_ptr().cast()) };
            stream_line([load(&halves[0]), load(&halves[1])], line);
        }
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn stream_bits(set: &[u64], shift: usize, to: &mut [Line]) {
        stream_bits_by(set, shift, to, |word, line| stream_line(expand_word(word), line));
    }

    #[target_feature(enable = "avx2")]
    fn stream_line(halves: [__m256i; 2], line: &mut Line) {
        for (half, place) in halves.into_iter().zip(line.0.as_chunks_mut::<32>().0) {
            // SAFETY: the place has 32 bytes, and begins where a line does or half a line later.
            unsafe { _mm256_stream_si256(place.as_mut_ptr().cast(), half) }
        }
    }
}

/// What is used of AVX-512, where a mask of bits goes to bytes in one instruction.
#[cfg(target_arch = "x86_64")]
mod x86_64_v4 {
    use std::arch::x86_64::{_mm512_maskz_set1_epi8, _mm512_storeu_si512, _mm512_stream_si512};
    use std::sync::LazyLock;

    use super::{Line, expand_by, stream_bits_by};

    pub(super) static IS_THERE: LazyLock<bool> = LazyLock::new(|| {
        is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw")
    });

    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn expand(set: &[u64], bytes: &mut [u8]) {
        expand_by(set, bytes, |word, block| {
            let ones = _mm512_maskz_set1_epi8(word, 1);
            // SAFETY: the block has the 64 bytes that are stored, and the store needs no alignment.
            unsafe { _mm512_storeu_si512(block.as_mut_ptr().cast(), ones) }
        });
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn stream_bits(set: &[u64], shift: usize, to: &mut [Line]) {
        stream_bits_by(set, shift, to, |word, line| {
            let ones = _mm512_maskz_set1_epi8(word, 1);
            // SAFETY: a line has the 64 bytes that are stored, and begins at a multiple of 64.
            unsafe { _mm512_stream_si512(line.0.as_mut_ptr().cast(), ones) }
        });
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "x86_64")]
    use super::x86_64_v3;
    use super::{
        LINE, Line, compress, compress_pair, count, expand, lines, one_hot, portable, publish,
        select, stream, stream_bits, word,
    };

    /// Words from nearly empty to full, in changing company.
    fn sets() -> impl Iterator<Item = [u64; 3]> {
        let words = [0, 1, 1 << 63, 0x8421, u64::MAX, 0x0F0F_1234_5678_9ABC, !1];
        (0..words.len().pow(3)).map(move |mut number| {
            std::array::from_fn(|_| {
                let word = words[number % words.len()];
                number /= words.len();
                word
            })
        })
    }

    fn members(set: &[u64]) -> Vec<usize> {
        (0..64 * set.len()).filter(|&place| set[place / 64] >> (place % 64) & 1 == 1).collect()
    }

    /// The bytes of a set by every way of expanding that this processor has.
    fn expansions(set: &[u64], length: usize) -> Vec<Vec<u8>> {
        let by = |expand: &dyn Fn(&[u64], &mut [u8])| {
            let mut bytes = vec![9; length];
            expand(set, &mut bytes);
            bytes
        };
        let mut all = vec![by(&expand), by(&portable::expand)];
        #[cfg(target_arch = "x86_64")]
        if *x86_64_v3::IS_THERE {
            // SAFETY: the processor has said that it has what the function is compiled for.
            all.push(by(&|set, bytes| unsafe { x86_64_v3::expand(set, bytes) }));
        }
        all
    }

    #[test]
    fn all_ways_agree_with_the_definition() {
        for set in sets() {
            let members = members(&set);
            assert_eq!(count(&set) as usize, members.len());
            assert_eq!(portable::count(&set) as usize, members.len());
            for rank in 0..=members.len() {
                let expected = members.get(rank).copied();
                assert_eq!(select(&set, rank as u32), expected);
                assert_eq!(portable::select(&set, rank as u32), expected);
            }
            for length in [0, 1, 31, 32, 33, 64, 65, 130, 192] {
                let expected: Vec<u8> =
                    (0..length).map(|place| u8::from(members.contains(&place))).collect();
                for bytes in expansions(&set, length) {
                    assert_eq!(bytes, expected, "{set:x?}");
                }
            }
        }
    }

    /// Lines that were full of something else.
    fn streamed(count: usize, write: impl FnOnce(&mut [Line])) -> Vec<u8> {
        let mut to: Vec<Line> = (0..count).map(|_| Line([0xAA; LINE])).collect();
        write(&mut to);
        publish();
        to.iter().flat_map(|line| line.0).collect()
    }

    #[test]
    fn streams_are_copies() {
        let from: Vec<u8> = (0..400).map(|number| number as u8).collect();
        for start in [0, 1, 63, 64, 65] {
            for count in [0, 1, 2, 5] {
                let copied = streamed(count, |to| stream(&from[start..], to));
                assert_eq!(copied, from[start..start + count * LINE]);
            }
        }
    }

    #[test]
    fn streamed_sets_are_bytes() {
        for set in sets() {
            let members = members(&set);
            for start in [0, 1, 63, 64, 65] {
                // The last word is only looked into.
                let count = 2 - start / 64;
                let expected: Vec<u8> = (start..start + count * LINE)
                    .map(|place| u8::from(members.contains(&place)))
                    .collect();
                assert_eq!(streamed(count, |to| stream_bits(&set, start, to)), expected);
                let (words, shift) = (&set[start / 64..], start % 64);
                assert_eq!(streamed(count, |to| portable::stream_bits(words, shift, to)), expected);
                #[cfg(target_arch = "x86_64")]
                if *x86_64_v3::IS_THERE {
                    // SAFETY: the processor has said that it has what the function is compiled for.
                    let by_v3 =
                        |to: &mut [Line]| unsafe { x86_64_v3::stream_bits(words, shift, to) };
                    assert_eq!(streamed(count, by_v3), expected);
                }
                let mut first = [9; LINE];
                expand(&[word(&set, start)], &mut first);
                assert_eq!(first, expected[..LINE]);
            }
        }
        assert_eq!(word(&[1, 1], 64), 1);
        assert_eq!(word(&[1, 1], 65), 0);
        assert_eq!(word(&[1, 1], 200), 0);
    }

    #[test]
    fn values_are_sorted_into_planes() {
        for count in [1, 25, 31, 32, 33, 56, 64, 90, 361] {
            let values: Vec<u8> = (0..count).map(|place| (place * place % 13) as u8).collect();
            for planes in [0, 1, 14] {
                let expected: Vec<u8> = (1..=planes)
                    .flat_map(|value| values.iter().map(move |&here| u8::from(here == value)))
                    .collect();
                let (mut fast, mut slow) = (vec![9; expected.len()], vec![9; expected.len()]);
                one_hot(&values, &mut fast);
                portable::one_hot(&values, &mut slow);
                assert_eq!(fast, expected);
                assert_eq!(slow, expected);
            }
        }
    }

    #[test]
    #[should_panic(expected = "amid a line")]
    fn lines_are_whole() {
        lines(&mut [0; 100]);
    }

    #[test]
    fn both_ways_compress() {
        for [set, mask, _] in sets() {
            let is_in_set = |&(_, &member): &(usize, &usize)| set >> member & 1 == 1;
            let expected = members(&[mask])
                .iter()
                .enumerate()
                .filter(is_in_set)
                .fold(0, |bits, (place, _)| bits | 1 << place);
            assert_eq!(compress(set, mask), expected, "{set:x} {mask:x}");
            assert_eq!(portable::compress(set, mask), expected, "{set:x} {mask:x}");
        }
        for [low, high, mask] in sets() {
            let (set, masks) = ([low, high], [mask >> 1, mask.rotate_left(7)]);
            let first = masks[0].count_ones();
            if first + masks[1].count_ones() <= u64::BITS {
                let parts = [compress(low, masks[0]), compress(high, masks[1])];
                let expected = parts[0] | parts[1] << first;
                assert_eq!(compress_pair(set, masks, first as u8), expected);
                assert_eq!(portable::compress_pair(set, masks, first as u8), expected);
            }
        }
    }
}
