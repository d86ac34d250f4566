//! Epsilon-greedy exploration: any agent, with random actions in between.

use darkqi_env::{Action, Registered};

use super::info::AgentOption;
use crate::agent::{Agent, AgentFailure, Decided, Decision, Request};

/// The probability of a random action.
pub(super) const EPSILON: AgentOption = AgentOption::plain(
    "epsilon",
    "Probability of a uniformly random action instead of the agent's, from 0 to 1.",
    "0",
);

/// Plays a random action with some probability, otherwise what another agent decides.
pub(super) struct Epsilon<G: Registered> {
    probability: f64,
    agent: Box<dyn Agent<G>>,
}

impl<G: Registered> Epsilon<G> {
    pub(super) fn new(probability: f64, agent: Box<dyn Agent<G>>) -> Self {
        Self { probability, agent }
    }

    /// A random action, with the probability of one.
    fn explore(&self, request: &mut Request<'_, G>) -> Option<Action> {
        let Request { legal, rng, .. } = request;
        (rng.uniform() < self.probability).then(|| *rng.choose(legal))
    }
}

impl<G: Registered> Agent<G> for Epsilon<G> {
    fn decide(&mut self, rules: &G, request: &mut Request<'_, G>) -> Decided {
        match self.explore(request) {
            Some(action) => Ok(action.into()),
            None => self.agent.decide(rules, request),
        }
    }

    fn decide_batch(
        &mut self,
        rules: &G,
        requests: &mut [Request<'_, G>],
        decisions: &mut Vec<Decision>,
    ) -> Result<(), AgentFailure> {
        // Requests without a random action are moved to the front, to be decided together.
        let mut explored = vec![None; requests.len()];
        let mut places: Vec<usize> = (0..requests.len()).collect();
        let mut left = 0;
        for place in 0..requests.len() {
            explored[place] = self.explore(&mut requests[place]);
            if explored[place].is_none() {
                requests.swap(left, place);
                places.swap(left, place);
                left += 1;
            }
        }
        let mut decided = Vec::with_capacity(left);
        self.agent
            .decide_batch(rules, &mut requests[..left], &mut decided)
            .map_err(|failure| AgentFailure { request: places[failure.request], ..failure })?;
        // The places in front still ascend: each was swapped in as it was reached.
        let mut decided = decided.into_iter();
        decisions.extend(explored.into_iter().map(|action| match action {
            Some(action) => action.into(),
            None => decided.next().expect("an agent gives one decision per request"),
        }));
        Ok(())
    }

    fn batch_size(&self) -> usize {
        self.agent.batch_size()
    }

    fn restarts(&self) -> u64 {
        self.agent.restarts()
    }

    fn boxed_clone(&self) -> Box<dyn Agent<G>> {
        Box::new(Self::new(self.probability, self.agent.boxed_clone()))
    }
}
