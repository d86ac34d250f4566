//! The description of an agent and its options.

use darkqi_env::{Registered, Spec};
use serde::Serialize;

use super::error::AgentError;
use super::options::AgentOptions;
use crate::agent::Agent;

/// An agent that can be asked for by name.
#[derive(Debug)]
pub struct AgentInfo {
    /// The name.
    pub name: &'static str,
    /// How it plays, in one sentence.
    pub about: &'static str,
    /// The option whose value is given first, without its name, and that must be given: the file of
    /// `onnx:FILE`. It is one of `options`.
    pub argument: Option<&'static str>,
    /// Its own options.
    pub options: &'static [AgentOption],
}

/// The default of an option that must be given.
pub(super) const REQUIRED: &str = "required";

impl AgentInfo {
    /// Whether its name alone makes an agent: no option must be given. `baseline` needs a library all
    /// the same.
    pub fn stands_alone(&self) -> bool {
        self.options.iter().all(|option| option.default != REQUIRED)
    }
}

/// One option of an agent.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct AgentOption {
    /// The name.
    pub name: &'static str,
    /// Its effect.
    pub about: &'static str,
    /// The default value.
    pub default: &'static str,
    /// Whether the value names a file or a folder, unless it is `built-in` or `none`.
    #[serde(skip)]
    pub is_file: bool,
}

impl AgentOption {
    /// An option that names no file.
    pub(super) const fn plain(
        name: &'static str,
        about: &'static str,
        default: &'static str,
    ) -> Self {
        Self { name, about, default, is_file: false }
    }
}

/// An agent of a game, or why it cannot be made.
pub(super) type Built<G> = Result<Box<dyn Agent<G>>, AgentError>;

/// A registered agent.
pub(super) trait RegisteredAgent {
    const INFO: AgentInfo;

    /// Whether it plays a game with its options.
    fn plays(_: &Spec) -> bool {
        true
    }

    /// The agent for a game, with these options.
    fn build<G: Registered>(rules: &G, options: &AgentOptions) -> Built<G>;
}
