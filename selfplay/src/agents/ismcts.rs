//! Tree search by sampled worlds.

use darkqi_env::{Action, Registered, Rng};

use super::settings::{self, EVALUATION_OPTIONS};
use super::{AgentError, AgentInfo, AgentOption, AgentSpec, Entry};
use crate::agent::Agent;
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
    fn choose(
        &mut self,
        rules: &G,
        view: &G::View<'_>,
        legal: &[Action],
        rng: &mut Rng,
    ) -> Action {
        match *legal {
            [only] => only,
            _ => self.think(rules, view, rng),
        }
    }

    fn boxed_clone(&self) -> Box<dyn Agent<G>> {
        Box::new(self.clone())
    }
}
