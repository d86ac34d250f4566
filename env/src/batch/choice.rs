//! What may be done in a lane, and what is done.

use super::config::Reset;
use super::mask::Mask;
use crate::board::Action;
use crate::rng::{Rng, Stream};

/// What may be done in a lane. Checking and sampling actions touches no game: a batch keeps all its
/// choices together.
#[derive(Debug)]
pub(super) struct Choice {
    /// The legal actions of the lane's game; none once it is over.
    pub(super) mask: Mask,
    /// Samples the game's random actions.
    sampler: Rng,
}

/// What is done next in a lane.
#[derive(Clone, Copy, Debug)]
pub(super) enum Plan {
    /// A legal action of the lane's game.
    Play(Action),
    /// The mover gives the game up.
    Forfeit,
    /// What a reset does.
    Reset(Reset),
}

impl Choice {
    /// No choice, with room for this many actions.
    pub(super) fn new(actions: usize) -> Self {
        Self { mask: Mask::new(actions), sampler: Rng::new(0, Stream::Sample) }
    }

    /// Samples for the game that has this seed from now on.
    pub(super) fn begin(&mut self, seed: u64) {
        self.sampler = Rng::new(seed, Stream::Sample);
    }

    /// The action with this index, of any size, if it is legal.
    #[inline]
    pub(super) fn action(&self, index: i64) -> Option<Action> {
        let legal = usize::try_from(index).is_ok_and(|index| self.mask.contains(index));
        legal.then_some(Action(index as u16))
    }

    /// Whether the lane's game is over, and the next one not dealt.
    pub(super) fn is_over(&self) -> bool {
        self.mask.is_empty()
    }

    /// Asks for the memory of the legal actions.
    #[inline]
    pub(super) fn prefetch(&self) {
        self.mask.prefetch();
    }

    /// A uniformly random legal action, if there is one.
    #[inline]
    pub(super) fn sample(&mut self) -> Option<Action> {
        match self.mask.count() {
            0 => None,
            count => self.mask.nth(self.sampler.below(count)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::Choice;
    use crate::board::{Action, ActionBits};

    #[test]
    fn samples_are_uniform() {
        let mut choice = Choice::new(200);
        assert_eq!(choice.sample(), None);
        for index in [0, 63, 64, 199] {
            choice.mask.insert(ActionBits::single(Action(index)));
        }
        choice.begin(1);
        let mut counts = BTreeMap::new();
        for _ in 0..40_000 {
            let action = choice.sample().expect("there are actions");
            *counts.entry(action.0).or_insert(0_u32) += 1;
        }
        assert_eq!(counts.keys().copied().collect::<Vec<_>>(), [0, 63, 64, 199]);
        // Each count has standard deviation 87; five of them are 435.
        assert!(counts.values().all(|count| count.abs_diff(10_000) < 435), "{counts:?}");
    }
}
