//! Errors of agents.

use std::io;
use std::path::Path;

use darkqi_env::{
    error::did_you_mean,
    shown::{printable, shown_name},
};
use thiserror::Error;

use super::level::LEVELS;
use crate::evaluation::EvaluationFileError;
use crate::nets::OnnxError;
use crate::tables::TablesError;

/// An agent that cannot be made.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages name the fields")]
pub enum AgentError {
    /// No agent has this name.
    #[error(
        "unknown agent `{}`{}; the agents are: {}{cut}",
        shown_name(name),
        meant(name, known),
        known.join(", ")
    )]
    Unknown {
        name: String,
        known: Vec<&'static str>,
        /// Advice if it is the end of a value that was cut at a comma; otherwise empty.
        cut: String,
    },
    /// A Python callable of which only the name is known.
    #[error(
        "agent {}: it is a callable in Python; give it to darkqi.selfplay or darkqi.arena",
        shown_name(name)
    )]
    Absent { name: String },
    /// The agent needs an argument.
    #[error("agent {agent}: expected `{agent}:{argument}`, with a {argument}")]
    Argument { agent: &'static str, argument: String },
    /// The agent needs an option.
    #[error("agent {agent}: expected `{agent}:{option}=...`, with {about}")]
    Missing { agent: &'static str, option: &'static str, about: &'static str },
    /// The agent does not play this game.
    #[error("agent {agent} cannot play {game}: expected {expected}")]
    Game { agent: &'static str, game: &'static str, expected: String },
    /// The agent has no option of this name.
    #[error(
        "agent {} has no option `{}`{}; its options are: {}{cut}",
        shown_name(agent),
        shown_name(option),
        did_you_mean(option, known),
        known.join(", ")
    )]
    UnknownOption {
        agent: String,
        option: String,
        known: Vec<&'static str>,
        /// Advice if it is the end of a value that was cut at a comma; otherwise empty.
        cut: String,
    },
    /// An option has a value out of its range.
    #[error("agent {agent}: option `{option}` is `{}`; expected {expected}", shown_name(value))]
    Value { agent: &'static str, option: &'static str, value: String, expected: String },
    /// The text is no spec.
    #[error(
        "agent `{}`: {}; expected `name` or `name:option=value,option=value`",
        printable(text, |_| false),
        printable(fault, |_| false)
    )]
    Malformed { text: String, fault: String },
    /// A file that an option names cannot be read.
    #[error("agent {agent}: cannot read {file}: {cause}")]
    File { agent: String, file: String, cause: io::Error },
    /// The agent's net cannot be used.
    #[error(transparent)]
    Onnx(#[from] OnnxError),
    /// The agent's net cannot be computed, or not row by row.
    #[error("net {net}: {cause}")]
    Net {
        /// The file, or which net of the program it is.
        net: String,
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The agent's piece values or weights cannot be used.
    #[error(transparent)]
    Table(#[from] EvaluationFileError),
    /// The agent's endgame tables cannot be used.
    #[error(transparent)]
    Endgames(#[from] TablesError),
}

/// Advice about the name of an agent, which may be that of a level.
fn meant(name: &str, known: &[&str]) -> String {
    if LEVELS.contains(&name) {
        format!(" (did you mean `level:{name}`?)")
    } else {
        did_you_mean(name, known)
    }
}

impl AgentError {
    /// The error for an agent without its argument.
    pub(super) fn argument(agent: &'static str, argument: &str) -> Self {
        Self::Argument { agent, argument: argument.to_uppercase() }
    }

    /// The system's error about a file that the agent cannot read, and the file.
    pub fn system_error(&self) -> Option<(&io::Error, &Path)> {
        match self {
            Self::File { file, cause, .. } => Some((cause, Path::new(file))),
            Self::Onnx(OnnxError::Io { file, cause })
            | Self::Endgames(TablesError::Io { path: file, cause }) => Some((cause, file)),
            Self::Table(error) => error.cause.as_ref().map(|cause| (cause, &*error.path)),
            _ => None,
        }
    }
}
