//! Agents as text: `greedy`, `greedy:values=file.toml`.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use darkqi_datasets::read_file;
use darkqi_env::Registered;

use super::baseline::Baseline;
use super::epsilon::{EPSILON, Epsilon};
use super::error::AgentError;
use super::greedy::Greedy;
use super::info::{AgentInfo, AgentOption};
use super::onnx::Onnx;
use super::options::{AgentOptions, NET, is_path};
use super::policy::{Policy, PolicyAgent};
use super::random::Random;
use super::registered_agent::RegisteredAgent;
use super::registry::{agents, build, info, options};
use super::uci::{COMMAND, Uci};
use crate::driver::Agent;

/// A registered agent with the options it is given, written `name` or `name:option=value,...`; or a
/// policy with a name.
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
pub struct AgentSpec(Source);

/// What an agent is made of.
#[derive(Clone, Debug)]
enum Source {
    Registered {
        info: &'static AgentInfo,
        options: AgentOptions,
    },
    /// Without the policy where only its name is known, as in a dataset.
    Policy {
        name: String,
        policy: Option<Arc<dyn Policy>>,
    },
}

/// The option by which agents are given a time to think.
const TIME: &str = "time";

/// What the names of Python callables begin with.
const PYTHON: &str = "python";

/// The option of this name that an agent has.
fn option(info: &'static AgentInfo, name: &str) -> Result<&'static AgentOption, AgentError> {
    options(info).find(|option| option.name == name).ok_or_else(|| AgentError::UnknownOption {
        agent: info.name.to_owned(),
        option: name.to_owned(),
        known: options(info).map(|option| option.name).collect(),
    })
}

impl AgentSpec {
    /// A Python callable, which logs and results call `python:NAME`. Read from that text it cannot
    /// play.
    pub fn of_policy(name: &str, policy: Arc<dyn Policy>) -> Self {
        Self(Source::Policy { name: format!("{PYTHON}:{name}"), policy: Some(policy) })
    }

    /// The agent's name.
    pub fn name(&self) -> &str {
        match &self.0 {
            Source::Registered { info, .. } => info.name,
            Source::Policy { name, .. } => name,
        }
    }

    /// The value of one of the agent's options, if it is given.
    ///
    /// # Panics
    /// If the agent has no such option.
    pub fn given(&self, name: &str) -> Option<&str> {
        match &self.0 {
            Source::Registered { info, options } if option(info, name).is_ok() => options.get(name),
            _ => panic!("{} has no option `{name}`", self.name()),
        }
    }

    /// The same agent with one of its options set.
    ///
    /// # Errors
    /// If the agent has no such option.
    pub fn with(&self, name: &str, value: &str) -> Result<Self, AgentError> {
        match self.0.clone() {
            Source::Registered { info, mut options } => {
                let name = option(info, name)?.name;
                options.given.insert(name, value.to_owned());
                options.copies.remove(name);
                Ok(Self(Source::Registered { info, options }))
            }
            Source::Policy { name: agent, .. } => {
                Err(AgentError::UnknownOption { agent, option: name.to_owned(), known: Vec::new() })
            }
        }
    }

    /// The given options that name files, with these files.
    pub(crate) fn files(&self) -> Vec<(&'static str, &Path)> {
        let Source::Registered { info, options: given } = &self.0 else { return Vec::new() };
        options(info)
            .filter(|option| given.get(option.name).is_some_and(|value| is_path(option, value)))
            .filter_map(|option| Some((option.name, given.path(option.name)?)))
            .collect()
    }

    /// What the file of an option is listed by.
    pub(super) fn file_key(&self, option: &str) -> String {
        format!("{self} {option}")
    }

    /// The same agent, which reads a copy in `folder` of each file that is not where its option says.
    /// Copies are named by the checksums of [`AgentFiles`](super::AgentFiles).
    pub(crate) fn with_copies(
        mut self,
        folder: &Path,
        checksums: &BTreeMap<String, String>,
    ) -> Self {
        let missing = self.files().into_iter().filter(|(_, file)| !file.exists());
        let copy = |option| {
            let checksum = checksums.get(&self.file_key(option))?;
            // The dataset may be a stranger's: no path leads out of the folder.
            let is_name = checksum.bytes().all(|byte| byte.is_ascii_hexdigit());
            is_name.then(|| (option, folder.join(checksum)))
        };
        let copies: Vec<_> = missing.filter_map(|(option, _)| copy(option)).collect();
        if let Source::Registered { options, .. } = &mut self.0 {
            options.copies.extend(copies.into_iter().filter(|(_, copy)| read_file(copy).is_ok()));
        }
        self
    }

    /// The agent as those may know it who only play against it: of the command that starts a program
    /// the program's name alone, without its folder and arguments.
    pub(crate) fn public_name(&self) -> String {
        let command = match &self.0 {
            Source::Registered { options, .. } if self.starts_a_program() => options.get(COMMAND),
            _ => None,
        };
        let words = command.and_then(shlex::split).unwrap_or_default();
        let program = words.first().and_then(|word| Path::new(word).file_name()?.to_str());
        match program.map(|program| self.with(COMMAND, program)) {
            Some(Ok(named)) => named.to_string(),
            _ => self.to_string(),
        }
    }

    /// The same agent, whose program is heard or not on the standard error: where somebody plays
    /// against it, what it writes there is for nobody.
    pub(crate) fn quiet(mut self, is_quiet: bool) -> Self {
        if let Source::Registered { options, .. } = &mut self.0 {
            options.is_quiet = is_quiet;
        }
        self
    }

    /// Whether the agent starts a program that its text names.
    pub(crate) fn starts_a_program(&self) -> bool {
        matches!(&self.0, Source::Registered { info, .. } if info.name == Uci::INFO.name)
    }

    /// Whether the agent is given a time to think, so that its play differs between machines.
    pub(crate) fn depends_on_the_clock(&self) -> bool {
        let Source::Registered { options, .. } = &self.0 else { return false };
        options.get(TIME).is_some()
    }

    /// Whether a decision may take so long that somebody wants to stop it: searches, nets and programs.
    pub fn may_take_long(&self) -> bool {
        let is_quick = |name| [Greedy::INFO.name, Random::INFO.name].contains(&name);
        matches!(&self.0, Source::Registered { info, .. } if !is_quick(info.name))
    }

    /// Whether the agent plays by the value net that comes with the program.
    pub(super) fn has_built_in_net(&self) -> bool {
        let Source::Registered { info, options: given } = &self.0 else { return false };
        info.options.iter().any(|option| option.name == NET.name) && given.has_built_in_net()
    }

    /// Whether the agent plays by the policy net that comes with the program.
    pub(super) fn is_baseline(&self) -> bool {
        matches!(&self.0, Source::Registered { info, .. } if info.name == Baseline::INFO.name)
    }

    /// Whether ONNX Runtime must be there for the agent to play.
    pub fn needs_onnx_runtime(&self) -> bool {
        let is_net = |name| [Baseline::INFO.name, Onnx::INFO.name].contains(&name);
        matches!(&self.0, Source::Registered { info, .. } if is_net(info.name))
    }

    /// The agent, ready to play a game.
    ///
    /// # Errors
    /// If an option's value is out of range, or the file that it names cannot be used.
    pub fn build<G: Registered>(&self, rules: &G) -> Result<Box<dyn Agent<G>>, AgentError> {
        match &self.0 {
            Source::Policy { policy: Some(policy), .. } => {
                Ok(Box::new(PolicyAgent::new(rules, policy.clone())))
            }
            Source::Policy { name, policy: None } => Err(AgentError::Absent { name: name.clone() }),
            Source::Registered { info, options } => {
                let agent = build(info.name, rules, options)?;
                Ok(match options.number(EPSILON.name, 0.0..=1.0)? {
                    Some(probability) => Box::new(Epsilon::new(probability, agent)),
                    None => agent,
                })
            }
        }
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
        if name == PYTHON && settings.is_some_and(|name| !name.is_empty()) {
            return Ok(Self(Source::Policy { name: text.to_owned(), policy: None }));
        }
        if name.contains(',') {
            return Err(malformed("its options follow a comma, not a colon".to_owned()));
        }
        let info = info(name).ok_or_else(|| AgentError::Unknown {
            name: name.to_owned(),
            known: agents().iter().map(|info| info.name).collect(),
        })?;
        let mut settings = settings.into_iter().flat_map(|settings| settings.split(','));
        let mut given = BTreeMap::new();
        if let Some(argument) = info.argument {
            let value = settings.next().filter(|value| !value.is_empty()).ok_or_else(|| {
                AgentError::Argument { agent: info.name, argument: argument.to_uppercase() }
            })?;
            given.insert(argument, value.to_owned());
        }
        for setting in settings {
            let (name, value) = setting
                .split_once('=')
                .filter(|(_, value)| !value.is_empty())
                .ok_or_else(|| malformed(format!("`{setting}` sets no option")))?;
            let option = option(info, name)?;
            if given.insert(option.name, value.to_owned()).is_some() {
                return Err(malformed(format!("`{name}` is set twice")));
            }
        }
        let (agent, copies) = (info.name, BTreeMap::new());
        let options = AgentOptions { agent, given, copies, is_quiet: false };
        Ok(Self(Source::Registered { info, options }))
    }
}

impl fmt::Display for AgentSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        let Source::Registered { info, options } = &self.0 else { return Ok(()) };
        let mut separator = ':';
        if let Some(argument) = info.argument {
            write!(f, ":{}", options.argument(argument))?;
            separator = ',';
        }
        for (option, value) in &options.given {
            if info.argument != Some(option) {
                write!(f, "{separator}{option}={value}")?;
                separator = ',';
            }
        }
        Ok(())
    }
}
