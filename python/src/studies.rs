//! Studies of many runs: `darkqi.strength` and `darkqi.sweep`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use darkqi_engine::agents::AgentSpec;
use darkqi_env::Value;
use darkqi_play::studies::{self, MARGIN, Study, Variation};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments;
use crate::interrupt::with_progress;
use crate::openings::{self, Lines};
use crate::policy;
use crate::records::result;
use crate::spec::Spec;

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
///     match_games: Games of each match of two agents, at least 1.
///     seed: The seed of all runs and matches, as of `State`.
///     threads: Number of threads, at least 1; None for one per core.
///     random_plies: Number of random plies before the agents take over, as in `darkqi.arena`.
///     openings: Where games begin, as in `darkqi.arena`.
///     fen: A single opening instead of `openings`.
///     remove: Pieces to take off, as in `darkqi.arena`.
///     progress: Whether to show a progress bar on standard error, if that is a terminal.
///     **options: Rule options (int, bool or str); `darkqi.spec(name).options` lists them.
///
/// Returns:
///     The `StrengthResults`.
///
/// Raises:
///     ValueError: The game, an option or an agent does not exist, or a value is out of range.
///     OSError: A file cannot be read or written.
///     KeyboardInterrupt: Ctrl-C. What was played is in `out`.
#[pyfunction]
#[pyo3(signature = (
    name, out, agents, games=2000, *, match_games=400, seed=0, threads=None, random_plies=None,
    openings=None, fen=None, remove=Vec::new(), progress=false, **options
))]
#[pyo3(
    text_signature = "(name, out, agents, games=2000, *, match_games=400, seed=0, threads=None, \
                         random_plies=None, openings=None, fen=None, remove=None, progress=False, \
                         **options)"
)]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn strength<'py>(
    py: Python<'py>,
    name: &str,
    out: PathBuf,
    #[pyo3(from_py_with = policy::named_agents)] agents: Vec<AgentSpec>,
    #[pyo3(from_py_with = arguments::games)] games: u64,
    #[pyo3(from_py_with = arguments::games)] match_games: u64,
    #[pyo3(from_py_with = arguments::seed)] seed: u64,
    #[pyo3(from_py_with = arguments::threads)] threads: Option<usize>,
    #[pyo3(from_py_with = arguments::random_plies)] random_plies: Option<u32>,
    #[pyo3(from_py_with = openings::openings)] openings: Option<Lines>,
    fen: Option<String>,
    #[pyo3(from_py_with = openings::remove)] remove: Vec<String>,
    progress: bool,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let study = Study {
        games,
        match_games,
        seed,
        openings: openings::lines(openings, fen)?,
        remove,
        random_plies,
        ..study(name, out, threads, options)?
    };
    let config = studies::Strength { study, agents };
    let found = with_progress(py, progress, games, |progress, stop| {
        studies::strength(&config, progress, stop)
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
///     match_games: Games of each match of two agents, at least 1.
///     seed: The seed of all runs and matches, as of `State`.
///     threads: Number of threads, at least 1; None for one per core.
///     random_plies: Number of random plies before the agents take over, as in `darkqi.arena`.
///     openings: Where games begin, as in `darkqi.arena`.
///     fen: A single opening instead of `openings`.
///     remove: Pieces to take off, as in `darkqi.arena`.
///     margin: Within which distance of the even score, above 0 and at most 0.5, `equivalence` tests
///         whether a set is fair.
///     until: Play all sets in common rounds until every difference in score between two of them is
///         known to this half-width, above 0 and at most 0.5; `games` is then the largest number. The
///         intervals of `settled` hold together at 95 %, at the stop as at any time.
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
#[pyo3(signature = (
    name, out, vary, agents, games=2000, *, match_games=400, seed=0, threads=None,
    random_plies=None, openings=None, fen=None, remove=Vec::new(), margin=MARGIN, until=None,
    progress=false, **options
))]
#[pyo3(text_signature = "(name, out, vary, agents, games=2000, *, match_games=400, seed=0, \
                         threads=None, random_plies=None, openings=None, fen=None, remove=None, \
                         margin=0.02, until=None, progress=False, **options)")]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn sweep<'py>(
    py: Python<'py>,
    name: &str,
    out: PathBuf,
    vary: &Bound<'py, PyDict>,
    #[pyo3(from_py_with = policy::named_agents)] agents: Vec<AgentSpec>,
    #[pyo3(from_py_with = arguments::games)] games: u64,
    #[pyo3(from_py_with = arguments::games)] match_games: u64,
    #[pyo3(from_py_with = arguments::seed)] seed: u64,
    #[pyo3(from_py_with = arguments::threads)] threads: Option<usize>,
    #[pyo3(from_py_with = arguments::random_plies)] random_plies: Option<u32>,
    #[pyo3(from_py_with = openings::openings)] openings: Option<Lines>,
    fen: Option<String>,
    #[pyo3(from_py_with = openings::remove)] remove: Vec<String>,
    margin: f64,
    until: Option<f64>,
    progress: bool,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let study = Study {
        games,
        match_games,
        seed,
        openings: openings::lines(openings, fen)?,
        remove,
        random_plies,
        ..study(name, out, threads, options)?
    };
    let vary = vary.iter().map(|(option, values)| variation(&option, &values));
    let vary = vary.collect::<PyResult<_>>()?;
    let config = studies::Sweep { study, vary, agents, margin, until };
    let found = with_progress(py, progress, games, |progress, stop| {
        studies::sweep(&config, progress, stop)
    })?;
    result(py, "SweepResults", &found)
}

/// A study with the rules and the threads that were asked for.
fn study(
    name: &str,
    dir: PathBuf,
    threads: Option<usize>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Study> {
    // Raises for a game or an option that does not exist.
    Spec::new(name, options)?;
    let study = Study::new(name, dir);
    let threads = threads.and_then(NonZeroUsize::new).unwrap_or(study.threads);
    Ok(Study { options: arguments::options(options)?, threads, ..study })
}

/// The most values of an option: far more than can be compared.
const MAX_VALUES: usize = 1000;

/// The values of an option as the command line takes them.
fn variation(option: &Bound<'_, PyAny>, values: &Bound<'_, PyAny>) -> PyResult<Variation> {
    let option: String = option.extract()?;
    let given = PyDict::new(values.py());
    let mut texts = Vec::new();
    for value in values.try_iter()? {
        if texts.len() == MAX_VALUES {
            let message = format!("vary: {option}: expected at most {MAX_VALUES} values");
            return Err(PyValueError::new_err(message));
        }
        given.set_item(&option, value?)?;
        texts.extend(arguments::options(Some(&given))?.into_values().map(text));
    }
    Ok(Variation { option, values: texts })
}

fn text(value: Value) -> String {
    match value {
        Value::Bool(on) => if on { "on" } else { "off" }.to_owned(),
        Value::Int(number) => number.to_string(),
        Value::Text(text) => text,
    }
}
