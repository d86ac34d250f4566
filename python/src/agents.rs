//! The agents and levels: `darkqi.agents`, `darkqi.levels`, and the net of the agent `baseline`.

use darkqi_engine::agents::{AgentOption, Level, agent_options};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::IntoPyResult;
use crate::records::record;
use crate::spec::Spec;

/// The agents and their options, as `darkqi agents` lists them.
///
/// An agent is given as "NAME" or "NAME:OPTION=VALUE,...", such as "expectimax:depth=2". A value with a
/// comma stands in quotes, as in 'greedy:values="a,b.toml"'. A dict of "name" and options does without
/// quotes: {"name": "greedy", "values": path}.
///
/// Returns:
///     A list of `AgentInfo`, in alphabetical order.
#[pyfunction]
pub(crate) fn agents(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyAny>>> {
    let option = |option: &AgentOption| {
        let AgentOption { name, about, default, .. } = *option;
        record!(py, "AgentOption", "name": name, "about": about, "default": default)
    };
    let agent = |info| {
        let options = agent_options(info).map(option).collect::<PyResult<Vec<_>>>()?;
        record!(py, "AgentInfo", "name": info.name, "about": info.about, "options": options)
    };
    darkqi_engine::agents::agents().iter().map(agent).collect()
}

/// The levels of a game for people, from the weakest on. "level:NAME" is an agent, such as "level:easy".
///
/// Args:
///     game: The game's name.
///
/// Returns:
///     A list of `Level`.
///
/// Raises:
///     ValueError: There is no such game.
#[pyfunction]
pub(crate) fn levels<'py>(py: Python<'py>, game: &str) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let spec = darkqi_env::Spec::new(game, &darkqi_env::Options::new()).into_py_result()?;
    let level =
        |Level { name, agent, elo }| record!(py, "Level", "name": name, "agent": agent, "elo": elo);
    darkqi_engine::agents::levels(spec.name).into_iter().map(level).collect()
}

/// The ONNX file of the agent `baseline` for a game.
///
/// Args:
///     spec: The game with its options.
///
/// Returns:
///     The file's bytes.
///
/// Raises:
///     ValueError: There is no net for the game, or for its options.
#[pyfunction]
pub(crate) fn baseline_net<'py>(
    py: Python<'py>,
    spec: &Bound<'py, Spec>,
) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = darkqi_engine::agents::baseline_net(&spec.get().0).into_py_result()?;
    Ok(PyBytes::new(py, bytes))
}
