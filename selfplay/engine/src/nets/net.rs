//! Nets, and the meaning of their outputs.

use std::error::Error;

use arrayvec::ArrayVec;
use darkqi_env::{
    Action, Format, Player, Registered, Rng, Stream, Viewer,
    game::{GameExt, MAX_PLAYERS},
};
use darkqi_format::PolicyEntry;

use super::block::Block;
use crate::evaluation::share;

/// A function from a block of rows to a policy and, if it has them, values.
pub(crate) trait Net: Send {
    /// How it reads observations.
    fn format(&self) -> Format;

    /// Number of rows in a block.
    fn rows(&self) -> usize;

    /// Computes all rows of a block.
    ///
    /// # Errors
    /// If it cannot be computed, or the outputs have other shapes than those expected.
    fn evaluate(
        &mut self,
        block: &Block,
        evaluations: &mut Evaluations,
    ) -> Result<(), Box<dyn Error + Send + Sync>>;

    /// An equal net, for another thread.
    fn boxed_clone(&self) -> Box<dyn Net>;
}

/// The outputs for a block.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Evaluations {
    /// Logits of all actions, row by row.
    pub(crate) policy: Vec<f32>,
    /// Values, row by row: one per seat, in seat order, or one per row, the mover's. Empty without
    /// values.
    pub(crate) value: Vec<f32>,
}

impl Evaluations {
    /// The logits of a row.
    pub(crate) fn logits(&self, row: usize, block: &Block) -> &[f32] {
        &self.policy[row * block.actions()..][..block.actions()]
    }

    /// The values of a row: all seats', the mover's, or none.
    pub(crate) fn values(&self, row: usize, block: &Block) -> &[f32] {
        let each = self.value.len() / block.rows();
        &self.value[row * each..][..each]
    }
}

/// The probabilities of legal actions by their logits (softmax). Actions of probability 0 are left
/// out.
///
/// # Errors
/// If a logit is NaN or infinite; only minus infinity is a logit, unless all are.
pub(crate) fn policy(logits: &[f32], legal: &[Action]) -> Result<Vec<PolicyEntry>, String> {
    let logit = |action: &Action| logits[action.index()];
    let wrong = |logit: f32| logit.is_nan() || logit == f32::INFINITY;
    if let Some(action) = legal.iter().find(|action| wrong(logit(action))) {
        let found = logit(action);
        return Err(format!(
            "output `policy`: expected a finite logit of action {}, found {found}",
            action.0
        ));
    }
    let greatest = legal.iter().map(logit).fold(f32::NEG_INFINITY, f32::max);
    if greatest == f32::NEG_INFINITY {
        return Err(
            "output `policy`: expected a finite logit, found -inf for all legal actions".into()
        );
    }
    let weight = |action: &Action| libm::exp(f64::from(logit(action)) - f64::from(greatest));
    let weights: Vec<f64> = legal.iter().map(weight).collect();
    let all: f64 = weights.iter().sum();
    let entry = |(action, weight): (&Action, f64)| PolicyEntry {
        action: action.0,
        probability: (weight / all) as f32,
    };
    let entries = legal.iter().zip(weights).map(entry);
    Ok(entries.filter(|entry| entry.probability > 0.0).collect())
}

/// Twice what a seat can get. Results lie between -1 and 1; a net whose last layer has no bounds may
/// expect a little more.
const MAX_VALUE: f32 = 2.0;

/// The values of all seats, from all of them or the mover's alone.
///
/// # Errors
/// If one is no finite number, or too far from 0 for an expected result: in a search others outweigh the
/// policy, whatever it says, and sums of huge ones are no numbers.
pub(crate) fn seat_values<G: Registered>(
    rules: &G,
    mover: Player,
    values: &[f32],
) -> Result<ArrayVec<f32, MAX_PLAYERS>, String> {
    if let Some(found) = values.iter().find(|value| !value.is_finite()) {
        return Err(format!("output `value`: expected finite numbers, found {found}"));
    }
    if let Some(found) = values.iter().find(|value| value.abs() > MAX_VALUE) {
        return Err(format!(
            "output `value`: expected results, which lie between -1 and 1, found {found}"
        ));
    }
    Ok(match values {
        [of_mover] => share(rules, mover, *of_mover),
        all => all.iter().copied().collect(),
    })
}

/// Computes a full block of positions twice, the second time half of its rows, in other places, and compares
/// them bit by bit: games must not depend on the games beside them.
///
/// # Errors
/// If the net cannot be computed, or a row depends on its place or on other rows.
pub(crate) fn check_rows(
    net: &mut dyn Net,
    mut block: Block,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let mut first = Evaluations::default();
    net.evaluate(&block, &mut first)?;
    let rows = block.rows();
    block.rotate(rows.div_ceil(2));
    let mut second = Evaluations::default();
    net.evaluate(&block, &mut second)?;
    for rotated in 0..block.filled() {
        let row = (rotated + 1) % rows;
        let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        let equal = |one: &[f32], other: &[f32]| bits(one) == bits(other);
        if !equal(first.logits(row, &block), second.logits(rotated, &block))
            || !equal(first.values(row, &block), second.values(rotated, &block))
        {
            return Err(format!(
                "row {row} of {rows} has other outputs in place {rotated} beside other rows; expected \
                 a net that computes each row alone (with batch=1 any net does)"
            )
            .into());
        }
    }
    Ok(())
}

/// A full block of positions of random games.
pub(crate) fn positions<G: Registered>(rules: &G, format: Format, rows: usize) -> Block {
    let mut block = Block::new(rules, format, rows);
    let mut rng = Rng::new(0, Stream::Sample);
    let mut legal = Vec::new();
    for seed in 0.. {
        let mut state = rules.deal(&mut Rng::new(seed, Stream::Deal));
        loop {
            rules.list_actions(&state, &mut legal);
            if rules.outcome_given(&state, !legal.is_empty()).is_some() {
                break;
            }
            let mover = rules.to_move(&state);
            block.push(rules, &rules.view(&state, Viewer::Player(mover)), &legal);
            if block.filled() == rows {
                return block;
            }
            rules.play(&mut state, *rng.choose(&legal));
        }
    }
    unreachable!("the first position of a game is never its last")
}

#[cfg(test)]
mod tests {
    use darkqi_env::Action;

    use super::policy;

    #[test]
    fn policies_are_softmax_over_legal_actions() {
        let legal = [Action(1), Action(3), Action(4)];
        let entries = policy(&[f32::NAN, 0.0, 9.0, 2f32.ln(), f32::NEG_INFINITY], &legal);
        let entries = entries.expect("the logits of legal actions are sound");
        let found: Vec<_> = entries.iter().map(|entry| (entry.action, entry.probability)).collect();
        assert_eq!(found.iter().map(|entry| entry.0).collect::<Vec<_>>(), [1, 3]);
        assert!((found[0].1 - 1.0 / 3.0).abs() < 1e-6 && (found[1].1 - 2.0 / 3.0).abs() < 1e-6);
    }

    #[test]
    fn logits_that_are_not_finite_are_named() {
        let legal = [Action(0), Action(2)];
        let error = policy(&[0.0, 0.0, f32::NAN], &legal).expect_err("it is NaN");
        assert_eq!(error, "output `policy`: expected a finite logit of action 2, found NaN");
        assert!(policy(&[f32::INFINITY, 0.0, 0.0], &legal).is_err());
        assert!(policy(&[f32::NEG_INFINITY; 3], &legal).is_err());
    }
}
