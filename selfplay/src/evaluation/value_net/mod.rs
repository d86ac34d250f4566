//! A small net that corrects the linear evaluation.
//!
//! The inputs are sparse, the first layer is a sum of rows, and all numbers are integers, so that every
//! machine gets the same result (as in NNUE: Nasu, "Efficiently Updatable Neural-Network-based
//! Evaluation Functions for Computer Shogi", 2018; the sum is not updated but computed anew).

mod file;
mod inputs;
#[cfg(test)]
mod tests;

use darkqi_env::Observe;

pub(crate) use inputs::{each_input, input_count, reflections};

/// What 1.0 is in the units of the layers.
pub(crate) const ONE: i32 = 128;

/// What 1.0 is in the weights of the last two layers.
pub(crate) const SCALE: i32 = 256;

/// The most units of the first layer.
const MAX_UNITS: usize = 256;

/// A net for one game: inputs, a layer of units, a smaller one, one output. Units are clipped to the
/// range of 0 to 1. Each input also adds to the output.
///
/// The output is added to the logit of the linear evaluation: half the log odds that the viewer wins
/// against the other seat. Only games of two have nets.
#[derive(Clone, PartialEq, Debug)]
pub struct ValueNet {
    game: &'static str,
    /// Number of units of the first layer.
    units: usize,
    /// A row of units per input, in units of 1 / [`ONE`].
    embedding: Vec<i16>,
    embedding_bias: Vec<i16>,
    /// What each input adds to the output, in units of 1 / ([`ONE`] * [`SCALE`]).
    skip: Vec<i32>,
    /// A row of units of the first layer per unit of the second, in units of 1 / [`SCALE`].
    middle: Vec<i16>,
    /// In units of 1 / ([`ONE`] * [`SCALE`]).
    middle_bias: Vec<i32>,
    /// Per unit of the second layer, in units of 1 / [`SCALE`].
    output: Vec<i16>,
    /// In units of 1 / ([`ONE`] * [`SCALE`]).
    output_bias: i32,
}

impl ValueNet {
    /// The output for a view of the game that the net is for.
    pub(crate) fn logit<G: Observe>(&self, rules: &G, view: &G::View<'_>) -> f32 {
        debug_assert_eq!(self.game, G::NAME, "the game of the net");
        let mut units = [0; MAX_UNITS];
        let units = &mut units[..self.units];
        units.copy_from_slice(&self.embedding_bias);
        let mut sum = self.output_bias;
        each_input(rules, view, |input| {
            let row = &self.embedding[input * units.len()..][..units.len()];
            units.iter_mut().zip(row).for_each(|(unit, weight)| *unit += weight);
            sum += self.skip[input];
        });
        units.iter_mut().for_each(|unit| *unit = (*unit).clamp(0, ONE as i16));
        let rows = self.middle.chunks_exact(units.len());
        for ((row, bias), &weight) in rows.zip(&self.middle_bias).zip(&self.output) {
            let products = units.iter().zip(row).map(|(&a, &b)| i32::from(a) * i32::from(b));
            let rounded = (bias + products.sum::<i32>() + SCALE / 2).div_euclid(SCALE);
            sum += rounded.clamp(0, ONE) * i32::from(weight);
        }
        sum as f32 / (ONE * SCALE) as f32
    }
}
