//! Matches between agents: `darkqi.arena`.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::{Path, PathBuf};

use darkqi_play::arena::{Failed, Match, Results, Sizes, Sprt, play, sizes};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments;
use crate::caller::Caller;
use crate::ending::attached;
use crate::error::{IntoPyErr, IntoPyResult};
use crate::interrupt::with_policies;
use crate::location::optional_dataset_path;
use crate::openings::{self, Lines};
use crate::policy::{self, Asking, BLOCK_ROWS};
use crate::records::result;
use crate::spec::Spec;

/// The error probabilities of a test, unless others are given.
const ERROR: f64 = 0.05;

/// Plays agents against one another on duplicate deals and rates them.
///
/// Every pair of agents plays the same deals. A block is one deal with every way of seating the
/// pair, and is one observation: all intervals come from the variance of block scores. Block k
/// depends on the arguments, on k and on the pair, but not on `threads`. docs/arena.md explains the
/// figures.
///
/// Args:
///     name: One of `darkqi.games()`.
///     agents: Two agents or more, all different: names, dicts or policies, as in [policy, "greedy"];
///         `selfplay` says what a policy is, and what a dict.
///     games: Games per pair, at least 1, rounded up to whole blocks; with `sprt`, the largest
///         number.
///     seed: The seed of the match, as of `State`.
///     threads: Number of threads, at least 1; None for one per core.
///     random_plies: Number of random plies before the agents take over, the same in all games of a
///         block; None for 0 where deals or openings differ, otherwise 2 per seat.
///     openings: Where games begin, drawn per block: a file with an opening per line, or a sequence of
///         openings. An opening is a full FEN or, where all deals are equal, moves from the start.
///         What lies covered is dealt. None: the deal.
///     fen: A single opening instead of `openings`.
///     remove: Pieces to take off, by their names in a FEN, as in ["R", "c"]: for each name one of the
///         pieces that have it, drawn per block.
///     sprt: Two Elo differences (elo0, elo1): tests whether the first of two agents is elo0 (H0) or
///         elo1 (H1) better, and stops at the decision.
///     alpha: With `sprt`, the greatest probability of accepting H1 although H0 is true.
///     beta: With `sprt`, the greatest probability of accepting H0 although H1 is true.
///     out: The folder of a dataset in which the match is logged, or its URL. If it holds the match, the
///         match is resumed; all that determines its games must be the same, and `games` may be more.
///     shard_games: Number of games in one file of that dataset, at least 1; None for the default.
///     shards: Play only these files of the match, counted from 0: (first, end) without the end, or a
///         `range`. Other processes may play others in `out` at the same time. `darkqi.finish` then makes
///         one dataset of them, of which the same call without `shards` gives the results. `sprt`, agents
///         with `time=` and programs are refused.
///     observation: "planes" or "tokens": what policies see.
///     batch_size: Number of rows that a policy sees at once, from 1 to 65,536.
///     progress: Whether to show a progress bar on standard error, if that is a terminal.
///     **options: Rule options (int, bool or str); `darkqi.spec(name).options` lists them.
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
    name, agents, games=1000, *, seed=0, threads=None, random_plies=None, openings=None, fen=None,
    remove=Vec::new(), sprt=None, alpha=ERROR, beta=ERROR, out=None, shard_games=None, shards=None, observation="planes", batch_size=BLOCK_ROWS, progress=false, **options
))]
#[pyo3(text_signature = "(name, agents, games=1000, *, seed=0, threads=None, random_plies=None, \
                         openings=None, fen=None, remove=None, sprt=None, alpha=0.05, beta=0.05, out=None, shard_games=None, shards=None, \
                         observation='planes', batch_size=64, progress=False, **options)")]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn arena<'py>(
    py: Python<'py>,
    name: &str,
    agents: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = arguments::games)] games: u64,
    #[pyo3(from_py_with = arguments::seed)] seed: u64,
    #[pyo3(from_py_with = arguments::threads)] threads: Option<usize>,
    #[pyo3(from_py_with = arguments::random_plies)] random_plies: Option<u32>,
    #[pyo3(from_py_with = openings::openings)] openings: Option<Lines>,
    fen: Option<String>,
    #[pyo3(from_py_with = openings::remove)] remove: Vec<String>,
    #[pyo3(from_py_with = arguments::optional_sprt)] sprt: Option<[f64; 2]>,
    alpha: f64,
    beta: f64,
    #[pyo3(from_py_with = optional_dataset_path)] out: Option<PathBuf>,
    #[pyo3(from_py_with = arguments::shard_games)] shard_games: Option<u64>,
    #[pyo3(from_py_with = arguments::shards)] shards: Option<Range<u64>>,
    observation: &str,
    #[pyo3(from_py_with = arguments::batch_size)] batch_size: usize,
    progress: bool,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    if sprt.is_none() && (alpha != ERROR || beta != ERROR) {
        return Err(PyValueError::new_err("alpha, beta: expected sprt beside them"));
    }
    let spec = Spec::new(name, options)?;
    let format = arguments::format("observation", observation)?;
    let (asking, caller) = (Asking { format, rows: batch_size }, &Caller::this_thread());
    let agents = policy::agents(agents, &spec.0, asking, Some(caller))?;
    let mut config = Match {
        options: arguments::options(options)?,
        games,
        seed,
        openings: openings::lines(openings, fen)?,
        remove,
        random_plies,
        sprt: sprt.map(|[elo0, elo1]| Sprt { elo0, elo1, alpha, beta }),
        out,
        shards,
        ..Match::new(name, agents)
    };
    config.shard_games = shard_games.unwrap_or(config.shard_games);
    config.threads = threads.and_then(NonZeroUsize::new).unwrap_or(config.threads);
    let results = with_policies(py, Some(caller), progress, games, |progress, stop| {
        play(&config, progress, stop)
    })?;
    result(py, "MatchResults", &results)
}

/// Returns how many pairs a match has, how many games of all pairs, and how many games on a deal.
#[pyfunction]
#[pyo3(signature = (name, agents, games, **options))]
pub(crate) fn match_sizes(
    name: &str,
    agents: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = arguments::games)] games: u64,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<(u64, u64, u64)> {
    let spec = Spec::new(name, options)?;
    let format = arguments::format("observation", "planes")?;
    let agents = policy::agents(agents, &spec.0, Asking { format, rows: BLOCK_ROWS }, None)?;
    let options = arguments::options(options)?;
    let found = sizes(&Match { options, games, ..Match::new(name, agents) });
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
