//! The leftovers of an interrupted writer in a folder.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::files;
use crate::format::{Shard, is_name_of_shard, journals, temporary_files, unlisted_files};

/// Removes temporary files and files of shards that `dataset.json` does not list. A writer that
/// resumes writes these shards again. Journals stay: they hold games of these shards. Files with names
/// that no writer gives stay, too.
pub(super) fn remove_leftovers(dir: &Path, shards: &[Shard]) -> Result<()> {
    let unlisted = unlisted_files(dir, shards)?.into_iter().filter(|name| is_name_of_shard(name));
    let unlisted = unlisted.map(|name| dir.join(name));
    temporary_files(dir)?.into_iter().chain(unlisted).try_for_each(remove)
}

/// Removes the journals of all shards.
pub(super) fn remove_journals(dir: &Path) -> Result<()> {
    journals(dir)?.into_values().try_for_each(remove)
}

fn remove(path: PathBuf) -> Result<()> {
    files::remove(&path).map_err(Error::io("remove", &path))
}
