//! The agent that does not look.

use darkqi_env::{Action, Registered, Rng};

use super::{AgentError, AgentInfo, AgentSpec, Entry};
use crate::agent::Agent;

/// Plays uniformly random legal actions.
#[derive(Clone, Copy, Debug)]
pub struct Random;

impl Entry for Random {
    const INFO: AgentInfo = AgentInfo {
        name: "random",
        about: "Plays uniformly random legal actions.",
        options: &[],
    };

    fn build<G: Registered>(_: &AgentSpec) -> Result<Box<dyn Agent<G>>, AgentError> {
        Ok(Box::new(Self))
    }
}

impl<G: Registered> Agent<G> for Random {
    fn choose(&mut self, _: &G, _: &G::View<'_>, legal: &[Action], rng: &mut Rng) -> Action {
        legal[rng.below(legal.len() as u32) as usize]
    }

    fn boxed_clone(&self) -> Box<dyn Agent<G>> {
        Box::new(*self)
    }
}
