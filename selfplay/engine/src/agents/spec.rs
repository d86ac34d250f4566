//! Agents as text: `greedy`, `greedy:values=file.toml`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::{Arc, LazyLock};

use darkqi_env::{Registered, Spec, Visitor, games};
use darkqi_format::read_file;

use super::baseline::Baseline;
use super::epsilon::{EPSILON, Epsilon};
use super::error::AgentError;
use super::greedy::Greedy;
use super::info::{AgentInfo, AgentOption, RegisteredAgent};
use super::level::{self, LEVEL, LevelAgent};
use super::onnx::Onnx;
use super::options::{AgentOptions, NET, is_path};
use super::policy::{Policy, PolicyAgent};
use super::random::Random;
use super::registry::{agents, build, info, options};
use super::text::{Reader, protected, quoted};
use super::uci::{COMMAND, Uci};
use crate::agent::{Agent, AnyAgent, Seated};
use crate::per_game::{AnyValue, PerGame};

/// A registered agent with the options it is given, written `name` or `name:option=value,...`; or a
/// policy with a name. A value with a comma stands in quotes.
///
/// ```
/// use darkqi_engine::agents::AgentSpec;
///
/// let spec: AgentSpec = "greedy:values=mine.toml".parse()?;
/// assert_eq!(spec.name(), "greedy");
/// assert_eq!(spec.given("values"), Some("mine.toml"));
/// assert_eq!(spec.to_string(), "greedy:values=mine.toml");
/// let spec: AgentSpec = "greedy:values='lr=0.1,seed=2/values.toml'".parse()?;
/// assert_eq!(spec.given("values"), Some("lr=0.1,seed=2/values.toml"));
/// # Ok::<(), darkqi_engine::agents::AgentError>(())
/// ```
#[derive(Clone, Debug)]
pub struct AgentSpec(Source);

/// The parts of an agent.
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

/// The prefix of the names of Python callables.
const PYTHON: &str = "python";

/// The agent of this name. `last` is the option that was set before it.
fn find(name: &str, last: Option<&'static str>) -> Result<&'static AgentInfo, AgentError> {
    info(name).ok_or_else(|| AgentError::Unknown {
        name: name.to_owned(),
        known: agents().iter().map(|info| info.name).collect(),
        cut: cut(last),
    })
}

/// The option of this name that an agent has. `last` is the option that was set before it.
fn option(
    info: &'static AgentInfo,
    name: &str,
    last: Option<&'static str>,
) -> Result<&'static AgentOption, AgentError> {
    options(info).find(|option| option.name == name).ok_or_else(|| AgentError::UnknownOption {
        agent: info.name.to_owned(),
        option: name.to_owned(),
        known: options(info).map(|option| option.name).collect(),
        cut: cut(last),
    })
}

/// The hint at a part that may belong to the value before it.
fn cut(last: Option<&'static str>) -> String {
    last.map_or_else(String::new, |option| {
        format!("; if the comma before it is a part of the value of `{option}`, put that into quotes, as in \"a,b\"")
    })
}

