//! Studies of many runs: `darkqi.strength` and `darkqi.sweep`.

use std::path::PathBuf;

use darkqi_engine::agents::AgentSpec;
use darkqi_env::Value;
use darkqi_play::generation::Job;
use darkqi_play::options;
use darkqi_play::studies::{self, Study, Sweep, Variation};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments;
use crate::declared::Keywords;
use crate::error::IntoPyResult;
use crate::interrupt::with_progress;
use crate::location::dataset_path;
use crate::policy;
use crate::records::result;

/// Measures what the first reveal is worth for agents of rising strength.
///
/// Every agent plays itself, and all play one another for their Elo, on common deals. The same call
/// goes on from what `out` holds. docs/statistics.md explains the figures.
///
/// Args:
///     name: One of `darkqi.games()`.
///     out: The folder of the study, for its datasets and matches.
///     agents: At least two names of agents, from the weakest to the strongest.
///     games: Games of each agent against itself, at least 1.
///     progress: Whether to show a progress bar on standard error, if that is a terminal.
///     **options: Rule options (int, bool or str); `darkqi.spec(name).options` lists them. `rules` takes them
///         from a TOML file, a variant of the program by name, or a dict as such a file has it.
///
/// Returns:
///     The `StrengthResults`.
///
/// Raises:
///     ValueError: The game, an option or an agent does not exist, or a value is out of range.
///     OSError: A file cannot be read or written.
///     KeyboardInterrupt: Ctrl-C. What was played is in `out`.
#[pyfunction]
#[pyo3(signature = (name, out, agents, games=2000, *, progress=false, **options))]
pub(crate) fn strength<'py>(
    py: Python<'py>,
    name: &str,
    #[pyo3(from_py_with = dataset_path)] out: PathBuf,
    #[pyo3(from_py_with = policy::named_agents)] agents: Vec<AgentSpec>,
    #[pyo3(from_py_with = arguments::games)] games: u64,
    progress: bool,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let study = study(Keywords::new(py, options)?, name, out, agents, games)?;
    let found = with_progress(py, progress, games, |progress, stop| {
        studies::strength(&study, progress, stop)
    })?;
    result(py, "StrengthResults", &found)
}

/// Plays and compares all combinations of values of some rule options.
///
/// Every agent plays itself under each set of rules, on common deals; with several agents each also
/// plays the one before it. The same call goes on from what `out` holds. docs/statistics.md explains the
/// figures.
///
/// Args:
///     name: One of `darkqi.games()`.
///     out: The folder of the study, for its datasets and matches.
///     vary: The values of each option, as in {"quiet_limit": [40, 60]}. "remove" takes pieces off:
///         {"remove": ["none", "R", "P+P"]}; {"remove": ["each"]} stands for none and one piece of each
///         kind that the first mover can spare.
///     agents: Names of agents, from the weakest to the strongest.
///     games: Games of each agent against itself under each set of rules, at least 1.
///     progress: Whether to show a progress bar on standard error, if that is a terminal.
///     **options: Rule options that all sets have.
///
/// Returns:
///     The `SweepResults`: for each agent, which rules are `fairest`.
///
/// Raises:
///     ValueError: The game, an option or an agent does not exist, or a value is out of range. Nothing
///         is played then.
///     OSError: A file cannot be read or written.
///     KeyboardInterrupt: Ctrl-C. What was played is in `out`.
#[pyfunction]
#[pyo3(signature = (name, out, vary, agents, games=2000, *, progress=false, **options))]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn sweep<'py>(
    py: Python<'py>,
    name: &str,
    #[pyo3(from_py_with = dataset_path)] out: PathBuf,
    vary: &Bound<'py, PyDict>,
    #[pyo3(from_py_with = policy::named_agents)] agents: Vec<AgentSpec>,
    #[pyo3(from_py_with = arguments::games)] games: u64,
    progress: bool,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let vary = vary.iter().map(|(option, values)| variation(&option, &values));
    let vary = vary.collect::<PyResult<Vec<_>>>()?;
    let keywords = Keywords::new(py, options)?;
    if keywords.has("rules")? {
        studies::check_no_rules_vary(&vary).into_py_result()?;
    }
    let mut config = Sweep::new(Study::default(), vary);
    keywords.set(&mut config)?;
    config.study = study(keywords, name, out, agents, games)?;
    let found = with_progress(py, progress, games, |progress, stop| {
        studies::sweep(&config, progress, stop)
    })?;
    result(py, "SweepResults", &found)
}

/// A study of these agents.
fn study(
    keywords: Keywords<'_>,
    name: &str,
    dir: PathBuf,
    agents: Vec<AgentSpec>,
    games: u64,
) -> PyResult<Study> {
    let mut study = Study::default();
    keywords.set(&mut study)?;
    let (job, _) = keywords.job::<options::Study>(name, games, Some(dir))?;
    Ok(Study { job: Job { agents, ..job }, ..study })
}

/// The values of an option as the command line takes them.
fn variation(option: &Bound<'_, PyAny>, values: &Bound<'_, PyAny>) -> PyResult<Variation> {
    let option: String = option.extract()?;
    let read = |value: &Bound<'_, PyAny>| Ok(text(arguments::option_value(&option, value)?));
    let values =
        arguments::items(&format!("vary: {option}"), values, "a sequence of values", read)?;
    Ok(Variation { option, values })
}

fn text(value: Value) -> String {
    match value {
        Value::Bool(on) => if on { "on" } else { "off" }.to_owned(),
        Value::Int(number) => number.to_string(),
        Value::Text(text) => text,
    }
}
