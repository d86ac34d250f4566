//! The agent that does not look.

use darkqi_env::Registered;

use super::{Agent, AgentError, AgentInfo, AgentSpec, Decision, Entry, Request};

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
    fn decide(&mut self, _: &G, Request { legal, rng, .. }: &mut Request<'_, G>) -> Decision {
        legal[rng.below(legal.len() as u32) as usize].into()
    }

    fn boxed_clone(&self) -> Box<dyn Agent<G>> {
        Box::new(*self)
    }
}
