//! The legal actions of a lane.

use std::collections::TryReserveError;

use super::mask::Mask;
use crate::board::Action;
use crate::rng::{Rng, Stream};

/// The legal actions of a lane's game, and the generator that samples them. A batch keeps them apart
/// from the games: checking and sampling actions reads no game.
#[derive(Debug)]
pub(super) struct LegalActions {
    /// Empty once the game is over.
    pub(super) mask: Mask,
    sampler: Rng,
}

impl LegalActions {
    /// The empty set, with room for this many actions.
    ///
    /// # Errors
    /// If there is no memory.
    pub(super) fn new(actions: usize) -> Result<Self, TryReserveError> {
        Ok(Self { mask: Mask::new(actions)?, sampler: Rng::new(0, Stream::Sample) })
    }

    /// Starts the random stream of the game with this seed.
    pub(super) fn seed(&mut self, seed: u64) {
        self.sampler = Rng::new(seed, Stream::Sample);
    }

    /// The action with this index, if it is legal.
    #[inline]
    pub(super) fn get(&self, index: i64) -> Option<Action> {
        let legal = usize::try_from(index).is_ok_and(|index| self.mask.contains(index));
        legal.then_some(Action(index as u16))
    }

    /// Whether the lane's game is over and its next one is not dealt yet.
    pub(super) fn is_over(&self) -> bool {
        self.mask.is_empty()
    }

    /// Prefetches the set.
    #[inline]
    pub(super) fn prefetch(&self) {
        self.mask.prefetch();
    }

    /// A uniformly random legal action; none once the game is over.
    #[inline]
    pub(super) fn sample(&mut self) -> Option<Action> {
        match self.mask.count() {
            0 => None,
            count => self.mask.nth(self.sampler.below(count)),
        }
    }
}
