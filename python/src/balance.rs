//! Piece values by self-play: `darkqi.balance_values`.

use std::path::PathBuf;

use darkqi_play::balance::{Balance, Round, balance};
use darkqi_play::generation::Job;
use darkqi_play::options;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments;
use crate::declared::Keywords;
use crate::error::IntoPyResult;
use crate::interrupt::with_progress;
use crate::location::dataset_path;
use crate::policy;
use crate::records::result;

/// Plays, fits piece values, plays with these, until they converge; then tests them.
///
/// The test is a match of the fitted values against the initial ones on duplicate deals, until it is
/// decided which of two Elo differences holds: by default 20 Elo worse, or equally good.
///
/// Args:
///     name: One of `darkqi.games()`.
///     out: The folder for the datasets and values of the rounds; it must not exist. The final
///         values are `values.toml`.
///     games: Games per round, at least 1.
///     agent: The agent that plays itself, one that reads piece values.
///     progress: Whether to show a progress bar on standard error, if that is a terminal.
///     **options: Rule options (int, bool or str); `darkqi.spec(name).options` lists them. `rules` takes them
///         from a TOML file, a variant of the program by name, or a dict as such a file has it.
///
/// Returns:
///     The `BalancedValues`, with the names of `darkqi values balance --json`.
///
/// Raises:
///     ValueError: The game, an option or the agent does not exist, a value is out of range, `out`
///         exists, or the games of the first round do not determine the values.
///     TypeError: A value has the wrong type.
///     OSError: A file cannot be written or read.
///     KeyboardInterrupt: Ctrl-C. The finished rounds are in `out`.
#[pyfunction]
#[pyo3(signature = (name, out, games=10_000, *, agent=None, progress=false, **options))]
#[pyo3(text_signature = "(name, out, games=10000, *, agent='greedy', progress=False, **options)")]
pub(crate) fn balance_values<'py>(
    py: Python<'py>,
    name: &str,
    #[pyo3(from_py_with = dataset_path)] out: PathBuf,
    #[pyo3(from_py_with = arguments::games)] games: u64,
    agent: Option<&Bound<'py, PyAny>>,
    progress: bool,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let agent = agent.map_or_else(|| "greedy".parse().into_py_result(), policy::named_agent)?;
    let keywords = Keywords::new(py, options)?;
    let mut config = Balance::new(name, agent.clone(), &out);
    keywords.set(&mut config)?;
    let (job, _) = keywords.job::<options::Balance>(name, games, Some(out))?;
    config.job = Job { agents: vec![agent], ..job };
    let balanced = with_progress(py, progress, games, |progress, stop| {
        let mut finished = 0;
        let mut watch = |_: &Round| {
            finished += 1;
            progress.standing(&format!("round {finished}"));
        };
        balance(&config, progress, stop, &mut watch)
    })?;
    result(py, "BalancedValues", &balanced)
}
