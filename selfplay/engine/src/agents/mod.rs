//! The agents.
//!
//! - `registry`: the list of them, which everything iterates; `info`: what it asks of one;
//! - `baseline`, `expectimax`, `greedy`, `ismcts`, `onnx`, `random`, `uci`: one file per agent;
//! - `level`: levels for people, each an agent of the others;
//! - `net_player`: what agents that play by a net have in common;
//! - `policy`: agents that are functions of rows, from outside;
//! - `epsilon`: any agent with random actions in between;
//! - `spec`, `text`: agents as text; `options`, `error`: their options and what may be wrong with them;
//! - `files`: the files that agents depend on.

mod baseline;
mod epsilon;
mod error;
mod expectimax;
mod files;
mod greedy;
mod info;
mod ismcts;
mod level;
mod net_player;
mod onnx;
mod options;
mod policy;
mod random;
mod registry;
mod spec;
mod text;
mod uci;

pub use baseline::baseline_net;
pub use error::AgentError;
pub use files::AgentFiles;
pub use greedy::Greedy;
pub use info::{AgentInfo, AgentOption};
pub use level::{LEVELS, Level, levels};
pub use options::{BUILT_IN, NONE, value_net};
pub use policy::{Policy, PolicyDecisions, PolicyFault};
pub use random::Random;
pub use registry::{COMMON_OPTIONS, agents, agents_of, options as agent_options};
pub use spec::AgentSpec;
pub use text::values_of;
