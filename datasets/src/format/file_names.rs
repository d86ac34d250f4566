//! The names of a dataset's files, and the files of a folder that `dataset.json` does not list.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use super::manifest::{MANIFEST_FILE, Shard};
use super::schema::Table;
use crate::error::{Error, Result};

/// The names of shard files in `dir`, ascending.
pub(crate) fn shard_files(dir: &Path) -> Result<Vec<String>> {
    Ok(names(dir)?.into_iter().filter(|name| is_shard_file(name)).collect())
}

/// The names of shard files in `dir` that do not belong to these shards, ascending.
pub(crate) fn unlisted_files(dir: &Path, shards: &[Shard]) -> Result<Vec<String>> {
    let listed: HashSet<&str> = shards
        .iter()
        .flat_map(|shard| [Table::Games, Table::Plies].map(|table| shard.file(table)))
        .collect();
    Ok(shard_files(dir)?.into_iter().filter(|name| !listed.contains(name.as_str())).collect())
}

/// The names of the temporary files that an interrupted writer left in `dir`, ascending.
pub(crate) fn temporary_files(dir: &Path) -> Result<Vec<String>> {
    Ok(names(dir)?.into_iter().filter(|name| is_temporary(name)).collect())
}

/// The name of a file while it is being written. The leading dot and the suffix keep it out of
/// patterns such as `games-*.parquet`.
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

/// All names in `dir` that are valid UTF-8, as those of dataset files are; ascending.
fn names(dir: &Path) -> Result<Vec<String>> {
    let unreadable = |cause| Error::Io { action: "read the folder", path: dir.into(), cause };
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).map_err(unreadable)? {
        names.extend(entry.map_err(unreadable)?.file_name().into_string());
    }
    names.sort_unstable();
    Ok(names)
}
