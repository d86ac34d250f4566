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
    /// A row of units of the second layer per unit of the first, in units of 1 / [`SCALE`]. This and
    /// the next two end with zeros up to a multiple of [`LANES`].
    middle: Vec<[i16; LANES]>,
    /// In units of 1 / ([`ONE`] * [`SCALE`]).
    middle_bias: Vec<[i32; LANES]>,
    /// Per unit of the second layer, in units of 1 / [`SCALE`].
    output: Vec<[i16; LANES]>,
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
        let mut middle = [[0; LANES]; MAX_MIDDLE / LANES];
        let middle = &mut middle[..self.middle_bias.len()];
        middle.copy_from_slice(&self.middle_bias);
        let units = accumulator.units.as_flattened();
        for (&unit, row) in units.iter().zip(self.middle.chunks_exact(middle.len())) {
            // Half of the units or more are clipped to 0.
            if unit > 0 {
                let unit = i32::from(unit).min(ONE);
                for (sum, &weight) in middle.as_flattened_mut().iter_mut().zip(row.as_flattened()) {
                    *sum += unit * i32::from(weight);
                }
            }
        }
        let mut sum = accumulator.skipped;
        for (middle, weights) in middle.iter().zip(&self.output) {
            let rounded = middle.map(|sum| ((sum + SCALE / 2) >> SCALE.ilog2()).clamp(0, ONE));
            let products = rounded.iter().zip(weights).map(|(a, &weight)| a * i32::from(weight));
            sum += products.sum::<i32>();
        }
        sum as f32 / (ONE * SCALE) as f32
    }
}
