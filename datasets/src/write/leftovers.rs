//! What an interrupted writer leaves in a folder.

use std::fs;
use std::path::Path;

use crate::error::{Error, Result};
use crate::format::{Shard, temporary_files, unlisted_files};

/// Removes temporary files and files of shards that `dataset.json` does not list. A writer that
/// resumes writes these shards again.
pub(super) fn remove_leftovers(dir: &Path, shards: &[Shard]) -> Result<()> {
    for name in temporary_files(dir)?.into_iter().chain(unlisted_files(dir, shards)?) {
        let path = dir.join(name);
        fs::remove_file(&path).map_err(|cause| Error::Io { action: "remove", path, cause })?;
    }
    Ok(())
}
