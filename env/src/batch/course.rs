//! What all lanes of a batch share.

use super::config::BatchConfig;
use super::lane::{Choice, Lane};
use super::opponents::Opponents;
use crate::games::Registered;

/// Lanes that one task works on: few enough to share work out evenly, enough that handing out
/// tasks costs nothing beside stepping.
pub(super) const TASK_LANES: usize = 16;

/// Games in which the caller must have had a turn once.
const TRIES: usize = 100;

/// Everything that the lanes of a batch have in common.
#[derive(Debug)]
pub(super) struct Course<G: Registered> {
    pub(super) rules: G,
    pub(super) config: BatchConfig,
    pub(super) opponents: Option<Box<dyn Opponents<G>>>,
}

impl<G: Registered> Course<G> {
    /// Lanes that one task works on; opponents may think for long.
    pub(super) fn task_lanes(&self) -> usize {
        if self.opponents.is_some() { 1 } else { TASK_LANES }
    }

    /// Whether opponents let the caller have a turn in one of some games at least. They may not:
    /// under small limits a game can end before a late seat's first ply.
    pub(super) fn gives_turns(&self) -> bool {
        let mut choice = Choice::new(self.rules.table().len());
        self.opponents.is_none()
            || (0..TRIES).any(|number| Lane::dealt(self, number).begin(self, &mut choice))
    }
}
