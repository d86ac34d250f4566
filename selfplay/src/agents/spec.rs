//! Agents as text: `greedy`, `greedy:values=file.toml`.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use darkqi_env::Registered;
use thiserror::Error;

use super::epsilon::{EPSILON, Epsilon};
use super::{Agent, AgentInfo, AgentOption, COMMON_OPTIONS, ValuesError, all, build, settings};

/// A registered agent with the options it is given, written `name` or `name:option=value,...`.
///
/// ```
/// use darkqi_selfplay::AgentSpec;
///
/// let spec: AgentSpec = "greedy:values=mine.toml".parse()?;
/// assert_eq!(spec.name(), "greedy");
/// assert_eq!(spec.given("values"), Some("mine.toml"));
/// assert_eq!(spec.to_string(), "greedy:values=mine.toml");
/// # Ok::<(), darkqi_selfplay::AgentError>(())
/// ```
#[derive(Clone, Debug)]
pub struct AgentSpec {
    info: &'static AgentInfo,
    /// Only those given; the others are at their defaults.
    options: BTreeMap<&'static str, String>,
}

/// An agent that cannot be had.
#[derive(Debug, Error)]
pub enum AgentError {
    /// No agent has this name.
    #[error("unknown agent `{name}`; the agents are: {}", names())]
    Unknown {
        /// What was asked for.
        name: String,
    },
    /// The agent has no option of this name.
    #[error("agent {agent} has no option `{option}`; {}", described(options))]
    UnknownOption {
        /// The agent.
        agent: &'static str,
        /// What was asked for.
        option: String,
        /// What it has.
        options: &'static [AgentOption],
    },
    /// An option has a value that it cannot have.
    #[error("agent {agent}: option `{option}` is `{value}`; expected {expected}")]
    Value {
        /// The agent.
        agent: &'static str,
        /// The option.
        option: &'static str,
        /// What was given.
        value: String,
        /// What can be.
        expected: String,
    },
    /// The text has another form than that of a spec.
    #[error("agent `{text}`: {fault}; expected `name` or `name:option=value,option=value`")]
    Malformed {
        /// What was given.
        text: String,
        /// What is wrong with it.
        fault: String,
    },
    /// A file that one of its options names cannot be read.
    #[error("agent {agent}: cannot read {file}: {cause}")]
    File {
        /// The agent.
        agent: String,
        /// The file.
        file: String,
        /// Why not.
        cause: std::io::Error,
    },
    /// The agent's piece values cannot be used.
    #[error(transparent)]
    Values(#[from] ValuesError),
}

fn names() -> String {
    let names: Vec<_> = all().iter().map(|info| info.name).collect();
    names.join(", ")
}

fn described(options: &[AgentOption]) -> String {
    let names: Vec<_> = options.iter().chain(COMMON_OPTIONS).map(|option| option.name).collect();
    format!("its options are: {}", names.join(", "))
}

/// The option of this name that an agent has.
fn known(info: &AgentInfo, name: &str) -> Option<&'static AgentOption> {
    info.options.iter().chain(COMMON_OPTIONS).find(|option| option.name == name)
}

impl AgentSpec {
    /// The agent's name.
    pub fn name(&self) -> &'static str {
        self.info.name
    }

    /// The value that one of the agent's options is given, if it is.
    ///
    /// # Panics
    /// If the agent has no such option.
    pub fn given(&self, name: &str) -> Option<&str> {
        assert!(known(self.info, name).is_some(), "{} has no option `{name}`", self.name());
        self.options.get(name).map(String::as_str)
    }

    /// The same agent with one of its options set.
    ///
    /// # Errors
    /// If the agent has no such option.
    pub fn with(&self, name: &str, value: &str) -> Result<Self, AgentError> {
        let Some(option) = known(self.info, name) else {
            return Err(AgentError::UnknownOption {
                agent: self.name(),
                option: name.to_owned(),
                options: self.info.options,
            });
        };
        let mut spec = self.clone();
        spec.options.insert(option.name, value.to_owned());
        Ok(spec)
    }

    /// The agent, ready to play a game.
    ///
    /// # Errors
    /// If an option has a value it cannot have, or a file it names cannot be used.
    pub fn build<G: Registered>(&self) -> Result<Box<dyn Agent<G>>, AgentError> {
        let agent = build(self)?;
        Ok(match settings::number(self, EPSILON.name, 0.0..=1.0)? {
            Some(probability) => Box::new(Epsilon::new(probability, agent)),
            None => agent,
        })
    }

    /// Reads a list such as `greedy:values=a.toml,random`: a comma separates two agents, or two
    /// options of one agent where `option=value` follows it.
    ///
    /// # Errors
    /// As for reading each of them.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, AgentError> {
        let mut specs: Vec<String> = Vec::new();
        for part in text.split(',') {
            let sets_option = part.find([':', '=']).is_some_and(|at| part[at..].starts_with('='));
            match specs.last_mut() {
                Some(spec) if sets_option => *spec += &format!(",{part}"),
                _ => specs.push(part.to_owned()),
            }
        }
        specs.iter().map(|spec| spec.parse()).collect()
    }
}

impl FromStr for AgentSpec {
    type Err = AgentError;

    fn from_str(text: &str) -> Result<Self, AgentError> {
        let malformed = |fault| AgentError::Malformed { text: text.to_owned(), fault };
        let (name, settings) = match text.split_once(':') {
            Some((name, settings)) => (name, Some(settings)),
            None => (text, None),
        };
        let info = all()
            .iter()
            .find(|info| info.name == name)
            .ok_or_else(|| AgentError::Unknown { name: name.to_owned() })?;
        let mut options = BTreeMap::new();
        for setting in settings.into_iter().flat_map(|settings| settings.split(',')) {
            let (option, value) = setting
                .split_once('=')
                .filter(|(_, value)| !value.is_empty())
                .ok_or_else(|| malformed(format!("`{setting}` sets no option")))?;
            let known = known(info, option).ok_or_else(|| AgentError::UnknownOption {
                agent: info.name,
                option: option.to_owned(),
                options: info.options,
            })?;
            if options.insert(known.name, value.to_owned()).is_some() {
                return Err(malformed(format!("`{option}` is set twice")));
            }
        }
        Ok(Self { info, options })
    }
}

impl fmt::Display for AgentSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        for (number, (option, value)) in self.options.iter().enumerate() {
            let separator = if number == 0 { ':' } else { ',' };
            write!(f, "{separator}{option}={value}")?;
        }
        Ok(())
    }
}
