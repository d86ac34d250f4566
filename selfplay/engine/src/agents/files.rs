//! The files that agents depend on: a run can be resumed only with the same files.

use std::collections::BTreeMap;

use darkqi_format::checksum;

use super::error::AgentError;
use super::options::{BUILT_IN, TABLES};
use super::spec::AgentSpec;
use crate::evaluation::{BUILT_IN_VALUES, BUILT_IN_WEIGHTS, ValueNet};
use crate::nets::baseline_bytes;
use crate::tables::digest_of_folder;

/// The files that agents depend on.
#[derive(Debug)]
pub struct AgentFiles {
    /// The XXH64 of the built-in values and weights, of the game's built-in net if an agent plays
    /// by it, of its baseline if an agent is that, and of every file that an agent's option names,
    /// by the agent's text and the option.
    pub checksums: BTreeMap<String, String>,
    /// The contents of the files that options name, by their XXH64. Tensors that a net keeps in other files
    /// are in its own here.
    pub contents: BTreeMap<String, Vec<u8>>,
}

impl AgentFiles {
    /// Reads the files of agents.
    ///
    /// # Errors
    /// If one cannot be read.
    pub fn read(game: &str, agents: &[AgentSpec]) -> Result<Self, AgentError> {
        let mut checksums: BTreeMap<_, _> =
            [("values", BUILT_IN_VALUES), ("weights", BUILT_IN_WEIGHTS)]
                .map(|(name, text)| (format!("{BUILT_IN} {name}"), checksum(text.as_bytes())))
                .into();
        if let Some(net) = ValueNet::built_in_bytes(game)
            && agents.iter().any(|agent| agent.in_game(game).has_built_in_net())
        {
            checksums.insert(format!("{BUILT_IN} net"), checksum(net));
        }
        if let Some(net) = baseline_bytes(game)
            && agents.iter().any(|agent| agent.in_game(game).is_baseline())
        {
            checksums.insert(format!("{BUILT_IN} baseline"), checksum(net));
        }
        let mut contents = BTreeMap::new();
        for agent in agents {
            for (option, file) in agent.files() {
                if option == TABLES.name {
                    // Megabytes that anybody can make again: their digest will do.
                    checksums.insert(agent.file_key(option), digest_of_folder(file)?);
                    continue;
                }
                let bytes = agent.contents(option)?;
                let checksum = checksum(&bytes);
                checksums.insert(agent.file_key(option), checksum.clone());
                contents.insert(checksum, bytes.to_vec());
            }
        }
        Ok(Self { checksums, contents })
    }
}
