//! The agents: `darkqi.agents`.

use darkqi_selfplay::{AgentOption, agent_options};
use pyo3::prelude::*;

use crate::records::record;

/// The agents and their options, as `darkqi agents` lists them.
///
/// An agent is given as "NAME" or "NAME:OPTION=VALUE,...", such as "expectimax:depth=2".
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
    darkqi_selfplay::agents().iter().map(agent).collect()
}
