//! What all lanes of a batch share.

use super::choice::Choice;
use super::config::BatchConfig;
use super::lane::Lane;
use super::opponents::Opponents;
use crate::games::Registered;

/// Lanes that are stepped in a row at least: few enough to share them out evenly, enough that
/// handing them over costs nothing beside.
pub(super) const PIECE: usize = 16;

/// Lanes whose actions are sampled in a row.
pub(super) const SAMPLES: usize = 256;

/// Pieces for each thread, which suffice to share lanes out evenly; in longer ones more lanes can be
/// asked for ahead.
const PIECES: usize = 16;

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
    /// How many of these lanes a thread steps in a row; opponents may think for long.
    pub(super) fn piece(&self, lanes: usize, threads: usize) -> usize {
        if self.opponents.is_some() { 1 } else { PIECE.max(lanes / (PIECES * threads)) }
    }

    /// Whether opponents let the caller have a turn in one of some games at least. They may not:
    /// under small limits a game can end before a late seat's first ply.
    pub(super) fn gives_turns(&self) -> bool {
        let mut choice = Choice::new(self.rules.table().len());
        self.opponents.is_none()
            || (0..TRIES).any(|number| Lane::dealt(self, number).begin(self, &mut choice))
    }
}
