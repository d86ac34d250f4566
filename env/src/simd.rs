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

/// Copies bytes past the caches, where the processor can: for what is not read again soon.
///
/// Other threads may see them late. Call [`publish`] before telling them.
#[inline]
pub(crate) fn stream(from: &[u8], to: &mut [u8]) {
    fastest!(stream(from, to))
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

mod portable {
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

    pub(super) fn stream(from: &[u8], to: &mut [u8]) {
        to.copy_from_slice(from);
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
        __m256i, _mm256_and_si256, _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_set1_epi8,
        _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_setr_epi64x, _mm256_shuffle_epi8,
        _mm256_storeu_si256, _mm256_stream_si256, _pdep_u64, _pext_u64,
    };
    use std::sync::LazyLock;

    use super::{LINE, expand_by};

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
        expand_by(set, bytes, |word, block| expand_word(word, block));
    }

    /// Writes the bits of a word as bytes of 0 or 1.
    #[target_feature(enable = "avx2")]
    fn expand_word(word: u64, bytes: &mut [u8; 64]) {
        // Byte i of each half gets byte i / 8 of its half of the word, and keeps bit i % 8 of it.
        let spread = _mm256_setr_epi64x(
            0,
            0x0101_0101_0101_0101,
            0x0202_0202_0202_0202,
            0x0303_0303_0303_0303,
        );
        let bits = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
        let halves = [word as i32, (word >> 32) as i32];
        for (half, place) in halves.into_iter().zip(bytes.as_chunks_mut::<32>().0) {
            let copies = _mm256_shuffle_epi8(_mm256_set1_epi32(half), spread);
            let is_set = _mm256_cmpeq_epi8(_mm256_and_si256(copies, bits), bits);
            let ones = _mm256_and_si256(is_set, _mm256_set1_epi8(1));
            // SAFETY: the place has the 32 bytes of the block, and the store needs no alignment.
            unsafe { _mm256_storeu_si256(place.as_mut_ptr().cast(), ones) }
        }
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn stream(from: &[u8], to: &mut [u8]) {
        assert_eq!(from.len(), to.len());
        // Whole lines bypass the caches; the row's ends share their lines with its neighbours.
        let head = to.as_ptr().align_offset(LINE).min(to.len());
        let (first, from) = from.split_at(head);
        let (start, to) = to.split_at_mut(head);
        start.copy_from_slice(first);
        let (lines, last) = from.as_chunks::<LINE>();
        let (places, end) = to.as_chunks_mut::<LINE>();
        for (line, place) in lines.iter().zip(places) {
            let (low, high) = (line.as_ptr(), place.as_mut_ptr());
            // SAFETY: line and place have 64 bytes each, and places begin at a multiple of 64.
            unsafe {
                let blocks: [__m256i; 2] =
                    [_mm256_loadu_si256(low.cast()), _mm256_loadu_si256(low.add(LINE / 2).cast())];
                _mm256_stream_si256(high.cast(), blocks[0]);
                _mm256_stream_si256(high.add(LINE / 2).cast(), blocks[1]);
            }
        }
        end.copy_from_slice(last);
    }
}

/// What is used of AVX-512, where a mask of bits goes to bytes in one instruction.
#[cfg(target_arch = "x86_64")]
mod x86_64_v4 {
    use std::arch::x86_64::{_mm512_maskz_set1_epi8, _mm512_storeu_si512};
    use std::sync::LazyLock;

    use super::expand_by;

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
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "x86_64")]
    use super::x86_64_v3;
    use super::{compress, compress_pair, count, expand, portable, publish, select, stream};

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

    #[test]
    fn streams_are_copies() {
        let from: Vec<u8> = (0..400).map(|number| number as u8).collect();
        for start in [0, 1, 63, 64, 65] {
            for length in [0, 1, 62, 63, 64, 65, 128, 129, 300] {
                let mut to = [0xAA; 400];
                stream(&from[..length], &mut to[start..start + length]);
                publish();
                assert_eq!(to[start..start + length], from[..length]);
                let outside = to[..start].iter().chain(&to[start + length..]);
                assert!(outside.into_iter().all(|&byte| byte == 0xAA));
            }
        }
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
