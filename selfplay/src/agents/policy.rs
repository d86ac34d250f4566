//! Policies from outside: functions from rows to decisions, such as Python callables.

use std::fmt;
use std::sync::Arc;

use darkqi_env::{Action, Format, Registered, policy_entries, seat_values};

use crate::driver::{Agent, AgentFailure, Decision, Request, decide_one};
use crate::nets::Block;

/// A function from rows to decisions.
pub trait Policy: fmt::Debug + Send + Sync {
    /// How it reads observations.
    fn format(&self) -> Format;

    /// Number of rows in a block, at least 1.
    fn rows(&self) -> usize;

    /// Decides about all rows of a block; only those of its first [`Block::filled`] rows are used.
    ///
    /// # Errors
    /// If it cannot, or what it gives has other shapes.
    fn decide(&self, block: &Block) -> Result<PolicyDecisions, AgentFailure>;
}

/// What a policy decides, row by row.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PolicyDecisions {
    /// An action per row.
    pub actions: Vec<i64>,
    /// The expected result of each seat per row, in seat order; empty if there are none.
    pub value: Vec<f32>,
    /// A probability of each action per row; empty if there are none.
    pub policy: Vec<f32>,
}

/// Plays what a policy decides.
pub(super) struct PolicyAgent {
    policy: Arc<dyn Policy>,
    block: Block,
}

impl PolicyAgent {
    pub(super) fn new<G: Registered>(rules: &G, policy: Arc<dyn Policy>) -> Self {
        let block = Block::new(rules, policy.format(), policy.rows());
        Self { policy, block }
    }
}

impl<G: Registered> Agent<G> for PolicyAgent {
    fn decide(
        &mut self,
        rules: &G,
        request: &mut Request<'_, G>,
    ) -> Result<Decision, AgentFailure> {
        decide_one(self, rules, request)
    }

    fn decide_batch(
        &mut self,
        rules: &G,
        requests: &mut [Request<'_, G>],
        decisions: &mut Vec<Decision>,
    ) -> Result<(), AgentFailure> {
        let Self { policy, block } = self;
        let rows = block.rows();
        for (number, requests) in requests.chunks(rows).enumerate() {
            let first = number * rows;
            block.fill(rules, requests);
            let of_block = |failure: AgentFailure| AgentFailure {
                request: first + failure.request,
                ..failure
            };
            let decided = policy.decide(block).map_err(of_block)?;
            for (row, request) in requests.iter().enumerate() {
                let fail = |cause: String| AgentFailure::new(first + row, cause);
                let action = decided.actions[row];
                // The driver finds out whether it is legal.
                let action = match u16::try_from(action) {
                    Ok(index) if usize::from(index) < block.actions() => Action(index),
                    _ => {
                        let last = block.actions() - 1;
                        let expected = format!("expected actions from 0 to {last}, got {action}");
                        return Err(fail(expected));
                    }
                };
                let value = match &*decided.value {
                    [] => None,
                    values => {
                        let row = &values[row * rules.players()..][..rules.players()];
                        Some(seat_values(row).map_err(fail)?.into_iter().collect())
                    }
                };
                let policy = match &*decided.policy {
                    [] => None,
                    probabilities => {
                        let row = &probabilities[row * block.actions()..][..block.actions()];
                        let is_legal =
                            |action| request.legal.binary_search(&Action(action as u16)).is_ok();
                        Some(policy_entries(row, is_legal).map_err(fail)?)
                    }
                };
                decisions.push(Decision { action, value, policy });
            }
        }
        Ok(())
    }

    fn batch_size(&self) -> usize {
        self.block.rows()
    }

    fn boxed_clone(&self) -> Box<dyn Agent<G>> {
        Box::new(Self { policy: self.policy.clone(), block: self.block.clone() })
    }
}
