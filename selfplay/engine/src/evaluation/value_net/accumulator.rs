//! The first layer of a value net, updated from one position to the next.

use darkqi_env::game::Observe;

use super::inputs::{input_of, write_tokens};
use super::{LANES, ValueNet};

/// Tokens that are compared at once.
const WORD: usize = 8;

/// The sums of a net's first layer for the position that was evaluated last.
///
/// A search evaluates positions near one another, so that few rows have to be exchanged. Sums of
/// integers do not depend on the order, so neither does the result.
#[derive(Clone, Debug)]
pub(crate) struct Accumulator {
    /// The tokens of that position; none before the first.
    tokens: Vec<u8>,
    /// Memory for the tokens of the next.
    next: Vec<u8>,
    /// The units of the first layer, before they are clipped.
    pub(super) units: Vec<[i16; LANES]>,
    /// The sum of the active inputs' weights, and the bias.
    pub(super) skipped: i32,
}

impl Accumulator {
    /// An accumulator of no position yet.
    pub(crate) const fn new() -> Self {
        Self { tokens: Vec::new(), next: Vec::new(), units: Vec::new(), skipped: 0 }
    }

    /// Brings the sums to this position. An accumulator serves one net.
    #[inline]
    pub(super) fn update<G: Observe>(&mut self, net: &ValueNet, rules: &G, view: &G::View<'_>) {
        write_tokens(rules, view, &mut self.next);
        if self.tokens.is_empty() {
            self.tokens.resize(self.next.len(), 0);
            self.units.clone_from(&net.embedding_bias);
            self.skipped = net.output_bias;
        }
        debug_assert_eq!(
            [self.units.len() * LANES, self.tokens.len()],
            [net.units, self.next.len()]
        );
        let Self { tokens, next, units, skipped } = self;
        let (old, old_rest) = tokens.as_chunks::<WORD>();
        let (new, new_rest) = next.as_chunks::<WORD>();
        for (word, (old, new)) in old.iter().zip(new).enumerate() {
            // A bit is set in the bytes that differ.
            let mut differing = u64::from_le_bytes(*old) ^ u64::from_le_bytes(*new);
            while differing != 0 {
                let byte = differing.trailing_zeros() as usize / 8;
                differing &= !(0xFF << (8 * byte));
                exchange::<G>(net, word * WORD + byte, old[byte], new[byte], units, skipped);
            }
        }
        let first = old.len() * WORD;
        for (place, (&old, &new)) in (first..).zip(old_rest.iter().zip(new_rest)) {
            if old != new {
                exchange::<G>(net, place, old, new, units, skipped);
            }
        }
        std::mem::swap(&mut self.tokens, &mut self.next);
    }
}

/// Takes the row of an old token out of the sums and adds that of a new one.
#[inline]
fn exchange<G: Observe>(
    net: &ValueNet,
    place: usize,
    old: u8,
    new: u8,
    units: &mut [[i16; LANES]],
    skipped: &mut i32,
) {
    // Sums of active inputs cannot overflow; those on the way may, and return.
    if let Some(input) = input_of::<G>(place, old) {
        change(units, net.row(input), i16::wrapping_sub);
        *skipped = skipped.wrapping_sub(net.skip[input]);
    }
    if let Some(input) = input_of::<G>(place, new) {
        change(units, net.row(input), i16::wrapping_add);
        *skipped = skipped.wrapping_add(net.skip[input]);
    }
}

#[inline]
fn change(units: &mut [[i16; LANES]], row: &[[i16; LANES]], by: impl Fn(i16, i16) -> i16) {
    for (units, weights) in units.iter_mut().zip(row) {
        for (unit, &weight) in units.iter_mut().zip(weights) {
            *unit = by(*unit, weight);
        }
    }
}
