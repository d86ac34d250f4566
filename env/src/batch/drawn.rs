//! Random actions of all lanes, drawn before they are asked for.

use crate::board::Action;

/// Random actions of all lanes.
///
/// Where they are asked for from step to step, a step draws those of the next one while it has the
/// legal actions at hand: whoever takes them, and plays them, need not look at those again.
#[derive(Debug)]
pub(super) struct Drawn {
    /// What each lane's choice draws; none once its game is over.
    pub(super) actions: Vec<Option<Action>>,
    pub(super) stage: Stage,
}

/// What is known of [`Drawn`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    /// They were drawn for other positions, or never.
    Stale,
    /// They are the next to be asked for.
    Ready,
    /// They have been asked for.
    Taken,
}

impl Drawn {
    /// What was drawn for a lane's position: a legal action, unless it is not known or none is.
    #[inline]
    pub(super) fn of(&self, lane: usize) -> Option<Action> {
        if self.stage == Stage::Stale { None } else { self.actions[lane] }
    }
}
