//! The demands of the registry on an agent.

use darkqi_env::{Registered, Spec};

use super::error::AgentError;
use super::info::AgentInfo;
use super::options::AgentOptions;
use crate::agent::Agent;

/// A registered agent.
pub(super) trait RegisteredAgent {
    const INFO: AgentInfo;

    /// Whether it plays a game with its options.
    fn plays(_: &Spec) -> bool {
        true
    }

    /// The agent for a game, with these options.
    fn build<G: Registered>(
        rules: &G,
        options: &AgentOptions,
    ) -> Result<Box<dyn Agent<G>>, AgentError>;
}
