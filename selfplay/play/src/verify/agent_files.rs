//! Verification of the copies of files that agents read.

use darkqi_format::Dataset;

use crate::error::Error;
use crate::generation::{Fault, Faults};

/// Checks that the copies are there, and are what was written.
///
/// # Errors
/// If they cannot be read.
pub(super) fn check(dataset: &Dataset, faults: &mut Faults) -> Result<(), Error> {
    for (file, fault) in dataset.damaged_agent_files()? {
        faults.add(Fault::of_file(&file, fault));
    }
    for (key, checksum) in dataset.run().into_iter().flat_map(|run| &run.agent_files) {
        if has_copy(key) && !dataset.has_agent_file(checksum)? {
            let fault = format!("is missing: expected a copy of the file of `{key}`");
            faults.add(Fault::of_file(&format!("agents/{checksum}"), fault));
        }
    }
    Ok(())
}

/// Whether a file has a copy that `dataset.json` lists by this key, an agent and one of its options: not
/// what comes with darkqi, and not tables, of which only a digest is kept.
fn has_copy(key: &str) -> bool {
    match key.rsplit_once(' ') {
        Some((agent, option)) => agent != "built-in" && option != "tables",
        None => false,
    }
}
