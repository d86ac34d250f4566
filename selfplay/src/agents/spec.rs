//! Agents as text: `greedy`, `greedy:values=file.toml`.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use darkqi_env::Registered;

use super::epsilon::{EPSILON, Epsilon};
use super::error::AgentError;
use super::info::{AgentInfo, AgentOption};
use super::options::{AgentOptions, BUILT_IN};
use super::registry::{agents, build, info, options};
use crate::driver::Agent;

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
    options: AgentOptions,
}

/// The option of this name that an agent has.
fn option(info: &'static AgentInfo, name: &str) -> Result<&'static AgentOption, AgentError> {
    options(info).find(|option| option.name == name).ok_or_else(|| AgentError::UnknownOption {
        agent: info.name,
        option: name.to_owned(),
        known: options(info).map(|option| option.name).collect(),
    })
}

impl AgentSpec {
    /// The agent's name.
    pub fn name(&self) -> &'static str {
        self.info.name
    }

    /// The value of one of the agent's options, if it is given.
    ///
    /// # Panics
    /// If the agent has no such option.
    pub fn given(&self, name: &str) -> Option<&str> {
        assert!(option(self.info, name).is_ok(), "{} has no option `{name}`", self.name());
        self.options.get(name)
    }

    /// The same agent with one of its options set.
    ///
    /// # Errors
    /// If the agent has no such option.
    pub fn with(&self, name: &str, value: &str) -> Result<Self, AgentError> {
        let option = option(self.info, name)?;
        let mut spec = self.clone();
        spec.options.given.insert(option.name, value.to_owned());
        Ok(spec)
    }

    /// The given options that name files, with these files.
    pub(super) fn files(&self) -> impl Iterator<Item = (&'static str, &str)> {
        options(self.info)
            .filter(|option| option.is_file)
            .filter_map(|option| Some((option.name, self.options.get(option.name)?)))
            .filter(|(_, file)| *file != BUILT_IN)
    }

    /// The agent, ready to play a game.
    ///
    /// # Errors
    /// If an option's value is out of range, or the file that it names cannot be used.
    pub fn build<G: Registered>(&self) -> Result<Box<dyn Agent<G>>, AgentError> {
        let agent = build(self.name(), &self.options)?;
        Ok(match self.options.number(EPSILON.name, 0.0..=1.0)? {
            Some(probability) => Box::new(Epsilon::new(probability, agent)),
            None => agent,
        })
    }

    /// Parses a list such as `greedy:values=a.toml,random`. A comma separates two agents, or two
    /// options of one agent if `option=value` follows it.
    ///
    /// # Errors
    /// As for parsing each of them.
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
        let info = info(name).ok_or_else(|| AgentError::Unknown {
            name: name.to_owned(),
            known: agents().iter().map(|info| info.name).collect(),
        })?;
        let mut given = BTreeMap::new();
        for setting in settings.into_iter().flat_map(|settings| settings.split(',')) {
            let (name, value) = setting
                .split_once('=')
                .filter(|(_, value)| !value.is_empty())
                .ok_or_else(|| malformed(format!("`{setting}` sets no option")))?;
            let option = option(info, name)?;
            if given.insert(option.name, value.to_owned()).is_some() {
                return Err(malformed(format!("`{name}` is set twice")));
            }
        }
        Ok(Self { info, options: AgentOptions { agent: info.name, given } })
    }
}

impl fmt::Display for AgentSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        for (number, (option, value)) in self.options.given.iter().enumerate() {
            let separator = if number == 0 { ':' } else { ',' };
            write!(f, "{separator}{option}={value}")?;
        }
        Ok(())
    }
}
