//! Policies from outside: functions from rows to decisions, such as Python callables.

use std::fmt;
use std::sync::Arc;

use darkqi_env::{
    Action, Format, Registered,
    batch::{policy_entries, seat_values},
};

use crate::agent::{Agent, AgentFailure, Decided, Decision, Request, decide_one};
use crate::nets::Block;

/// A function from rows to decisions.
pub trait Policy: fmt::Debug + Send + Sync {
    /// How it reads observations.
    fn format(&self) -> Format;

    /// Number of rows in a block, from 1 to [`Block::MAX_ROWS`].
    fn rows(&self) -> usize;

    /// Decides about all rows of a block; only those of its first [`Block::filled`] rows are used.
    ///
    /// # Errors
    /// If it cannot, or what it gives has other shapes.
    fn decide(&self, block: &Block) -> Result<PolicyDecisions, AgentFailure>;
}

/// A fault of a policy's answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PolicyFault {
    /// An action that is not legal, or that the game does not have.
    #[error("{0}")]
    Action(String),
    /// A value or a policy that is none.
    #[error("{0}")]
    Contents(String),
}

impl PolicyFault {
    /// The fault of an action that the game does not have, given how many it has.
    pub fn no_action(found: impl fmt::Display, actions: usize) -> Self {
        Self::Action(format!("expected actions from 0 to {}, got {found}", actions - 1))
    }
}

/// The decisions of a policy, row by row.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PolicyDecisions {
    /// An action per row.
    pub actions: Vec<i64>,
    /// The expected result of each seat per row, in seat order; empty if there are none.
    pub value: Vec<f32>,
    /// A probability of each action per row; empty if there are none.
    pub policy: Vec<f32>,
}

impl PolicyDecisions {
    /// The decision of a row.
    fn row<G: Registered>(
        &self,
        rules: &G,
        block: &Block,
        row: usize,
        legal: &[Action],
    ) -> Result<Decision, PolicyFault> {
        let (actions, action) = (block.actions(), self.actions[row]);
        // The driver finds out whether it is legal.
        let action = match u16::try_from(action) {
            Ok(index) if usize::from(index) < actions => Action(index),
            _ => return Err(PolicyFault::no_action(action, actions)),
        };
        let value = match &*self.value {
            [] => None,
            values => {
                let row = &values[row * rules.players()..][..rules.players()];
                Some(seat_values(row).map_err(PolicyFault::Contents)?.into_iter().collect())
            }
        };
        let policy = match &*self.policy {
            [] => None,
            probabilities => {
                let row = &probabilities[row * actions..][..actions];
                let is_legal = |action| legal.binary_search(&Action(action as u16)).is_ok();
                Some(policy_entries(row, is_legal).map_err(PolicyFault::Contents)?)
            }
        };
        Ok(Decision { action, value, policy })
    }
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
    fn decide(&mut self, rules: &G, request: &mut Request<'_, G>) -> Decided {
        decide_one(self, rules, request)
    }

    fn decide_batch(
        &mut self,
        rules: &G,
        requests: &mut [Request<'_, G>],
        decisions: &mut Vec<Decision>,
    ) -> Result<(), AgentFailure> {
        let Self { policy, block } = self;
        decisions.extend(block.decide(
            rules,
            requests,
            &mut PolicyDecisions::default(),
            |block, decided| policy.decide(block).map(|all| *decided = all),
            |block, decided, row, request| decided.row(rules, block, row, request.legal),
        )?);
        Ok(())
    }

    fn batch_size(&self) -> usize {
        self.block.rows()
    }

    fn boxed_clone(&self) -> Box<dyn Agent<G>> {
        Box::new(Self { policy: self.policy.clone(), block: self.block.clone() })
    }
}
