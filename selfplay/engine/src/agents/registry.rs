//! The registry of agents: one list, which everything iterates.

use darkqi_env::{Registered, Spec};

use super::baseline;
use super::epsilon::EPSILON;
use super::expectimax;
use super::greedy;
use super::info::{AgentInfo, AgentOption, Built, RegisteredAgent};
use super::ismcts;
use super::level;
use super::onnx;
use super::options::AgentOptions;
use super::random;
use super::uci;

/// The options that every agent has.
pub const COMMON_OPTIONS: &[AgentOption] = &[EPSILON];

macro_rules! registry {
    ($($module:ident::$agent:ident),* $(,)?) => {
        /// All agents, in alphabetical order.
        pub const fn agents() -> &'static [AgentInfo] {
            const AGENTS: &[AgentInfo] = &[$(<$module::$agent as RegisteredAgent>::INFO),*];
            AGENTS
        }

        /// The agents that play a game with its options, in alphabetical order.
        pub fn agents_of(spec: &Spec) -> Vec<&'static AgentInfo> {
            let plays = [$(<$module::$agent as RegisteredAgent>::plays(spec)),*];
            agents().iter().zip(plays).filter_map(|(info, plays)| plays.then_some(info)).collect()
        }

        /// The registered agent of this name.
        pub(super) fn build<G: Registered>(
            name: &str,
            rules: &G,
            options: &AgentOptions,
        ) -> Built<G> {
            $(
                if name == <$module::$agent as RegisteredAgent>::INFO.name {
                    return <$module::$agent as RegisteredAgent>::build(rules, options);
                }
            )*
            unreachable!("specs name registered agents, not `{name}`")
        }
    };
}

// One line per agent, in alphabetical order.
registry! {
    baseline::Baseline,
    expectimax::Expectimax,
    greedy::Greedy,
    ismcts::Ismcts,
    level::LevelAgent,
    onnx::Onnx,
    random::Random,
    uci::Uci,
}

/// The agent of this name.
pub(super) fn info(name: &str) -> Option<&'static AgentInfo> {
    agents().iter().find(|info| info.name == name)
}

/// All options of an agent, its own first.
pub fn options(info: &'static AgentInfo) -> impl Iterator<Item = &'static AgentOption> {
    info.options.iter().chain(COMMON_OPTIONS)
}
