//! Which files of a folder belong to datasets, and which of these `dataset.json` does not list.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use crate::error::{Error, Result};
use crate::manifest::{MANIFEST_FILE, Shard};
use crate::schema::Table;

/// The names of the shards' files in `dir`, ascending.
pub(crate) fn shard_files(dir: &Path) -> Result<Vec<String>> {
    Ok(names(dir)?.into_iter().filter(|name| is_shard_file(name)).collect())
}

/// The names of the shards' files in `dir` that are none of these shards', ascending.
pub(crate) fn unlisted(dir: &Path, shards: &[Shard]) -> Result<Vec<String>> {
    let listed: HashSet<&str> = shards
        .iter()
        .flat_map(|shard| [Table::Games, Table::Plies].map(|table| shard.file(table)))
        .collect();
    Ok(shard_files(dir)?.into_iter().filter(|name| !listed.contains(name.as_str())).collect())
}

/// Removes what an interrupted writer has left in `dir`: temporary files, and files of shards that it did not come to
/// list. Who goes on writes them anew.
pub(crate) fn sweep(dir: &Path, shards: &[Shard]) -> Result<()> {
    let temporary = names(dir)?.into_iter().filter(|name| is_temporary(name));
    for name in temporary.chain(unlisted(dir, shards)?) {
        let path = dir.join(name);
        fs::remove_file(&path).map_err(|cause| Error::Io { action: "remove", path, cause })?;
    }
    Ok(())
}

/// The name under which a file is written until it is complete. The leading dot and the ending keep it out of patterns
/// such as `games-*.parquet`.
pub(crate) fn temporary_name(name: &str) -> String {
    format!(".{name}.tmp")
}

fn is_temporary(name: &str) -> bool {
    let name = name.strip_prefix('.').and_then(|name| name.strip_suffix(".tmp"));
    name.is_some_and(|name| name == MANIFEST_FILE || is_shard_file(name))
}

fn is_shard_file(name: &str) -> bool {
    [Table::Games, Table::Plies].iter().any(|table| {
        name.strip_prefix(table.name())
            .is_some_and(|rest| rest.starts_with('-') && rest.ends_with(".parquet"))
    })
}

/// All names in `dir` that are text, ascending: those of datasets are.
fn names(dir: &Path) -> Result<Vec<String>> {
    let unreadable = |cause| Error::Io { action: "read the folder", path: dir.into(), cause };
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).map_err(unreadable)? {
        names.extend(entry.map_err(unreadable)?.file_name().into_string());
    }
    names.sort_unstable();
    Ok(names)
}
