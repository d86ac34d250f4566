//! A small net that corrects the linear evaluation.
//!
//! The inputs are sparse, the first layer is a sum of rows that is updated from position to position,
//! and all numbers are integers, so that every machine gets the same result (NNUE: Nasu, "Efficiently
//! Updatable Neural-Network-based Evaluation Functions for Computer Shogi", 2018).

mod accumulator;
mod file;
mod inputs;
#[cfg(test)]
mod tests;

use darkqi_env::game::Observe;

pub(crate) use accumulator::Accumulator;
pub(crate) use inputs::each_input;
pub use inputs::{input_count, reflections};

/// The number 1.0 in the units of the layers.
pub(crate) const ONE: i32 = 128;

/// The number 1.0 in the weights of the last two layers.
pub(crate) const SCALE: i32 = 256;

/// The number of units of the first layer is a multiple of this: blocks of a known size become vector
/// instructions without a remainder.
const LANES: usize = 16;

/// The most units of the first layer.
const MAX_UNITS: usize = 256;

/// The most units of the second layer.
const MAX_MIDDLE: usize = 64;

/// A net for one game: inputs, a layer of units, a smaller one, one output. Units are clipped to the
/// range of 0 to 1. Each input also adds to the output.
///
/// The output is added to the logit of the linear evaluation: half the log odds that the viewer's team
/// wins.
#[derive(Clone, PartialEq, Debug)]
pub struct ValueNet {
    game: &'static str,
    /// Number of units of the first layer.
    units: usize,
    /// A row of units per input, in units of 1 / [`ONE`].
    embedding: Vec<[i16; LANES]>,
    embedding_bias: Vec<[i16; LANES]>,
    /// The share of each input in the output, in units of 1 / ([`ONE`] * [`SCALE`]).
    skip: Vec<i32>,
    /// A row of units of the first layer per unit of the second, in units of 1 / [`SCALE`].
    middle: Vec<[i16; LANES]>,
    /// In units of 1 / ([`ONE`] * [`SCALE`]).
    middle_bias: Vec<i32>,
    /// Per unit of the second layer, in units of 1 / [`SCALE`].
    output: Vec<i16>,
    /// In units of 1 / ([`ONE`] * [`SCALE`]).
    output_bias: i32,
}

impl ValueNet {
    /// The row of an input in the first layer.
    #[inline]
    fn row(&self, input: usize) -> &[[i16; LANES]] {
        let blocks = self.units / LANES;
        &self.embedding[input * blocks..][..blocks]
    }

    /// The output for a view of the game that the net is for.
    pub(crate) fn logit<G: Observe>(
        &self,
        rules: &G,
        view: &G::View<'_>,
        accumulator: &mut Accumulator,
    ) -> f32 {
        debug_assert_eq!(self.game, G::NAME, "the game of the net");
        accumulator.update(self, rules, view);
        let mut clipped = [[0; LANES]; MAX_UNITS / LANES];
        let clipped = &mut clipped[..accumulator.units.len()];
        for (clipped, units) in clipped.iter_mut().zip(&accumulator.units) {
            *clipped = units.map(|unit| unit.clamp(0, ONE as i16));
        }
        let mut sum = accumulator.skipped;
        let rows = self.middle.chunks_exact(clipped.len());
        for ((row, &bias), &weight) in rows.zip(&self.middle_bias).zip(&self.output) {
            let mut middle = bias + SCALE / 2;
            for (weights, units) in row.iter().zip(&*clipped) {
                // Both are of 16 bits: the sum of two products is one instruction (PMADDWD).
                let products =
                    weights.iter().zip(units).map(|(&a, &b)| i32::from(a) * i32::from(b));
                middle += products.sum::<i32>();
            }
            sum += (middle >> SCALE.ilog2()).clamp(0, ONE) * i32::from(weight);
        }
        sum as f32 / (ONE * SCALE) as f32
    }
}
