//! Tree search by sampled worlds.

use darkqi_env::Registered;

use super::settings::{self, EVALUATION_OPTIONS};
use super::{
    Agent, AgentError, AgentInfo, AgentOption, AgentSpec, Decision, Entry, Request,
};
pub use crate::search::Ismcts;

const DEFAULT_SIMULATIONS: u32 = 400;
const DEFAULT_EXPLORATION: f32 = 1.0;

/// What a tree may grow to: some gigabytes in the game with the most actions.
const MOST_SIMULATIONS: u32 = 1_000_000;

impl Entry for Ismcts {
    const INFO: AgentInfo = AgentInfo {
        name: "ismcts",
        about: "Information-set Monte-Carlo tree search: simulations in worlds that fit what the \
                player knows, judged after captures; every seat plays for itself.",
        options: &[
            AgentOption {
                name: "sims",
                about: "Simulations for a decision.",
                default: "400",
                is_file: false,
            },
            AgentOption {
                name: "c",
                about: "Weight of what is untried against what has proved good (PUCT).",
                default: "1",
                is_file: false,
            },
            EVALUATION_OPTIONS[0],
            EVALUATION_OPTIONS[1],
        ],
    };

    fn build<G: Registered>(spec: &AgentSpec) -> Result<Box<dyn Agent<G>>, AgentError> {
        let simulations = settings::number(spec, "sims", 1..=MOST_SIMULATIONS)?;
        let exploration = settings::number(spec, "c", 0.0..=1000.0)?;
        Ok(Box::new(Self::new(
            settings::evaluation::<G>(spec)?,
            simulations.unwrap_or(DEFAULT_SIMULATIONS),
            exploration.unwrap_or(DEFAULT_EXPLORATION),
        )))
    }
}

impl<G: Registered> Agent<G> for Ismcts {
    fn decide(&mut self, rules: &G, request: &mut Request<'_, G>) -> Decision {
        let Request { view, legal, rng } = request;
        let action = match **legal {
            [only] => only,
            _ => self.think(rules, view, rng),
        };
        action.into()
    }

    fn boxed_clone(&self) -> Box<dyn Agent<G>> {
        Box::new(self.clone())
    }
}