/// A pointer to [`AgentSpec::build_here`].
type Build<G> = fn(&AgentSpec, &G) -> Result<Box<dyn Agent<G>>, AgentError>;

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
            Source::Registered { info, options } if option(info, name, None).is_ok() => {
                options.get(name)
            }
            _ => panic!("{} has no option `{name}`", self.name()),
        }
    }

    /// The agent with one of its options set.
    ///
    /// # Errors
    /// If the agent has no such option, or the value is a command with an open quote.
    pub fn with(&self, name: &str, value: &str) -> Result<Self, AgentError> {
        match self.0.clone() {
            Source::Registered { info, mut options } => {
                let name = option(info, name, None)?.name;
                let value = match name {
                    COMMAND => protected(value).map_err(|fault| AgentError::Malformed {
                        text: info.name.to_owned(),
                        fault,
                    })?,
                    _ => value.to_owned(),
                };
                options.given.insert(name, value);
                options.copies.remove(name);
                Ok(Self(Source::Registered { info, options }))
            }
            Source::Policy { name: agent, .. } => Err(AgentError::UnknownOption {
                agent,
                option: name.to_owned(),
                known: Vec::new(),
                cut: String::new(),
            }),
        }
    }

    /// The agent, which reads its files again: the files of a run are read once, when it begins.
    pub fn afresh(&self) -> Self {
        match &self.0 {
            Source::Registered { info, options } => {
                Self(Source::Registered { info, options: options.afresh() })
            }
            Source::Policy { .. } => self.clone(),
        }
    }

    /// The given options that name files, with these files.
    pub fn files(&self) -> Vec<(&'static str, &Path)> {
        let Source::Registered { info, options: given } = &self.0 else { return Vec::new() };
        options(info)
            .filter(|option| given.get(option.name).is_some_and(|value| is_path(option, value)))
            .filter_map(|option| Some((option.name, given.path(option.name)?)))
            .collect()
    }

    /// The key of an option's file in lists.
    pub(super) fn file_key(&self, option: &str) -> String {
        format!("{self} {option}")
    }

    /// The contents of an option's file, as it is played: see [`AgentOptions::contents`].
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn contents(&self, option: &'static str) -> Result<Arc<[u8]>, AgentError> {
        let Source::Registered { options, .. } = &self.0 else {
            unreachable!("policies have no files")
        };
        match options.path(option) {
            Some(file) if self.is_onnx() => Ok(options.net_contents(file)?),
            Some(file) => options.contents(file).map_err(|cause| AgentError::File {
                agent: self.to_string(),
                file: file.display().to_string(),
                cause,
            }),
            None => unreachable!("it is one of the files"),
        }
    }

    /// The agent, which reads a copy in `folder` of each file that is not where its option says, or
    /// lacks a file that it names. Copies are named by the checksums of
    /// [`AgentFiles`](super::AgentFiles).
    pub fn with_copies(mut self, folder: &Path, checksums: &BTreeMap<String, String>) -> Self {
        let is_whole = |option| !self.is_onnx() || self.contents(option).is_ok();
        let missing = self.files().into_iter();
        let missing = missing.filter(|&(option, file)| !(file.exists() && is_whole(option)));
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
    pub fn public_name(&self) -> String {
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

    /// The agent, whose program is heard or not on the standard error: where somebody plays
    /// against it, what it writes there is for nobody.
    pub fn quiet(mut self, is_quiet: bool) -> Self {
        if let Source::Registered { options, .. } = &mut self.0 {
            options.is_quiet = is_quiet;
        }
        self
    }

    fn is_onnx(&self) -> bool {
        matches!(&self.0, Source::Registered { info, .. } if info.name == Onnx::INFO.name)
    }

    /// Whether the agent reads no file that its text names, and starts no program.
    pub fn is_harmless(&self) -> bool {
        self.files().is_empty() && !self.starts_a_program()
    }

    /// Whether the agent starts a program that its text names.
    pub fn starts_a_program(&self) -> bool {
        matches!(&self.0, Source::Registered { info, .. } if info.name == Uci::INFO.name)
    }

    /// Whether the agent is given a time to think, so that its play differs between machines.
    pub fn depends_on_the_clock(&self) -> bool {
        let Source::Registered { options, .. } = &self.0 else { return false };
        options.get(TIME).is_some()
    }

    /// Whether a decision may take so long that somebody wants to stop it: searches, nets and programs.
    pub fn may_take_long(&self) -> bool {
        let is_quick = |name| [Greedy::INFO.name, Random::INFO.name].contains(&name);
        matches!(&self.0, Source::Registered { info, .. } if !is_quick(info.name))
    }

    /// The agent that plays in a game: of a level, the one that stands for it there.
    pub fn in_game(&self, game: &str) -> Cow<'_, Self> {
        match self.level().and_then(|level| level::agent_of(game, level)) {
            Some(agent) => Cow::Owned(agent),
            None => Cow::Borrowed(self),
        }
    }

    /// The agent that gives hints in its place, if another does: the strongest level beside a weaker one.
    pub fn adviser(&self) -> Option<Self> {
        let strongest = level::strongest();
        self.level().filter(|&level| strongest.level() != Some(level))?;
        Some(strongest)
    }

    /// The level, if the agent is one.
    fn level(&self) -> Option<&str> {
        match &self.0 {
            Source::Registered { info, options } if info.name == LevelAgent::INFO.name => {
                options.get(LEVEL)
            }
            _ => None,
        }
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

    /// The agent, ready to play a game whose type the caller does not know.
    ///
    /// # Errors
    /// As [`AgentSpec::build`].
    pub fn make(&self, spec: &Spec) -> Result<Box<dyn AnyAgent>, AgentError> {
        struct Seat<'a>(&'a AgentSpec);
        impl Visitor for Seat<'_> {
            type Output = Result<Box<dyn AnyAgent>, AgentError>;
            fn visit<G: Registered>(self, rules: G) -> Self::Output {
                let agent = self.0.build_here(&rules)?;
                Ok(Box::new(Seated { rules, agent }))
            }
        }
        let made = games::with(spec.name, &spec.options_in_force(), Seat(self));
        made.expect("a spec is of a registered game")
    }

    /// The agent, ready to play a game.
    ///
    /// # Errors
    /// If an option's value is out of range, or the file that it names cannot be used.
    pub fn build<G: Registered>(&self, rules: &G) -> Result<Box<dyn Agent<G>>, AgentError> {
        static BUILD: LazyLock<PerGame> = LazyLock::new(|| PerGame::new(Pointers));
        #[derive(Clone, Copy)]
        struct Pointers;
        impl Visitor for Pointers {
            type Output = AnyValue;
            fn visit<G: Registered>(self, _: G) -> AnyValue {
                Box::new(AgentSpec::build_here as Build<G>)
            }
        }
        BUILD.get::<G, Build<G>>()(self, rules)
    }

    pub(super) fn build_here<G: Registered>(
        &self,
        rules: &G,
    ) -> Result<Box<dyn Agent<G>>, AgentError> {
        match &self.0 {
            Source::Policy { policy: Some(policy), .. } => {
                Ok(Box::new(PolicyAgent::new(rules, policy.clone())))
            }
            Source::Policy { name, policy: None } => Err(AgentError::Absent { name: name.clone() }),
            Source::Registered { info, options } => {
                let agent = build(info.name, rules, options)?;
                Ok(match options.number(EPSILON.name, 0.0..=1.0)? {
                    Some(probability) if probability > 0.0 => {
                        Box::new(Epsilon::new(probability, agent))
                    }
                    _ => agent,
                })
            }
        }
    }

    /// An agent by its options, as in a dict: values are no text to be parsed.
    ///
    /// # Errors
    /// If there is no such agent, it has no such option, or lacks its argument.
    pub fn of_options<'a>(
        name: &str,
        given: impl IntoIterator<Item = (&'a str, String)>,
    ) -> Result<Self, AgentError> {
        let info = find(name, None)?;
        let options = AgentOptions::new(info.name);
        let mut agent = Self(Source::Registered { info, options });
        for (option, value) in given {
            agent = agent.with(option, &value)?;
        }
        match info.argument.filter(|argument| agent.given(argument).is_none_or(str::is_empty)) {
            Some(argument) => Err(AgentError::argument(info.name, argument)),
            None => Ok(agent),
        }
    }

    /// Parses a list such as `greedy:values=a.toml,random`. A comma separates two agents, or two
    /// options of one agent if `option=value` follows it, unless it is within quotes.
    ///
    /// # Errors
    /// As for parsing each of them.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, AgentError> {
        let mut reader = Reader::new(text);
        let (mut specs, mut last) = (Vec::new(), None);
        loop {
            let (spec, its_last) = Self::read(&mut reader, false, last)?;
            specs.push(spec);
            last = its_last;
            if !reader.take(',') {
                return Ok(specs);
            }
        }
    }

    /// Reads one agent, and gives the last option that its text sets. With `alone` all that is left is its
    /// text. `last` is that of the agent before, whose value may have been cut at a comma.
    fn read(
        reader: &mut Reader<'_>,
        alone: bool,
        last: Option<&'static str>,
    ) -> Result<(Self, Option<&'static str>), AgentError> {
        let begin = *reader;
        let malformed = |reader: &Reader<'_>, fault: String| {
            let text = if alone { begin.rest() } else { reader.since(begin) }.to_owned();
            AgentError::Malformed { text, fault }
        };
        let name = reader.until(&[':', ',']);
        let has_settings = reader.take(':');
        if name == PYTHON && has_settings {
            let own = if alone { reader.all() } else { reader.until(&[',']) };
            if !own.is_empty() {
                let name = reader.since(begin).to_owned();
                return Ok((Self(Source::Policy { name, policy: None }), None));
            }
        }
        let goes_on =
            |reader: &mut Reader<'_>| (alone || reader.sets_another()) && reader.take(',');
        if !name.is_empty() && !has_settings && goes_on(reader) {
            return Err(malformed(reader, "its options follow a comma, not a colon".to_owned()));
        }
        let info = find(name, last)?;
        let mut last = None;
        let mut options = AgentOptions::new(info.name);
        let mut is_set = has_settings;
        if let Some(argument) = info.argument {
            let value = reader.value().map_err(|fault| malformed(reader, fault))?;
            if value.is_empty() {
                return Err(AgentError::argument(info.name, argument));
            }
            options.given.insert(argument, value);
            last = Some(argument);
            is_set = goes_on(reader);
        }
        while is_set {
            let name = reader.until(&['=', ',']);
            if !reader.take('=') {
                let fault = format!("`{name}` sets no option{}", cut(last));
                return Err(malformed(reader, fault));
            }
            let option = option(info, name, last)?.name;
            let value = if option == COMMAND { reader.command() } else { reader.value() };
            let value = value.map_err(|fault| malformed(reader, fault))?;
            if value.is_empty() {
                return Err(malformed(reader, format!("`{name}=` sets no option")));
            }
            if options.given.insert(option, value).is_some() {
                return Err(malformed(reader, format!("`{name}` is set twice")));
            }
            last = Some(option);
            is_set = goes_on(reader);
        }
        Ok((Self(Source::Registered { info, options }), last))
    }
}

impl FromStr for AgentSpec {
    type Err = AgentError;

    fn from_str(text: &str) -> Result<Self, AgentError> {
        Self::read(&mut Reader::new(text), true, None).map(|(spec, _)| spec)
    }
}

impl fmt::Display for AgentSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        let Source::Registered { info, options } = &self.0 else { return Ok(()) };
        let mut separator = ':';
        if let Some(argument) = info.argument {
            write!(f, ":{}", quoted(options.argument(argument)))?;
            separator = ',';
        }
        for (&option, value) in &options.given {
            // The quotes of a command are a part of it.
            let value =
                if option == COMMAND { Cow::Borrowed(value) } else { Cow::Owned(quoted(value)) };
            if info.argument != Some(option) {
                write!(f, "{separator}{option}={value}")?;
                separator = ',';
            }
        }
        Ok(())
    }
}
