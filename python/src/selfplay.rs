//! Self-play into datasets: `darkqi.selfplay`.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::PathBuf;

use darkqi_format::Openings;
use darkqi_play::generation::{Config, kept_games};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::arguments;
use crate::caller::Caller;
use crate::ending::attached;
use crate::error::{IntoPyErr, IntoPyResult};
use crate::interrupt::{reading, with_policies};
use crate::location::dataset_path;
use crate::openings::{self, Lines};
use crate::policy::{self, Asking, BLOCK_ROWS};
use crate::records;
use crate::spec::Spec;

/// Plays games between agents and writes them as a dataset of Parquet files.
///
/// Game k depends on the arguments and on k, but not on `threads` or `shard_games`.
///
/// Args:
///     name: One of `darkqi.games()`.
///     out: The folder of the dataset. It is created; without `resume`, it must not hold a dataset.
///     games: Number of games, at least 1; with `until`, the largest number.
///     agents: One agent per seat, or one for all seats: names such as "greedy", or policies, as in
///         [policy, "greedy"]. A dict has an agent's name and options whose values are no text to be
///         parsed, as in {"name": "greedy", "values": path}. A policy is a callable that takes an
///         observation (B, ...) uint8, a mask (B, A) bool and the seats to move (B,) int8, and returns B actions or
///         `darkqi.Decisions`, whose values and policies are logged. B is always `batch_size`;
///         rows without a game repeat the first. It is called in the thread of this call.
///     seed: The seed of all games, as of `State`.
///     threads: Number of threads, at least 1; None for one per core.
///     shard_games: Number of games in one file, at least 1; None for the default.
///     duplicate: Whether to play every deal once per seat of each agent; `games` counts all.
///     random_plies: Number of random plies before the agents take over, drawn per deal.
///     openings: Where games begin, drawn per deal: a file with an opening per line, or a sequence of
///         openings. An opening is a full FEN or, where all deals are equal, moves from the start.
///         What lies covered is dealt. None: the deal.
///     fen: A single opening instead of `openings`.
///     remove: Pieces to take off, by their names in a FEN, as in ["R", "c"]: for each name one of the
///         pieces that have it, drawn per deal.
///     until: Stop after the first file with which the score of the first revealer (without covered
///         pieces, of the first mover) is known to this half-width, above 0 and at most 0.5. The
///         95 % interval stays valid although it is computed after every file. The agent must play
///         itself.
///     luck_adjusted: Whether `until` counts by the luck-adjusted score, which needs fewer games where
///         the luck of reveals decides much. Some pieces of the game must be covered.
///     observations: Whether to write the observation and mask of every ply to
///         observations/*.parquet, too, once all games are played: for readers without darkqi.
///     observation: "planes" or "tokens": what policies see.
///     batch_size: Number of rows B that a policy sees at once, from 1 to 65,536, and of games that each
///         thread plays at a time for it.
///     resume: Whether to continue the dataset in `out`, if there is one. The same call can then be
///         repeated after an interruption, and gives the same files as an uninterrupted one. The
///         arguments must be the same, except for `threads`, and for `games`, `until` and
///         `luck_adjusted`, which may ask for more games.
///     shards: Play only these files of the run, counted from 0: (first, end) without the end, or a
///         `range`. Other processes, on this machine or others, may play shards in `out` at the same
///         time; `darkqi.finish` then makes one dataset of them. `out` may hold a run of the same
///         arguments. Shards that are there are not played again. Policies must then play the same in
///         every process, and agents with `time=` or programs are refused, as are `until` and
///         `observations`. The summary is about these shards.
///     progress: Whether to show a progress bar on standard error, if that is a terminal.
///     **options: Rule options (int, bool or str); `darkqi.spec(name).options` lists them.
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
    name, out, games=1000, *, agents=None, seed=0, threads=None, shard_games=None, duplicate=false,
    random_plies=None, openings=None, fen=None, remove=Vec::new(), until=None, luck_adjusted=false, observations=false, observation="planes", batch_size=BLOCK_ROWS, resume=false, shards=None, progress=false, **options
))]
#[pyo3(text_signature = "(name, out, games=1000, *, agents='greedy', seed=0, threads=None, \
                         shard_games=None, duplicate=False, random_plies=0, openings=None, fen=None, \
                         remove=None, until=None, luck_adjusted=False, observations=False, \
                         observation='planes', batch_size=64, resume=False, shards=None, progress=False, **options)")]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn selfplay<'py>(
    py: Python<'py>,
    name: &str,
    #[pyo3(from_py_with = dataset_path)] out: PathBuf,
    #[pyo3(from_py_with = arguments::games)] games: u64,
    agents: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = arguments::seed)] seed: u64,
    #[pyo3(from_py_with = arguments::threads)] threads: Option<usize>,
    #[pyo3(from_py_with = arguments::shard_games)] shard_games: Option<u64>,
    duplicate: bool,
    #[pyo3(from_py_with = arguments::random_plies)] random_plies: Option<u32>,
    #[pyo3(from_py_with = openings::openings)] openings: Option<Lines>,
    fen: Option<String>,
    #[pyo3(from_py_with = openings::remove)] remove: Vec<String>,
    until: Option<f64>,
    luck_adjusted: bool,
    observations: bool,
    observation: &str,
    #[pyo3(from_py_with = arguments::batch_size)] batch_size: usize,
    resume: bool,
    #[pyo3(from_py_with = arguments::shards)] shards: Option<Range<u64>>,
    progress: bool,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let spec = Spec::new(name, options)?;
    let format = arguments::format("observation", observation)?;
    let greedy = PyString::new(py, "greedy").into_any();
    let agents = agents.unwrap_or(&greedy);
    let (asking, caller) = (Asking { format, rows: batch_size }, &Caller::this_thread());
    let mut config = Config {
        options: arguments::options(options)?,
        agents: policy::agents(agents, &spec.0, asking, Some(caller))?,
        games,
        seed,
        duplicate,
        openings: Openings {
            lines: openings::lines(openings, fen)?,
            remove,
            random_plies: random_plies.unwrap_or(0),
        },
        until,
        luck_adjusted,
        observations,
        resume,
        shards,
        ..Config::new(name, out)
    };
    config.shard_games = shard_games.unwrap_or(config.shard_games);
    config.threads = threads.and_then(NonZeroUsize::new).unwrap_or(config.threads);
    let summary = with_policies(py, Some(caller), progress, config.games, |progress, stop| {
        darkqi_play::generation::selfplay(&config, progress, stop)
            .map_err(|cause| Failed { kept: kept(&cause, &config), cause: cause.into() })
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
fn kept(cause: &darkqi_play::Error, config: &Config) -> Option<String> {
    if !cause.came_in_play() {
        return None;
    }
    let dir = config.dir.display();
    let what = match kept_games(&config.dir) {
        Ok(games) if config.shards.is_none() => format!("{games} of {} games", config.games),
        _ => "the finished shards".to_owned(),
    };
    Some(format!("{what} are in {dir}; the same call with resume=True goes on"))
}

/// Makes the folder of a run ready for processes that play some of its shards each, checks the
/// arguments, which are those of `selfplay`, and returns the number of shards.
#[pyfunction]
#[pyo3(signature = (
    name, out, games, *, agents, seed, shard_games, duplicate, random_plies, openings, fen, remove,
    observation, batch_size, **options
))]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn prepare_shards(
    py: Python<'_>,
    name: &str,
    #[pyo3(from_py_with = dataset_path)] out: PathBuf,
    #[pyo3(from_py_with = arguments::games)] games: u64,
    agents: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = arguments::seed)] seed: u64,
    #[pyo3(from_py_with = arguments::shard_games)] shard_games: Option<u64>,
    duplicate: bool,
    #[pyo3(from_py_with = arguments::random_plies)] random_plies: Option<u32>,
    #[pyo3(from_py_with = openings::openings)] openings: Option<Lines>,
    fen: Option<String>,
    #[pyo3(from_py_with = openings::remove)] remove: Vec<String>,
    observation: &str,
    #[pyo3(from_py_with = arguments::batch_size)] batch_size: usize,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<u64> {
    let spec = Spec::new(name, options)?;
    let format = arguments::format("observation", observation)?;
    let mut config = Config {
        options: arguments::options(options)?,
        agents: policy::agents(agents, &spec.0, Asking { format, rows: batch_size }, None)?,
        games,
        seed,
        duplicate,
        openings: Openings {
            lines: openings::lines(openings, fen)?,
            remove,
            random_plies: random_plies.unwrap_or(0),
        },
        ..Config::new(name, out)
    };
    config.shard_games = shard_games.unwrap_or(config.shard_games);
    reading(py, &config.dir, || darkqi_play::generation::prepare(&config).into_py_result())
}
