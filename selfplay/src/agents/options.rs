//! The options that an agent is given, and those that several agents have.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::Path;
use std::str::FromStr;

use darkqi_env::Registered;

use super::error::AgentError;
use super::info::AgentOption;
use crate::evaluation::{Evaluation, PieceValues, Weights};

/// The value of a file option that stands for the built-in file.
pub(crate) const BUILT_IN: &str = "built-in";

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

/// The options that an agent is given, by name. The others have their defaults.
#[derive(Clone, Debug)]
pub(super) struct AgentOptions {
    /// The agent's name.
    pub(super) agent: &'static str,
    pub(super) given: BTreeMap<&'static str, String>,
}

impl AgentOptions {
    /// The value of an option, if it is given.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.given.get(name).map(String::as_str)
    }

    /// The value of the argument, which a parsed spec has.
    pub(super) fn argument(&self, name: &str) -> &str {
        self.get(name).expect("a spec has its agent's argument")
    }

    /// The file of an option, unless it is the built-in one.
    fn file(&self, name: &str) -> Option<&Path> {
        self.get(name).filter(|&file| file != BUILT_IN).map(Path::new)
    }

    /// The piece values.
    ///
    /// # Errors
    /// If the file of `values` cannot be used.
    pub(super) fn values(&self) -> Result<PieceValues, AgentError> {
        let values = self.file(VALUES.name).map(PieceValues::read).transpose()?;
        Ok(values.unwrap_or_else(PieceValues::built_in))
    }

    /// The evaluation by the piece values and weights.
    ///
    /// # Errors
    /// If the file of `values` or `weights` cannot be used.
    pub(super) fn evaluation<G: Registered>(&self) -> Result<Evaluation, AgentError> {
        let weights = self.file(WEIGHTS.name).map(Weights::read::<G>).transpose()?;
        let weights = weights.unwrap_or_else(Weights::built_in::<G>);
        Ok(Evaluation::new::<G>(&self.values()?, weights))
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
                let expected = format!("a number from {} to {}", range.start(), range.end());
                Err(self.refuse(option, text, expected))
            }
        }
    }

    /// The error for the value of an option.
    pub(super) fn refuse(&self, option: &'static str, value: &str, expected: String) -> AgentError {
        AgentError::Value { agent: self.agent, option, value: value.to_owned(), expected }
    }
}
