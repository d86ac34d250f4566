//! The agent `random`.

use darkqi_env::Registered;

use super::info::{AgentInfo, Built, RegisteredAgent};
use super::options::AgentOptions;
use crate::agent::{Agent, Decided, Request};

/// Plays uniformly random legal actions.
#[derive(Clone, Copy, Debug)]
pub struct Random;

impl RegisteredAgent for Random {
    const INFO: AgentInfo = AgentInfo {
        name: "random",
        about: "Plays uniformly random legal actions.",
        argument: None,
        options: &[],
    };

    fn build<G: Registered>(_: &G, _: &AgentOptions) -> Built<G> {
        Ok(Box::new(Self))
    }
}

impl<G: Registered> Agent<G> for Random {
    fn decide(&mut self, _: &G, Request { legal, rng, .. }: &mut Request<'_, G>) -> Decided {
        Ok((*rng.choose(legal)).into())
    }

    fn boxed_clone(&self) -> Box<dyn Agent<G>> {
        Box::new(*self)
    }
}
