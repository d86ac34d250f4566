//! AVX2, BMI1, BMI2 and POPCNT, of the x86-64-v3 level: nearly all processors since 2015 have them.
//! AMD's processors before Zen 3 have slow PEXT and PDEP.

use std::arch::x86_64::{
    __m256i, _mm256_add_epi8, _mm256_and_si256, _mm256_cmpeq_epi8, _mm256_loadu_si256,
    _mm256_set1_epi8, _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_setr_epi64x,
    _mm256_shuffle_epi8, _mm256_storeu_si256, _mm256_stream_si256, _pdep_u64, _pext_u64,
};
use std::sync::LazyLock;

use super::blocks::{bits_to_bytes_by, stream_bits_to_bytes_by};
use super::line::{LINE, Line};
use super::portable;

pub(super) static AVAILABLE: LazyLock<bool> = LazyLock::new(|| {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
});

#[target_feature(enable = "bmi2")]
pub(super) fn pext(set: u64, mask: u64) -> u64 {
    _pext_u64(set, mask)
}

#[target_feature(enable = "bmi2")]
pub(super) fn pext_pair(set: [u64; 2], mask: [u64; 2], low: u8) -> u64 {
    _pext_u64(set[0], mask[0]) | _pext_u64(set[1], mask[1]) << low
}

#[target_feature(enable = "popcnt")]
pub(super) fn count_ones(set: &[u64]) -> u32 {
    // A loop: a closure that is not inlined would not have the instruction.
    let mut count = 0;
    for word in set {
        count += word.count_ones();
    }
    count
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
pub(super) fn bits_to_bytes(set: &[u64], bytes: &mut [u8]) {
    bits_to_bytes_by(set, bytes, |word, block| {
        for (half, place) in word_to_bytes(word).into_iter().zip(block.as_chunks_mut::<32>().0) {
            // SAFETY: the place has 32 bytes, and the store needs no alignment.
            unsafe { _mm256_storeu_si256(place.as_mut_ptr().cast(), half) }
        }
    });
}

/// The bits of a word as bytes of 0 or 1.
#[target_feature(enable = "avx2")]
fn word_to_bytes(word: u64) -> [__m256i; 2] {
    // Byte i of each half gets byte i / 8 of its half of the word, and keeps bit i % 8 of it.
    let spread =
        _mm256_setr_epi64x(0, 0x0101_0101_0101_0101, 0x0202_0202_0202_0202, 0x0303_0303_0303_0303);
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
        return portable::one_hot(values, planes);
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
pub(super) fn stream_bits_to_bytes(set: &[u64], shift: usize, to: &mut [Line]) {
    stream_bits_to_bytes_by(set, shift, to, |word, line| stream_line(word_to_bytes(word), line));
}

#[target_feature(enable = "avx2")]
fn stream_line(halves: [__m256i; 2], line: &mut Line) {
    for (half, place) in halves.into_iter().zip(line.0.as_chunks_mut::<32>().0) {
        // SAFETY: the place has 32 bytes, and begins at a multiple of 32.
        unsafe { _mm256_stream_si256(place.as_mut_ptr().cast(), half) }
    }
}
