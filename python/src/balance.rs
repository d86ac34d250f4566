//! Piece values by self-play: `darkqi.balance_values`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use darkqi_analysis::piece_values::POSITIONS_PER_GAME;
use darkqi_play::arena::Sprt;
use darkqi_play::balance::{Balance, Round, balance};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments;
use crate::interrupt::with_progress;
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
///     rounds: The largest number of rounds, at least 1.
///     margin: Above 0 and at most 1. The values have converged when the games show that none changes by more than this
///         fraction of itself or, for those below the mean of all kinds, of that mean: when the interval
///         of each fitted value lies that near to the value that was played.
///     positions: The largest number of positions sampled from a game, at least 1.
///     sprt: The two Elo differences (elo0, elo1) that the test decides between.
///     test_games: The largest number of games of the test, at least 1.
///     seed: The seed of the rounds and of the test, as of `State`.
///     threads: Number of threads, at least 1; None for one per core.
///     progress: Whether to show a progress bar on standard error, if that is a terminal.
///     **options: Rule options (int, bool or str); `darkqi.spec(name).options` lists them.
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
#[pyo3(signature = (
    name, out, games=10_000, *, agent=None, rounds=8, margin=0.2,
    positions=POSITIONS_PER_GAME, sprt=[-20.0, 0.0], test_games=20_000, seed=0, threads=None,
    progress=false, **options
))]
#[pyo3(text_signature = "(name, out, games=10000, *, agent='greedy', rounds=8, margin=0.2, \
                         positions=8, sprt=(-20.0, 0.0), test_games=20000, seed=0, threads=None, \
                         progress=False, **options)")]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn balance_values<'py>(
    py: Python<'py>,
    name: &str,
    out: PathBuf,
    #[pyo3(from_py_with = arguments::games)] games: u64,
    agent: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = arguments::rounds)] rounds: u32,
    margin: f64,
    #[pyo3(from_py_with = arguments::positions)] positions: usize,
    #[pyo3(from_py_with = arguments::sprt)] sprt: [f64; 2],
    #[pyo3(from_py_with = arguments::test_games)] test_games: u64,
    #[pyo3(from_py_with = arguments::seed)] seed: u64,
    #[pyo3(from_py_with = arguments::threads)] threads: Option<usize>,
    progress: bool,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut config = Balance {
        options: arguments::options(options)?,
        games,
        rounds,
        margin,
        positions,
        seed,
        sprt: Sprt::new(sprt[0], sprt[1]),
        test_games,
        ..Balance::new(name, out)
    };
    if let Some(agent) = agent {
        config.agent = policy::named_agent(agent)?;
    }
    config.threads = threads.and_then(NonZeroUsize::new).unwrap_or(config.threads);
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
