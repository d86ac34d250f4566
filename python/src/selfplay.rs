//! Self-play into datasets: `darkqi.selfplay`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use darkqi_selfplay::{AgentSpec, Bar, Config, Progress, Summary};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::OrRaise;
use crate::interrupt::interruptible;
use crate::options;
use crate::records;

/// Plays games between agents and logs them as a dataset of Parquet files.
///
/// Game k depends on the arguments and on k, not on `threads` or `shard_games`.
///
/// Args:
///     name: One of `darkqi.games()`.
///     out: The folder of the dataset. It is made; without `resume`, it must not hold a dataset yet.
///     games: Number of games, at least 1; with `until`, at most.
///     agents: One agent per seat, or one for all seats, such as "greedy" or ["greedy", "random"].
///     seed: The seed of the run, from 0 to 2**64 - 1.
///     threads: Number of threads, at least 1; None for one per core.
///     shard_games: Number of games in one file, at least 1; None for the default.
///     duplicate: Whether every deal is played once per seat of each agent; `games` counts all.
///     until: Stop after the first file with which the score of whoever makes the first reveal (where nothing is
///         covered, the first move) is known to this half-width, by a 95 % interval that holds however often it is
///         looked at; above 0 and at most 0.5. The agent must play itself.
///     resume: Whether to go on with the run in `out`, if there is one, so that the same call can be made again after
///         whatever interrupted it. It ends with the very files that it would have given at once. The arguments must be
///         those of that run, apart from `threads`, and from `games` and `until`, which may ask for more games.
///     progress: Whether to draw a bar to standard error, if that is a terminal.
///     **options: Rule options (int, bool or str); `darkqi.spec(name).options` lists them.
///
/// Returns:
///     The `Summary` of the results.
///
/// Raises:
///     ValueError: There is no such game, option or agent, a value is out of range, or `out` holds a run with other
///         arguments.
///     TypeError: A value has the wrong type.
///     OSError: The dataset cannot be written, another process writes to it, or the folder holds one already.
///     KeyboardInterrupt: Ctrl-C; finished shards stay readable, and `resume` goes on.
#[pyfunction]
#[pyo3(signature = (
    name, out, games=1000, *, agents=Agents::One("greedy".to_owned()), seed=0, threads=None,
    shard_games=None, duplicate=false, until=None, resume=false, progress=false, **options
))]
#[pyo3(text_signature = "(name, out, games=1000, *, agents='greedy', seed=0, threads=None, \
                         shard_games=None, duplicate=False, until=None, resume=False, progress=False, \
                         **options)")]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn selfplay<'py>(
    py: Python<'py>,
    name: &str,
    out: PathBuf,
    #[pyo3(from_py_with = options::games)] games: u64,
    agents: Agents,
    #[pyo3(from_py_with = options::seed)] seed: u64,
    #[pyo3(from_py_with = options::playing_threads)] threads: Option<usize>,
    #[pyo3(from_py_with = options::shard_games)] shard_games: Option<u64>,
    duplicate: bool,
    until: Option<f64>,
    resume: bool,
    progress: bool,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut config = Config {
        options: options::options(options)?,
        agents: agents.parse()?,
        games,
        seed,
        duplicate,
        until,
        resume,
        ..Config::new(name, out)
    };
    config.shard_games = shard_games.unwrap_or(config.shard_games);
    config.threads = threads.and_then(NonZeroUsize::new).unwrap_or(config.threads);
    let summary = run(py, &config, progress)?;
    records::summary(py, &summary)
}

/// Agents by name: one for all seats, or one per seat.
#[derive(FromPyObject)]
pub(crate) enum Agents {
    One(String),
    Each(Vec<String>),
}

impl Agents {
    fn parse(self) -> PyResult<Vec<AgentSpec>> {
        let specs = match self {
            Self::One(list) => AgentSpec::parse_list(&list),
            Self::Each(names) => names.iter().map(|name| name.parse()).collect(),
        };
        specs.map_err(|error| PyValueError::new_err(error.to_string()))
    }
}

/// Plays until it is done or Ctrl-C; what is being played then is played to its end, and its shard dropped.
fn run(py: Python<'_>, config: &Config, progress: bool) -> PyResult<Summary> {
    let stop = &AtomicBool::new(false);
    let bar = progress.then(|| Bar::new(config.games));
    let watcher: &dyn Progress = bar.as_ref().map_or(&(), |bar| bar);
    interruptible(py, stop, || darkqi_selfplay::selfplay(config, watcher, stop).or_raise())
}
