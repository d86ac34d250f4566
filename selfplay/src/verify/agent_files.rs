//! Verification of the copies of files that agents read.

use darkqi_datasets::Dataset;

use super::fault::{Fault, Faults};

/// Checks that the copies are there, and are what was written.
pub(super) fn check(dataset: &Dataset, faults: &mut Faults) {
    match dataset.damaged_agent_files() {
        Ok(damaged) => damaged
            .iter()
            .for_each(|(file, fault)| faults.add(Fault::of_file(file, fault.as_str()))),
        Err(error) => faults.add(Fault::of_error(&error, "agents")),
    }
    let folder = dataset.agent_files();
    for (key, checksum) in dataset.run().into_iter().flat_map(|run| &run.agent_files) {
        if has_copy(key) && !folder.join(checksum).exists() {
            let fault = format!("is missing: expected a copy of the file of `{key}`");
            faults.add(Fault::of_file(&format!("agents/{checksum}"), fault));
        }
    }
}

/// Whether a file has a copy that `dataset.json` lists by this key, an agent and one of its options: not
/// what comes with darkqi, and not tables, of which only a digest is kept.
fn has_copy(key: &str) -> bool {
    match key.rsplit_once(' ') {
        Some((agent, option)) => agent != "built-in" && option != "tables",
        None => false,
    }
}
