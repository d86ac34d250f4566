//! The options that an agent is given, and those that several agents have.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use darkqi_env::{Registered, game::GameExt};
use darkqi_format::read_file;

use super::error::AgentError;
use super::info::AgentOption;
use crate::evaluation::{Evaluation, PieceValues, ValueNet, Weights};
use crate::nets::{OnnxError, read_net};
use crate::tables::Tables;

/// The value of a file option that stands for the built-in file.
pub const BUILT_IN: &str = "built-in";

/// A file of piece values.
pub(super) const VALUES: AgentOption = AgentOption {
    name: "values",
    about: "A TOML file of piece values, one table per game. Values that it leaves out are \
            the built-in ones.",
    default: BUILT_IN,
    is_file: true,
};

/// A file of evaluation weights.
pub(super) const WEIGHTS: AgentOption = AgentOption {
    name: "weights",
    about: "A TOML file of evaluation weights, one table per game. Weights that it leaves out \
            are the built-in ones.",
    default: BUILT_IN,
    is_file: true,
};

/// The value of `net` for no net.
pub const NONE: &str = "none";

/// A file of a value net.
pub(super) const NET: AgentOption = AgentOption {
    name: "net",
    about: "A file of a value net for the game, which corrects the evaluation, or none.",
    default: "built-in; none with values or weights",
    is_file: true,
};

/// A folder of endgame tables.
pub(super) const TABLES: AgentOption = AgentOption {
    name: "tables",
    about: "A folder of endgame tables for the rules, which `darkqi tables` has written; banqi only.",
    default: NONE,
    is_file: true,
};

/// The value net that a value of the option `net` names for these rules, if it names one. By default rules of
/// designers have none: the built-in nets are fitted to other games.
///
/// # Errors
/// If the file cannot be used.
pub fn value_net<G: Registered>(
    rules: &G,
    net: Option<&str>,
) -> Result<Option<Arc<ValueNet>>, AgentError> {
    match net {
        None if rules.designed_by().is_some() => Ok(None),
        None | Some(BUILT_IN) => Ok(ValueNet::built_in::<G>()),
        Some(NONE) => Ok(None),
        Some(file) => Ok(Some(ValueNet::read::<G>(Path::new(file))?)),
    }
}

/// Whether the value of an option is the path of a file.
pub(super) fn is_path(option: &AgentOption, value: &str) -> bool {
    let may_be_none = [NET.name, TABLES.name].contains(&option.name);
    option.is_file && value != BUILT_IN && !(may_be_none && value == NONE)
}

/// The options that an agent is given, by name. The others have their defaults.
#[derive(Clone, Debug)]
pub(super) struct AgentOptions {
    /// The agent's name.
    pub(super) agent: &'static str,
    pub(super) given: BTreeMap<&'static str, String>,
    /// Of options that name files, what is read instead.
    pub(super) copies: BTreeMap<&'static str, PathBuf>,
    /// Whether a program that is started is not heard on the standard error.
    pub(super) is_quiet: bool,
    /// The files read, by path. Copies of an agent share them: what a run keeps with its games, and what
    /// each of its threads plays by, is what was read first, also if the file changes meanwhile.
    read: Arc<Mutex<BTreeMap<PathBuf, Arc<[u8]>>>>,
}

impl AgentOptions {
    /// None are given.
    pub(super) fn new(agent: &'static str) -> Self {
        Self {
            agent,
            given: BTreeMap::new(),
            copies: BTreeMap::new(),
            is_quiet: false,
            read: Arc::default(),
        }
    }

    /// The options, of which nothing was read.
    pub(super) fn afresh(&self) -> Self {
        Self { read: Arc::default(), ..self.clone() }
    }

