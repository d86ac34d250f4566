//! Logged games played again: `darkqi.replay`.

use std::path::PathBuf;

use darkqi_datasets::{Dataset, PlyRecord, PolicyEntry};
use darkqi_play::replay::{Difference, ReplayedPly};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arguments;
use crate::error::IntoPyResult;
use crate::interrupt::reading;
use crate::location::dataset_path;
use crate::records::{plain_values, record};

/// Reads a game of a dataset and plays it again, which checks the log against the rules.
///
/// Args:
///     path: The dataset's folder.
///     game_id: The number of the game.
///
/// Returns:
///     The `ReplayedGame`, with the names of `darkqi replay --json`.
///
/// Raises:
///     ValueError: The dataset has no such game, or the log differs from the rules; the message
///         names every difference.
///     TypeError: A value has the wrong type.
///     OSError: The dataset cannot be read.
#[pyfunction]
pub(crate) fn replay<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = dataset_path)] path: PathBuf,
    #[pyo3(from_py_with = arguments::game_id)] game_id: u64,
) -> PyResult<Bound<'py, PyAny>> {
    let game = reading(py, &path, || {
        let dataset = Dataset::open(&path).into_py_result()?;
        darkqi_play::replay::replay(&dataset, game_id).into_py_result()
    })?;
    if !game.differences.is_empty() {
        return Err(PyValueError::new_err(Difference::list(game_id, &game.differences)));
    }
    let plies = game.plies.iter().map(|ply| replayed_ply(py, ply)).collect::<PyResult<Vec<_>>>()?;
    let record = &game.record;
    record!(py, "ReplayedGame",
        "game": &game.game,
        "options": plain_values(py, &game.options)?,
        "game_id": record.game_id,
        "pair_id": record.pair_id,
        "seed": record.seed,
        "agents": &record.agents,
        "deal": &record.deal,
        "rewards": &record.rewards,
        "winner": record.winner,
        "terminated": record.terminated,
        "reason": &record.reason,
        "plies": plies,
    )
}

fn replayed_ply<'py>(py: Python<'py>, replayed: &ReplayedPly) -> PyResult<Bound<'py, PyAny>> {
    let ReplayedPly { ply, position } = replayed;
    let entry = |&PolicyEntry { action, probability }: &PolicyEntry| record!(py, "PolicyEntry", "action": action, "probability": probability);
    let policy = |entries: &[_]| entries.iter().map(entry).collect::<PyResult<Vec<_>>>();
    let PlyRecord { player, action, legal_count, captured_covered, .. } = *ply;
    record!(py, "ReplayedPly",
        "player": player,
        "action": action,
        "move": ply.mv.as_str(),
        "legal_count": legal_count,
        "revealed": ply.revealed.as_deref(),
        "captured": ply.captured.as_deref(),
        "captured_covered": captured_covered,
        "value": ply.value.as_deref(),
        "policy": ply.policy.as_deref().map(policy).transpose()?,
        "fen": &position.fen,
    )
}
