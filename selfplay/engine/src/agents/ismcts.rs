//! The agent `ismcts`: Monte-Carlo tree search by sampled worlds.

use darkqi_env::{Action, Registered};
use darkqi_format::PolicyEntry;

use super::info::{AgentInfo, AgentOption, Built, RegisteredAgent};
use super::options::{AgentOptions, NET, VALUES, WEIGHTS};
use crate::agent::{Agent, Decided, Decision, Request};
pub(super) use crate::search::Ismcts;
use crate::search::Visits;

const SIMULATIONS: AgentOption = AgentOption::plain("sims", "Simulations for a decision.", "400");
const EXPLORATION: AgentOption =
    AgentOption::plain("c", "Exploration constant of PUCT: weight of priors against values.", "1");

/// A tree of this size takes some gigabytes in the game with the most actions.
const MAX_SIMULATIONS: u32 = 1_000_000;

impl RegisteredAgent for Ismcts {
    const INFO: AgentInfo = AgentInfo {
        name: "ismcts",
        about: "Information-set Monte-Carlo tree search: simulations in worlds that fit what the \
                player knows, leaves by quiescence search; every seat maximises its own result.",
        argument: None,
        options: &[SIMULATIONS, EXPLORATION, NET, VALUES, WEIGHTS],
    };

    fn build<G: Registered>(rules: &G, options: &AgentOptions) -> Built<G> {
        Ok(Box::new(Self::new(
            options.evaluation::<G>()?.with_net(options.net(rules)?),
            options.number_or_default(&SIMULATIONS, 1..=MAX_SIMULATIONS)?,
            options.number_or_default(&EXPLORATION, 0.0..=1000.0)?,
        )))
    }
}

impl<G: Registered> Agent<G> for Ismcts {
    fn decide(&mut self, rules: &G, request: &mut Request<'_, G>) -> Decided {
        let Request { view, legal, rng, stop, .. } = request;
        if let [only] = **legal {
            return Ok(only.into());
        }
        let Visits { action, values, shares } = self.search(rules, view, rng, stop);
        let entry =
            |(action, probability): (Action, f32)| PolicyEntry { action: action.0, probability };
        Ok(Decision {
            value: Some(values.into_iter().take(rules.players()).collect()),
            policy: Some(shares.into_iter().map(entry).collect()),
            ..action.into()
        })
    }

    fn boxed_clone(&self) -> Box<dyn Agent<G>> {
        Box::new(self.clone())
    }
}