    /// The contents of a file. It is read once.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn contents(&self, file: &Path) -> io::Result<Arc<[u8]>> {
        self.read_once(file, || read_file(file))
    }

    /// The ONNX file of a net, with all that it has in other files. They are read once.
    ///
    /// # Errors
    /// If one cannot be read, or may not be.
    pub(super) fn net_contents(&self, file: &Path) -> Result<Arc<[u8]>, OnnxError> {
        self.read_once(file, || read_net(file))
    }

    fn read_once<E>(
        &self,
        file: &Path,
        read: impl FnOnce() -> Result<Vec<u8>, E>,
    ) -> Result<Arc<[u8]>, E> {
        // Nothing is half-changed: the map gets what was read whole.
        let mut known = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(contents) = known.get(file) {
            return Ok(contents.clone());
        }
        let contents: Arc<[u8]> = read()?.into();
        known.insert(file.to_owned(), contents.clone());
        Ok(contents)
    }

    /// The value of an option, if it is given.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.given.get(name).map(String::as_str)
    }

    /// The value of the argument, which a parsed spec has.
    pub(super) fn argument(&self, name: &str) -> &str {
        self.get(name).expect("a spec has its agent's argument")
    }

    /// The path to read for an option that names a file.
    pub(super) fn path(&self, name: &str) -> Option<&Path> {
        let copy = self.copies.get(name).map(PathBuf::as_path);
        copy.or_else(|| self.get(name).map(Path::new))
    }

    /// The file of an option, unless it is the built-in one.
    fn file(&self, name: &str) -> Option<&Path> {
        self.path(name).filter(|&file| file != Path::new(BUILT_IN))
    }

    /// The piece values.
    ///
    /// # Errors
    /// If the file of `values` cannot be used.
    pub(super) fn values(&self) -> Result<PieceValues, AgentError> {
        let read = |file| PieceValues::of_contents(file, self.contents(file));
        let values = self.file(VALUES.name).map(read).transpose()?;
        Ok(values.unwrap_or_else(PieceValues::built_in))
    }

    /// The weights for a game.
    ///
    /// # Errors
    /// If the file of `weights` cannot be used.
    fn weights(&self, game: &str) -> Result<Weights, AgentError> {
        let read = |file| Weights::of_contents(game, file, self.contents(file));
        let weights = self.file(WEIGHTS.name).map(read).transpose()?;
        Ok(weights.unwrap_or_else(|| Weights::built_in(game)))
    }

    /// The evaluation by the piece values and weights.
    ///
    /// # Errors
    /// If the file of `values` or `weights` cannot be used.
    pub(super) fn evaluation<G: Registered>(&self) -> Result<Evaluation, AgentError> {
        Ok(Evaluation::new::<G>(&self.values()?, self.weights(G::NAME)?))
    }

    /// The value net for these rules, if there is one.
    ///
    /// # Errors
    /// If the file of `net` cannot be used.
    pub(super) fn net<G: Registered>(
        &self,
        rules: &G,
    ) -> Result<Option<Arc<ValueNet>>, AgentError> {
        match self.get(NET.name) {
            None if !self.has_built_in_net() => Ok(None),
            None | Some(BUILT_IN | NONE) => value_net(rules, self.get(NET.name)),
            Some(_) => {
                let read = |file| ValueNet::of_contents::<G>(file, self.contents(file));
                Ok(self.path(NET.name).map(read).transpose()?)
            }
        }
    }

    /// The endgame tables, if there are any.
    ///
    /// # Errors
    /// If those of the folder cannot be used with these rules.
    pub(super) fn tables<G: Registered>(
        &self,
        rules: &G,
    ) -> Result<Option<Arc<Tables>>, AgentError> {
        let dir = self.path(TABLES.name).filter(|&dir| dir != Path::new(NONE));
        Ok(dir.map(|dir| Tables::read(rules, dir)).transpose()?.map(Arc::new))
    }

    /// Whether the value net is the one that comes with the program. It corrects the built-in values
    /// and weights, so that files of these leave it out.
    pub(super) fn has_built_in_net(&self) -> bool {
        match self.get(NET.name) {
            None => [&VALUES, &WEIGHTS].iter().all(|option| self.file(option.name).is_none()),
            Some(net) => net == BUILT_IN,
        }
    }

    /// The number of an option, if it is given.
    ///
    /// # Errors
    /// If the value is no number, or out of its range.
    pub(super) fn number<T>(
        &self,
        option: &'static str,
        range: RangeInclusive<T>,
    ) -> Result<Option<T>, AgentError>
    where
        T: FromStr + PartialOrd + Display,
    {
        let Some(text) = self.get(option) else { return Ok(None) };
        match text.parse() {
            Ok(number) if range.contains(&number) => Ok(Some(number)),
            _ => {
                // Only numbers that are whole cannot be a half.
                let kind = if "0.5".parse::<T>().is_ok() { "number" } else { "whole number" };
                let expected = format!("a {kind} from {} to {}", range.start(), range.end());
                Err(self.refuse(option, text, expected))
            }
        }
    }

    /// The number of an option, or its default.
    ///
    /// # Errors
    /// As for [`AgentOptions::number`].
    pub(super) fn number_or_default<T>(
        &self,
        option: &AgentOption,
        range: RangeInclusive<T>,
    ) -> Result<T, AgentError>
    where
        T: FromStr + PartialOrd + Display,
    {
        let given = self.number(option.name, range)?;
        Ok(given.or_else(|| option.default.parse().ok()).expect("the default is a number"))
    }

    /// The error for the value of an option.
    pub(super) fn refuse(&self, option: &'static str, value: &str, expected: String) -> AgentError {
        AgentError::Value { agent: self.agent, option, value: value.to_owned(), expected }
    }
}
