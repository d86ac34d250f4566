//! Options that several agents have.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::Path;
use std::str::FromStr;

use darkqi_env::Registered;

use super::{AgentError, AgentOption, AgentSpec, PieceValues};
use crate::search::{Evaluation, Weights};

/// Stands for what comes with the program, in place of a file.
pub(crate) const BUILT_IN: &str = "built-in";

/// A file of piece values.
pub(super) const VALUES: AgentOption = AgentOption {
    name: "values",
    about: "A TOML file of piece values, one table per game; what it leaves out keeps its \
            built-in value.",
    default: BUILT_IN,
    is_file: true,
};

/// How positions are judged.
pub(super) const EVALUATION_OPTIONS: [AgentOption; 2] = [
    VALUES,
    AgentOption {
        name: "weights",
        about: "A TOML file of evaluation weights, one table per game; what it leaves out keeps \
                its built-in weight.",
        default: BUILT_IN,
        is_file: true,
    },
];

/// The piece values that an agent is given.
///
/// # Errors
/// If the file of `values` cannot be used.
pub(super) fn values(spec: &AgentSpec) -> Result<PieceValues, AgentError> {
    Ok(match spec.given(VALUES.name) {
        None | Some(BUILT_IN) => PieceValues::built_in(),
        Some(path) => PieceValues::read(Path::new(path))?,
    })
}

/// The evaluation that an agent is given.
///
/// # Errors
/// If the file of `values` or `weights` cannot be used.
pub(super) fn evaluation<G: Registered>(spec: &AgentSpec) -> Result<Evaluation, AgentError> {
    let weights = match spec.given("weights") {
        None | Some(BUILT_IN) => Weights::built_in::<G>(),
        Some(path) => Weights::read::<G>(Path::new(path))?,
    };
    Ok(Evaluation::new::<G>(&values(spec)?, weights))
}

/// A number that an agent is given.
///
/// # Errors
/// If it is none, or out of its range.
pub(super) fn number<T>(
    spec: &AgentSpec,
    option: &'static str,
    range: RangeInclusive<T>,
) -> Result<Option<T>, AgentError>
where
    T: FromStr + PartialOrd + Display,
{
    let Some(text) = spec.given(option) else { return Ok(None) };
    match text.parse() {
        Ok(number) if range.contains(&number) => Ok(Some(number)),
        _ => Err(AgentError::Value {
            agent: spec.name(),
            option,
            value: text.to_owned(),
            expected: format!("a number from {} to {}", range.start(), range.end()),
        }),
    }
}
