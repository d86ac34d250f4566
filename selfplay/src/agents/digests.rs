//! What agents read besides their text, by checksum: who goes on with a run must read the same.

use std::collections::BTreeMap;
use std::fs;

use twox_hash::XxHash64;

use super::{AgentError, AgentSpec, BUILT_IN, all, values};
use crate::search::weights;

/// The XXH64 of the built-in values and weights, and of every file that an agent's option names, by
/// the agent's text and the option.
///
/// # Errors
/// If such a file cannot be read.
pub(crate) fn digests(agents: &[AgentSpec]) -> Result<BTreeMap<String, String>, AgentError> {
    let digest = |bytes: &[u8]| format!("{:016x}", XxHash64::oneshot(0, bytes));
    let mut digests: BTreeMap<_, _> = [("values", values::TEXT), ("weights", weights::TEXT)]
        .map(|(name, text)| (format!("{BUILT_IN} {name}"), digest(text.as_bytes())))
        .into();
    for agent in agents {
        for (option, file) in files(agent) {
            let bytes = fs::read(file).map_err(|cause| AgentError::File {
                agent: agent.to_string(),
                file: file.to_owned(),
                cause,
            })?;
            digests.insert(format!("{agent} {option}"), digest(&bytes));
        }
    }
    Ok(digests)
}

/// The options of an agent that name files.
fn files(agent: &AgentSpec) -> impl Iterator<Item = (&'static str, &str)> {
    let info = all().iter().find(|info| info.name == agent.name());
    let options = info.into_iter().flat_map(|info| info.options);
    options
        .filter(|option| option.is_file)
        .filter_map(|option| Some((option.name, agent.given(option.name)?)))
        .filter(|(_, value)| *value != BUILT_IN)
}
