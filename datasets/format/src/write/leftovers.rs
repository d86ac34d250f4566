//! The leftovers of an interrupted writer in a folder.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::files;
use crate::format::{
    PARTS, PartName, Shard, is_name_of_shard, parts, temporary_files, unlisted_files,
};

/// Removes temporary files and files of shards that `dataset.json` does not list. A writer that
/// resumes writes these shards again. Parts stay: they hold games of these shards. Files with names
/// that no writer gives stay, too.
pub(super) fn remove_leftovers(dir: &Path, shards: &[Shard]) -> Result<()> {
    let unlisted = unlisted_files(dir, shards)?.into_iter().filter(|name| is_name_of_shard(name));
    let unlisted = unlisted.map(|name| dir.join(name));
    temporary_files(dir)?.into_iter().chain(unlisted).try_for_each(remove)
}

/// Removes parts. Another process may do so at the same time.
pub(super) fn remove_parts(dir: &Path, is_finished: impl Fn(&PartName) -> bool) -> Result<()> {
    parts(dir)?.into_iter().filter(is_finished).try_for_each(|part| remove(part.path(dir)))
}

/// Removes all parts and their folder, which a run leaves empty that ended within writing its first.
pub(super) fn remove_all_parts(dir: &Path) -> Result<()> {
    remove_parts(dir, |_| true)?;
    if !files::is_remote(dir) {
        // It stays where another process has just written a part.
        let _ = fs::remove_dir(dir.join(PARTS));
    }
    Ok(())
}

fn remove(path: PathBuf) -> Result<()> {
    match files::remove(&path) {
        Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed.map_err(Error::io("remove", &path)),
    }
}
