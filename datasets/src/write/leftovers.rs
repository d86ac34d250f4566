//! What an interrupted writer leaves in a folder.

use std::fs;
use std::path::Path;

use crate::error::{Error, Result};
use crate::format::{Shard, temporary_files, unlisted_files};

/// Removes temporary files and files of shards that `dataset.json` does not list. A writer that
/// resumes writes these shards again.
pub(super) fn remove_leftovers(dir: &Path, shards: &[Shard]) -> Result<()> {
    let unlisted = unlisted_files(dir, shards)?.into_iter().map(|name| dir.join(name));
    for path in temporary_files(dir)?.into_iter().chain(unlisted) {
        fs::remove_file(&path).map_err(|cause| Error::Io { action: "remove", path, cause })?;
    }
    Ok(())
}
