//! Rows of a fixed number of positions.
//!
//! A net computes a whole block at once, and libraries choose their algorithms by its shape. So that
//! what a net gives for a position does not depend on the number of positions beside it, blocks
//! always have the same number of rows: missing ones are copies of the first.

use std::error::Error;

use darkqi_env::{Action, Format, Registered};

use crate::agent::{AgentFailure, Decision, Request};

/// Rows of a fixed number of positions, each seen by its mover.
#[derive(Clone, Debug)]
pub struct Block {
    format: Format,
    rows: usize,
    filled: usize,
    /// Number of actions.
    actions: usize,
    observation: Vec<u8>,
    action_mask: Vec<bool>,
    player: Vec<i8>,
}

impl Block {
    /// The most rows of a block. A mistyped number must not fill the memory.
    pub const MAX_ROWS: usize = 65_536;

    /// An empty block of this many rows, from 1 to [`Block::MAX_ROWS`].
    pub fn new<G: Registered>(rules: &G, format: Format, rows: usize) -> Self {
        let actions = rules.table().len();
        Self {
            format,
            rows,
            filled: 0,
            actions,
            observation: vec![0; rows * format.len(&G::LAYOUT)],
            action_mask: vec![false; rows * actions],
            player: vec![0; rows],
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of positions, in the first rows.
    pub fn filled(&self) -> usize {
        self.filled
    }

    /// Number of actions, the length of a mask.
    pub fn actions(&self) -> usize {
        self.actions
    }

    /// Observations, row by row.
    pub fn observation(&self) -> &[u8] {
        &self.observation
    }

    /// Masks of legal actions, row by row.
    pub fn action_mask(&self) -> &[bool] {
        &self.action_mask
    }

    /// The seat to move, for each row.
    pub fn player(&self) -> &[i8] {
        &self.player
    }

    /// Holds what these requests show, and copies of the first in the rows that are left.
    ///
    /// # Panics
    /// If there is none, or there are more than rows.
    pub(crate) fn fill<G: Registered>(&mut self, rules: &G, requests: &[Request<'_, G>]) {
        self.clear();
        requests.iter().for_each(|request| self.push(rules, &request.view, request.legal));
        self.pad();
    }

    /// Decides on all requests, a block at a time: `compute` writes what it makes of the block into
    /// `computed`, and `decide` reads the row of each request there.
    ///
    /// # Errors
    /// The errors of `compute` and `decide`, with the number of the request among all.
    pub(crate) fn decide<G: Registered, T, E: Into<Box<dyn Error + Send + Sync>>>(
        &mut self,
        rules: &G,
        requests: &mut [Request<'_, G>],
        computed: &mut T,
        mut compute: impl FnMut(&Self, &mut T) -> Result<(), AgentFailure>,
        mut decide: impl FnMut(&Self, &T, usize, &mut Request<'_, G>) -> Result<Decision, E>,
    ) -> Result<Vec<Decision>, AgentFailure> {
        let mut decisions = Vec::with_capacity(requests.len());
        for requests in requests.chunks_mut(self.rows) {
            let first = decisions.len();
            self.fill(rules, requests);
            compute(self, computed)
                .map_err(|failure| AgentFailure { request: first + failure.request, ..failure })?;
            for (row, request) in requests.iter_mut().enumerate() {
                let decision = decide(self, computed, row, request);
                decisions.push(decision.map_err(|cause| AgentFailure::new(first + row, cause))?);
            }
        }
        Ok(decisions)
    }

    /// Forgets the positions.
    pub(crate) fn clear(&mut self) {
        self.filled = 0;
    }

    /// Adds what the seat to move sees.
    ///
    /// # Panics
    /// If the block is full.
    pub(crate) fn push<G: Registered>(&mut self, rules: &G, view: &G::View<'_>, legal: &[Action]) {
        let row = self.filled;
        let bytes = self.format.len(&G::LAYOUT);
        self.format.write(rules, view, &mut self.observation[row * bytes..][..bytes]);
        let mask = &mut self.action_mask[row * self.actions..][..self.actions];
        mask.fill(false);
        legal.iter().for_each(|action| mask[action.index()] = true);
        self.player[row] = G::view_to_move(view) as i8;
        self.filled += 1;
    }

    /// Repeats the first row in those that are left.
    ///
    /// # Panics
    /// If there is no position.
    pub(crate) fn pad(&mut self) {
        assert!(self.filled > 0, "a block has a position");
        let bytes = self.observation.len() / self.rows;
        for row in self.filled..self.rows {
            self.observation.copy_within(..bytes, row * bytes);
            self.action_mask.copy_within(..self.actions, row * self.actions);
            self.player[row] = self.player[0];
        }
    }

    /// Moves each row, the first one to the end, and keeps this many of them: other neighbours, another
    /// place, and another number of legal actions in all.
    pub(super) fn rotate(&mut self, kept: usize) {
        let bytes = self.observation.len() / self.rows;
        self.observation.rotate_left(bytes);
        self.action_mask.rotate_left(self.actions);
        self.player.rotate_left(1);
        self.filled = kept;
        self.pad();
    }
}
