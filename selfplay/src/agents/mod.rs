//! The registry of agents: one list, which everything iterates.

mod agent;
mod digests;
mod epsilon;
mod settings;
mod spec;
pub(crate) mod tables;
pub(crate) mod values;

use darkqi_env::Registered;

pub use agent::{Agent, Decision, Request};
pub(crate) use digests::digests;
pub(crate) use settings::BUILT_IN;
pub use spec::{AgentError, AgentSpec};
pub use values::{PieceValues, ValuesError};

/// An agent that can be asked for by name.
#[derive(Debug)]
pub struct AgentInfo {
    /// The name.
    pub name: &'static str,
    /// How it plays, in one sentence.
    pub about: &'static str,
    /// What can be set.
    pub options: &'static [AgentOption],
}

/// One option of an agent.
#[derive(Clone, Copy, Debug)]
pub struct AgentOption {
    /// The name.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub about: &'static str,
    /// The value without being told otherwise.
    pub default: &'static str,
    /// Whether the value names a file, unless it is `built-in`.
    pub is_file: bool,
}

/// The options that every agent has.
pub const COMMON_OPTIONS: &[AgentOption] = &[epsilon::EPSILON];

/// A registered agent.
trait Entry {
    const INFO: AgentInfo;

    /// The agent for a game, with the spec's options.
    fn build<G: Registered>(spec: &AgentSpec) -> Result<Box<dyn Agent<G>>, AgentError>;
}

macro_rules! registry {
    ($($module:ident::$agent:ident),* $(,)?) => {
        $(mod $module;)*
        $(pub use $module::$agent;)*

        /// All agents, in alphabetical order.
        pub const fn all() -> &'static [AgentInfo] {
            const ALL: &[AgentInfo] = &[$(<$agent as Entry>::INFO),*];
            ALL
        }

        /// The agent that a spec names, which is a registered one.
        fn build<G: Registered>(spec: &AgentSpec) -> Result<Box<dyn Agent<G>>, AgentError> {
            $(
                if spec.name() == <$agent as Entry>::INFO.name {
                    return <$agent as Entry>::build(spec);
                }
            )*
            unreachable!("specs name registered agents, not `{}`", spec.name())
        }
    };
}

// One line per agent, in alphabetical order.
registry! {
    expectimax::Expectimax,
    greedy::Greedy,
    ismcts::Ismcts,
    random::Random,
}
