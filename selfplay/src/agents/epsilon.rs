//! Epsilon-greedy exploration: any agent, with random actions in between.

use darkqi_env::Registered;

use super::info::AgentOption;
use crate::driver::{Agent, Decision, Request};

/// The probability of a random action.
pub(super) const EPSILON: AgentOption = AgentOption {
    name: "epsilon",
    about: "Probability of a uniformly random action instead of the agent's, from 0 to 1.",
    default: "0",
    is_file: false,
};

/// Plays a random action with some probability, otherwise what another agent decides.
pub(super) struct Epsilon<G: Registered> {
    probability: f64,
    agent: Box<dyn Agent<G>>,
}

impl<G: Registered> Epsilon<G> {
    pub(super) fn new(probability: f64, agent: Box<dyn Agent<G>>) -> Self {
        Self { probability, agent }
    }
}

impl<G: Registered> Agent<G> for Epsilon<G> {
    fn decide(&mut self, rules: &G, request: &mut Request<'_, G>) -> Decision {
        let Request { legal, rng, .. } = request;
        // A uniform number in [0, 1) from 53 bits. `rand` gives the same one today, but may change its
        // distributions between versions; a logged seed must give the same game for ever.
        let uniform = (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        if uniform < self.probability {
            return legal[rng.below(legal.len() as u32) as usize].into();
        }
        self.agent.decide(rules, request)
    }

    fn boxed_clone(&self) -> Box<dyn Agent<G>> {
        Box::new(Self::new(self.probability, self.agent.boxed_clone()))
    }
}
