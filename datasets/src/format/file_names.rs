//! The names of a dataset's files, and the files of a folder that `dataset.json` does not list.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::manifest::{MANIFEST_FILE, Shard};
use super::schema::Table;
use crate::error::{Error, Result};

/// The file that describes a dataset to people and to the Hugging Face hub.
pub(crate) const CARD_FILE: &str = "README.md";

/// The folder of the files that repeat training rows.
pub(crate) const OBSERVATIONS: &str = "observations";

/// The path of a shard's file of training rows, from the dataset's folder.
pub(crate) fn observations_file(shard: u32) -> String {
    format!("{OBSERVATIONS}/{shard:05}.parquet")
}

const TABLES: [Table; 2] = [Table::Games, Table::Plies];

/// Creates the folders of the tables in `dir`.
pub(crate) fn create_folders(dir: &Path) -> Result<()> {
    TABLES.into_iter().try_for_each(|table| {
        let path = dir.join(table.name());
        fs::create_dir_all(&path).map_err(|cause| Error::Io {
            action: "create the folder",
            path,
            cause,
        })
    })
}

/// The paths of shard files in `dir`, from there, ascending: those of version 1 beside
/// `dataset.json`, then those in the folders of the tables.
pub(crate) fn shard_files(dir: &Path) -> Result<Vec<String>> {
    let mut files = shard_files_of_version_1(dir)?;
    for table in TABLES {
        let is_shard_file = |name: &String| name.ends_with(".parquet") && !name.starts_with('.');
        let names = names(&dir.join(table.name()))?.into_iter().filter(is_shard_file);
        files.extend(names.map(|name| format!("{}/{name}", table.name())));
    }
    Ok(files)
}

/// The names of shard files of version 1 in `dir`, ascending.
pub(crate) fn shard_files_of_version_1(dir: &Path) -> Result<Vec<String>> {
    Ok(names(dir)?.into_iter().filter(|name| is_shard_file_of_version_1(name)).collect())
}

/// The paths of shard files in `dir` that do not belong to these shards, ascending.
pub(crate) fn unlisted_files(dir: &Path, shards: &[Shard]) -> Result<Vec<String>> {
    let listed: HashSet<&str> =
        shards.iter().flat_map(|shard| TABLES.map(|table| shard.file(table))).collect();
    Ok(shard_files(dir)?.into_iter().filter(|name| !listed.contains(name.as_str())).collect())
}

/// The paths of the temporary files that an interrupted writer left in `dir`, ascending.
pub(crate) fn temporary_files(dir: &Path) -> Result<Vec<PathBuf>> {
    let becomes = |name: &str, is_ours: &dyn Fn(&str) -> bool| {
        name.strip_prefix('.').and_then(|name| name.strip_suffix(".tmp")).is_some_and(is_ours)
    };
    let beside =
        |name: &str| [MANIFEST_FILE, CARD_FILE].contains(&name) || is_shard_file_of_version_1(name);
    let in_table = |name: &str| name.ends_with(".parquet");
    let mut files: Vec<PathBuf> = names(dir)?
        .iter()
        .filter(|name| becomes(name, &beside))
        .map(|name| dir.join(name))
        .collect();
    for folder in TABLES.map(|table| dir.join(table.name())) {
        let names = names(&folder)?.into_iter().filter(|name| becomes(name, &in_table));
        files.extend(names.map(|name| folder.join(name)));
    }
    Ok(files)
}

/// The path of the journal of a shard in `dir`. The leading dot keeps it out of patterns.
pub(crate) fn journal_path(dir: &Path, shard: u32) -> PathBuf {
    dir.join(format!(".{shard:05}.journal"))
}

/// The paths of the journals in `dir`, by shard.
pub(crate) fn journals(dir: &Path) -> Result<BTreeMap<u32, PathBuf>> {
    let number = |name: String| -> Option<u32> {
        let shard = name.strip_prefix('.')?.strip_suffix(".journal")?.parse().ok()?;
        // Not a name such as `.+7.journal`, which would become another one.
        (journal_path(dir, shard) == dir.join(name)).then_some(shard)
    };
    let shards = names(dir)?.into_iter().filter_map(number);
    Ok(shards.map(|shard| (shard, journal_path(dir, shard))).collect())
}

/// The path of a file while it is being written. The leading dot and the suffix keep it out of
/// patterns such as `games/*.parquet`.
pub(crate) fn temporary_path(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.tmp"))
}

fn is_shard_file_of_version_1(name: &str) -> bool {
    TABLES.iter().any(|table| {
        name.strip_prefix(table.name())
            .is_some_and(|rest| rest.starts_with('-') && rest.ends_with(".parquet"))
    })
}

/// All names in `dir` that are valid UTF-8, as those of dataset files are; ascending. None if there
/// is no such folder.
fn names(dir: &Path) -> Result<Vec<String>> {
    let unreadable = |cause| Error::Io { action: "read the folder", path: dir.into(), cause };
    let entries = match fs::read_dir(dir) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(unreadable)?,
    };
    let mut names = Vec::new();
    for entry in entries {
        names.extend(entry.map_err(unreadable)?.file_name().into_string());
    }
    names.sort_unstable();
    Ok(names)
}
