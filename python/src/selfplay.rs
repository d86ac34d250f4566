//! Self-play into datasets: `darkqi.selfplay`.

use std::path::PathBuf;

use darkqi_format::{MANIFEST_FILE, is_remote};
use darkqi_play::generation::{Job, kept_games};
use darkqi_play::options::Selfplay;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::arguments;
use crate::caller::Caller;
use crate::declared::Keywords;
use crate::ending::attached;
use crate::error::{IntoPyErr, IntoPyResult};
use crate::interrupt::{reading, with_policies};
use crate::location::dataset_path;
use crate::policy::{self, Asking, BLOCK_ROWS};
use crate::records;

/// Plays games between agents and writes them as a dataset of Parquet files.
///
/// Game k depends on the arguments and on k, but not on `threads` or `shard_games`.
///
/// `openings` is also taken as a sequence of texts, `shards` as (first, end) or a `range`, both without the
/// end.
///
/// Args:
///     name: One of `darkqi.games()`.
///     out: The folder of the dataset, or its URL. It is created; without `resume` and `shards`, it must
///         not hold a dataset. The same call with `resume` can be repeated after an interruption, and
///         gives the same files as an uninterrupted one.
///     games: Number of games, at least 1; with `until`, the largest number.
///     agents: One agent per seat, or one for all seats: names such as "greedy", or policies, as in
///         [policy, "greedy"]. A dict has an agent's name and options whose values are no text to be
///         parsed, as in {"name": "greedy", "values": path}. A policy is a callable that takes an
///         observation (B, ...) uint8, a mask (B, A) bool and the seats to move (B,) int8, and returns B actions or
///         `darkqi.Decisions`, whose values and policies are logged. B is always `batch_size`;
///         rows without a game repeat the first. It is called in the thread of this call.
///     observation: "planes" or "tokens": what policies see.
///     batch_size: Number of rows B that a policy sees at once, from 1 to 65,536, and of games that each
///         thread plays at a time for it.
///     progress: Whether to show a progress bar on standard error, if that is a terminal.
///     **options: Rule options (int, bool or str); `darkqi.spec(name).options` lists them. `rules` takes them
///         from a TOML file, a variant of the program by name, or a dict as such a file has it.
///
/// Returns:
///     The `Summary` of the results.
///
/// Raises:
///     ValueError: The game, an option or an agent does not exist, a value is out of range, a policy
///         answers what is no decision, or `out` holds a dataset of other arguments.
///     TypeError: A value has the wrong type.
///     IllegalActionError: A policy gave an action that is not legal or does not exist. The message
///         names the game and the ply. What was finished before is kept, as after any exception of a
///         policy.
///     OSError: The dataset cannot be written, another process writes to it, or the folder already
///         holds one.
///     KeyboardInterrupt: Ctrl-C. Finished games stay, and `resume` continues.
#[pyfunction]
#[pyo3(signature = (
    name, out, games=1000, *, agents=None, observation="planes", batch_size=BLOCK_ROWS,
    progress=false, **options
))]
#[pyo3(text_signature = "(name, out, games=1000, *, agents='greedy', observation='planes', \
                         batch_size=64, progress=False, **options)")]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn selfplay<'py>(
    py: Python<'py>,
    name: &str,
    #[pyo3(from_py_with = dataset_path)] out: PathBuf,
    #[pyo3(from_py_with = arguments::games)] games: u64,
    agents: Option<&Bound<'py, PyAny>>,
    observation: &str,
    #[pyo3(from_py_with = arguments::batch_size)] batch_size: usize,
    progress: bool,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (mut job, spec) = Keywords::new(py, options)?.job::<Selfplay>(name, games, Some(out))?;
    let format = arguments::format("observation", observation)?;
    let greedy = PyString::new(py, "greedy").into_any();
    let (asking, caller) = (Asking { format, rows: batch_size }, &Caller::this_thread());
    job.agents = policy::agents(agents.unwrap_or(&greedy), &spec, asking, Some(caller))?;
    let summary = with_policies(py, Some(caller), progress, games, |progress, stop| {
        darkqi_play::generation::selfplay(&job, progress, stop)
            .map_err(|cause| Failed { kept: kept(&cause, &job), cause: cause.into() })
    })?;
    records::result(py, "Summary", &summary)
}

/// A run that could not be played to its end.
struct Failed {
    cause: Box<darkqi_play::Error>,
    /// How to go on, where there is something to go on with.
    kept: Option<String>,
}

impl IntoPyErr for Failed {
    fn into_py_err(self) -> PyErr {
        let error = self.cause.into_py_err();
        if let Some(kept) = self.kept {
            // The note only helps to go on.
            let _ = attached(|py| error.value(py).call_method1("add_note", (kept,)).map(drop));
        }
        error
    }
}

/// What a run that failed has kept, and how to go on.
fn kept(cause: &darkqi_play::Error, job: &Job) -> Option<String> {
    let dir = job.dir.as_deref().filter(|_| cause.came_in_play())?;
    if !is_remote(dir) && !dir.join(MANIFEST_FILE).exists() {
        return None;
    }
    let what = match kept_games(dir) {
        Ok(games) if job.shards.is_none() => format!("{games} of {} games", job.games),
        _ => "the finished shards".to_owned(),
    };
    // A run of some shards goes on without being told.
    let how = if job.resume || job.shards.is_some() { "" } else { " with resume=True" };
    Some(format!("{what} are in {}; the same call{how} goes on", dir.display()))
}

/// Makes the folder of a run ready for processes that play some of its shards each, checks the
/// arguments, which are those of `selfplay`, and returns the number of shards.
#[pyfunction]
#[pyo3(signature = (name, out, games, *, agents, observation, batch_size, **options))]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn prepare_shards<'py>(
    py: Python<'py>,
    name: &str,
    #[pyo3(from_py_with = dataset_path)] out: PathBuf,
    #[pyo3(from_py_with = arguments::games)] games: u64,
    agents: &Bound<'py, PyAny>,
    observation: &str,
    #[pyo3(from_py_with = arguments::batch_size)] batch_size: usize,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<u64> {
    let keywords = Keywords::new(py, options)?;
    let (mut job, spec) = keywords.job::<Selfplay>(name, games, Some(out.clone()))?;
    let format = arguments::format("observation", observation)?;
    job.agents = policy::agents(agents, &spec, Asking { format, rows: batch_size }, None)?;
    reading(py, &out, || darkqi_play::generation::prepare(&job).into_py_result())
}
