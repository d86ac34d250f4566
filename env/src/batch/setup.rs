//! What all lanes of a batch share.

use super::config::BatchConfig;
use super::opponents::Opponents;
use crate::games::Registered;

/// What all lanes of a batch share.
#[derive(Debug)]
pub(super) struct BatchSetup<G: Registered> {
    pub(super) rules: G,
    pub(super) config: BatchConfig,
    pub(super) opponents: Option<Box<dyn Opponents<G>>>,
}
