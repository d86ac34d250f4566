//! Operations for which most processors have instructions beyond the baseline of a portable build:
//! on sets kept as machine words, and on rows of bytes.
//!
//! The processor is asked at run time (runtime dispatch). Each operation has a portable version too,
//! and tests compare all versions.

#![allow(unsafe_code, reason = "instructions that a processor may lack")]

mod blocks;
mod line;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86_64_v3;
#[cfg(target_arch = "x86_64")]
mod x86_64_v4;

#[cfg(test)]
mod tests;

pub(crate) use line::{LINE, Line, lines};

/// Calls the version for the x86-64-v3 level where the processor has it, else the portable one.
macro_rules! dispatch {
    ($function:ident($($argument:expr),*)) => {{
        #[cfg(target_arch = "x86_64")]
        if *x86_64_v3::AVAILABLE {
            // SAFETY: the processor has the features that the function is compiled for.
            return unsafe { x86_64_v3::$function($($argument),*) };
        }
        portable::$function($($argument),*)
    }};
}

/// PEXT, parallel bit extract: the bits of `set` at the places where `mask` has ones, packed into the
/// low bits of the result.
#[inline]
pub(crate) fn pext(set: u64, mask: u64) -> u64 {
    dispatch!(pext(set, mask))
}

/// [`pext`] of two words; `low` is the number of ones in the first word of `mask`.
#[inline]
pub(crate) fn pext_pair(set: [u64; 2], mask: [u64; 2], low: u8) -> u64 {
    dispatch!(pext_pair(set, mask, low))
}

/// Population count: the number of members.
#[inline]
pub(crate) fn count_ones(set: &[u64]) -> u32 {
    dispatch!(count_ones(set))
}

/// Select, the inverse of rank: the member that has `rank` others below it; none if the set is
/// smaller. Within a word it is PDEP of a single bit.
#[inline]
pub(crate) fn select(set: &[u64], rank: u32) -> Option<usize> {
    dispatch!(select(set, rank))
}

/// Writes a byte for each number from 0: 1 for a member, else 0.
#[inline(always)]
pub(crate) fn bits_to_bytes(set: &[u64], bytes: &mut [u8]) {
    #[cfg(target_arch = "x86_64")]
    if *x86_64_v4::AVAILABLE {
        // SAFETY: the processor has the features that the function is compiled for.
        return unsafe { x86_64_v4::bits_to_bytes(set, bytes) };
    }
    dispatch!(bits_to_bytes(set, bytes))
}

/// One-hot encoding. Each plane has a byte per value: in the first plane 1 where the value is 1, in
/// the second where it is 2, and so on; else 0.
#[inline]
pub(crate) fn one_hot(values: &[u8], planes: &mut [u8]) {
    dispatch!(one_hot(values, planes))
}

/// The 64 bits of a set from number `start` on.
#[inline]
pub(crate) fn word_at(set: &[u64], start: usize) -> u64 {
    let at = |index: usize| set.get(index).copied().unwrap_or(0);
    blocks::straddle([at(start / 64), at(start / 64 + 1)], start % 64)
}

/// Copies bytes to lines with non-temporal stores, which bypass the caches: for what is not read
/// again soon.
///
/// Other threads may see these stores late: [`store_fence`] comes before they are told.
///
/// # Panics
/// If `from` has fewer bytes than the lines.
#[inline]
pub(crate) fn stream(from: &[u8], to: &mut [Line]) {
    dispatch!(stream(from.as_chunks().0, to))
}

/// [`bits_to_bytes`] of the numbers from `start` on, with non-temporal stores like [`stream`].
///
/// # Panics
/// If the set has no further word after the last line.
#[inline]
pub(crate) fn stream_bits_to_bytes(set: &[u64], start: usize, to: &mut [Line]) {
    let (set, shift) = (&set[start / 64..], start % 64);
    #[cfg(target_arch = "x86_64")]
    if *x86_64_v4::AVAILABLE {
        // SAFETY: the processor has the features that the function is compiled for.
        return unsafe { x86_64_v4::stream_bits_to_bytes(set, shift, to) };
    }
    dispatch!(stream_bits_to_bytes(set, shift, to))
}

/// SFENCE: orders the non-temporal stores so far before all later stores.
#[inline]
pub(crate) fn store_fence() {
    // SAFETY: every x86-64 processor has the instruction.
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

/// Prefetches a value into all caches; for a value of no bytes, the line at its address.
#[inline]
pub(crate) fn prefetch<T: ?Sized>(value: &T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    for offset in (0..size_of_val(value).max(1)).step_by(LINE) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every x86-64 processor has the instruction, which reads nothing. The offset is 0 or
        // lies within the value.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast::<i8>().byte_add(offset))
        }
    }
}
