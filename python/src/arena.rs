//! Matches between agents: `darkqi.arena`.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use darkqi_env::Format;
use darkqi_play::arena::{Failed, Results, Sizes, play, sizes};
use darkqi_play::options::Match;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments;
use crate::caller::Caller;
use crate::declared::Keywords;
use crate::ending::attached;
use crate::error::{IntoPyErr, IntoPyResult};
use crate::interrupt::with_policies;
use crate::location::optional_dataset_path;
use crate::policy::{self, Asking, BLOCK_ROWS};
use crate::records::result;

/// Plays agents against one another on duplicate deals and rates them.
///
/// Every pair of agents plays the same deals. A block is one deal with every way of seating the
/// pair, and is one observation: all intervals come from the variance of block scores. Block k
/// depends on the arguments, on k and on the pair, but not on `threads`. docs/arena.md explains the
/// figures.
///
/// `openings` is also taken as a sequence of texts, `shards` as (first, end) or a `range`, both without the
/// end.
///
/// Args:
///     name: One of `darkqi.games()`.
///     agents: Two agents or more, all different: names, dicts or policies, as in [policy, "greedy"];
///         `selfplay` says what a policy is, and what a dict.
///     games: Games per pair, at least 1, rounded up to whole blocks; with `sprt`, the largest
///         number.
///     out: The folder of a dataset in which the match is logged, or its URL. If it holds the match, the
///         match is resumed; all that determines its games must be the same, and `games` may be more.
///     observation: "planes" or "tokens": what policies see.
///     batch_size: Number of rows that a policy sees at once, from 1 to 65,536.
///     progress: Whether to show a progress bar on standard error, if that is a terminal.
///     **options: Rule options (int, bool or str); `darkqi.spec(name).options` lists them. `rules` takes them
///         from a TOML file, a variant of the program by name, or a dict as such a file has it.
///
/// Returns:
///     The `MatchResults`, with the names of `darkqi arena --json`.
///
/// Raises:
///     ValueError: The game, an option or an agent does not exist, a value is out of range, or `out`
///         holds something else.
///     TypeError: A value has the wrong type.
///     IllegalActionError: A policy gave an action that is not legal or does not exist.
///     OSError: The dataset cannot be read or written, or another process writes to it.
///     KeyboardInterrupt: Ctrl-C. With `out`, games that have ended are in it, and the same call
///         resumes the match.
///
/// An exception that ends the match after games were played, what a policy raises included, has the
/// attribute `so_far`: the `MatchResults` of the blocks that were finished. A note says how to go on.
#[pyfunction]
#[pyo3(signature = (
    name, agents, games=1000, *, out=None, observation="planes", batch_size=BLOCK_ROWS,
    progress=false, **options
))]
#[pyo3(text_signature = "(name, agents, games=1000, *, out=None, observation='planes', \
                         batch_size=64, progress=False, **options)")]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn arena<'py>(
    py: Python<'py>,
    name: &str,
    agents: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = arguments::games)] games: u64,
    #[pyo3(from_py_with = optional_dataset_path)] out: Option<PathBuf>,
    observation: &str,
    #[pyo3(from_py_with = arguments::batch_size)] batch_size: usize,
    progress: bool,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let keywords = Keywords::new(py, options)?;
    if (keywords.has("alpha")? || keywords.has("beta")?) && !keywords.has("sprt")? {
        return Err(PyValueError::new_err("alpha, beta: expected sprt beside them"));
    }
    let (mut job, spec) = keywords.job::<Match>(name, games, out)?;
    let format = arguments::format("observation", observation)?;
    let (asking, caller) = (Asking { format, rows: batch_size }, &Caller::this_thread());
    job.agents = policy::agents(agents, &spec, asking, Some(caller))?;
    let results = with_policies(py, Some(caller), progress, games, |progress, stop| {
        let results = play(&job, progress, stop)?;
        if !stop.load(Ordering::Relaxed) || results.complete || results.played() == 0 {
            return Ok(results);
        }
        // What interrupts it takes the results on.
        let cause = Box::new(darkqi_play::Error::Stopped);
        Err(Failed { cause, so_far: Some(Box::new(results)), out: job.dir.clone() })
    })?;
    result(py, "MatchResults", &results)
}

/// Returns the numbers of a match: of pairs, of games of all pairs, and of games on a deal.
#[pyfunction]
#[pyo3(signature = (name, agents, games, **options))]
pub(crate) fn match_sizes<'py>(
    py: Python<'py>,
    name: &str,
    agents: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = arguments::games)] games: u64,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<(u64, u64, u64)> {
    let (mut job, spec) = Keywords::new(py, options)?.job::<Match>(name, games, None)?;
    let asking = Asking { format: Format::Planes, rows: BLOCK_ROWS };
    job.agents = policy::agents(agents, &spec, asking, None)?;
    let found = sizes(&job);
    let Sizes { pairs, games, deal_games } = found.into_py_result()?;
    Ok((pairs, games, deal_games))
}

impl IntoPyErr for Failed {
    fn into_py_err(self) -> PyErr {
        let Self { cause, so_far, out } = self;
        let error = cause.into_py_err();
        if let Some(so_far) = so_far {
            // They only help to go on: an exception of a policy may take neither.
            let _ = attached(|py| tell(error.value(py), &so_far, out.as_deref()));
        }
        error
    }
}

/// Gives an exception the results so far as `so_far`, and a note on them.
fn tell(error: &Bound<'_, PyAny>, so_far: &Results, out: Option<&Path>) -> PyResult<()> {
    let kept = match out {
        Some(dir) => format!("the same call goes on with {}", dir.display()),
        None => "nothing was kept, as there is no `out`".to_owned(),
    };
    let (games, asked) = (so_far.played(), so_far.asked());
    let note = format!(
        "{games} of {asked} games are counted, with results in the exception's `so_far`; {kept}"
    );
    error.call_method1("add_note", (note,))?;
    error.setattr("so_far", result(error.py(), "MatchResults", so_far)?)
}
