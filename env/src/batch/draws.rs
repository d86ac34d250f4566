//! Random actions of all lanes, drawn before they are asked for.

use super::choice::Plan;
use crate::action::Action;

/// Random actions of all lanes.
///
/// Where they are asked for from step to step, a step draws those of the next one while it has the
/// legal actions at hand: whoever takes them, and plays them, need not look at those again.
#[derive(Debug)]
pub(super) struct Draws {
    /// What each lane's choice draws; none once its game is over.
    pub(super) actions: Vec<Option<Action>>,
    pub(super) stage: Stage,
}

/// What is known of [`Draws`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    /// They were drawn for other positions, or never.
    Stale,
    /// They are the next to be asked for.
    Ready,
    /// They have been asked for.
    Taken,
}

impl Draws {
    /// Plans these actions if they are what was drawn, and so legal. If they are not in all lanes,
    /// plans are to be made anew.
    pub(super) fn plan(&self, actions: &[i64], plans: &mut [Plan]) -> bool {
        let mut lanes = self.actions.iter().zip(actions).zip(plans);
        self.stage != Stage::Stale
            && lanes.all(|((drawn, &action), plan)| match *drawn {
                Some(drawn) if i64::from(drawn.0) == action => {
                    *plan = Plan::Play(drawn);
                    true
                }
                _ => false,
            })
    }
}
