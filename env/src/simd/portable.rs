//! Every operation without special instructions.

use super::blocks::stream_bits_to_bytes_by;
use super::line::{LINE, Line};

pub(super) fn pext(set: u64, mask: u64) -> u64 {
    let mut packed = 0;
    let mut rest = set & mask;
    while rest != 0 {
        let below = (rest & rest.wrapping_neg()) - 1;
        packed |= 1 << (mask & below).count_ones();
        rest &= rest - 1;
    }
    packed
}

pub(super) fn pext_pair(set: [u64; 2], mask: [u64; 2], low: u8) -> u64 {
    pext(set[0], mask[0]) | pext(set[1], mask[1]) << low
}

pub(super) fn count_ones(set: &[u64]) -> u32 {
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

pub(super) fn stream_bits_to_bytes(set: &[u64], shift: usize, to: &mut [Line]) {
    stream_bits_to_bytes_by(set, shift, to, |word, line| bits_to_bytes(&[word], &mut line.0));
}

pub(super) fn bits_to_bytes(set: &[u64], bytes: &mut [u8]) {
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
