//! AVX-512, which expands 64 mask bits to 64 bytes in one instruction.

use std::arch::x86_64::{_mm512_maskz_set1_epi8, _mm512_storeu_si512, _mm512_stream_si512};
use std::sync::LazyLock;

use super::blocks::{bits_to_bytes_by, stream_bits_to_bytes_by};
use super::line::Line;

pub(super) static AVAILABLE: LazyLock<bool> =
    LazyLock::new(|| is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw"));

#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn bits_to_bytes(set: &[u64], bytes: &mut [u8]) {
    bits_to_bytes_by(set, bytes, |word, block| {
        let ones = _mm512_maskz_set1_epi8(word, 1);
        // SAFETY: the block has the 64 bytes that are stored, and the store needs no alignment.
        unsafe { _mm512_storeu_si512(block.as_mut_ptr().cast(), ones) }
    });
}

#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn stream_bits_to_bytes(set: &[u64], shift: usize, to: &mut [Line]) {
    stream_bits_to_bytes_by(set, shift, to, |word, line| {
        let ones = _mm512_maskz_set1_epi8(word, 1);
        // SAFETY: a line has the 64 bytes that are stored, and begins at a multiple of 64.
        unsafe { _mm512_stream_si512(line.0.as_mut_ptr().cast(), ones) }
    });
}
