//! The names of a dataset's files, and the files of a folder that `dataset.json` does not list.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::manifest::{MANIFEST_FILE, Shard};
use super::schema::Table;
use crate::error::{Error, Result};
use crate::files;

/// The file that describes a dataset to people and to the Hugging Face hub.
pub(crate) const CARD_FILE: &str = "README.md";

/// The file that a writer locks. The leading dot keeps it out of patterns.
pub(crate) const LOCK_FILE: &str = ".dataset.lock";

/// The folder of the files that repeat training rows.
pub(crate) const OBSERVATIONS: &str = "observations";

/// The folder of copies of the files that agents read, each named by its XXH64.
pub(crate) const AGENT_FILES: &str = "agents";

/// The folder of games of shards that are not finished.
pub(crate) const PARTS: &str = "parts";

/// The path of a shard's file of training rows, from the dataset's folder.
pub(crate) fn observations_file(shard: u32) -> String {
    format!("{OBSERVATIONS}/{shard:05}.parquet")
}

const TABLES: [Table; 2] = [Table::Games, Table::Plies];

/// The digits of the number that tells apart processes which write the same file.
const WRITER_DIGITS: usize = 16;

/// The digits of an XXH64, the name of a copy of an agent's file.
const CHECKSUM_DIGITS: usize = 16;

/// Whether a dataset has a file of this name beside its tables.
pub(crate) fn is_beside_tables(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    [MANIFEST_FILE, CARD_FILE, LOCK_FILE].contains(&name) || is_temporary_file(name)
}

/// Whether a dataset has a folder of this name.
pub(crate) fn is_folder_of_dataset(name: &OsStr) -> bool {
    let tables = TABLES.map(Table::name);
    tables.into_iter().chain([OBSERVATIONS, AGENT_FILES, PARTS]).any(|folder| name == folder)
}

/// Creates the folders of the tables in `dir`.
pub(crate) fn create_folders(dir: &Path) -> Result<()> {
    TABLES.into_iter().try_for_each(|table| create_folder(&dir.join(table.name())))
}

/// Creates a folder, and those above it, where they do not exist.
///
/// Object storage has no folders.
pub(crate) fn create_folder(path: &Path) -> Result<()> {
    if files::is_remote(path) {
        return Ok(());
    }
    fs::create_dir_all(path).map_err(Error::io("create the folder", path))
}

/// The paths of shard files in the tables' folders of `dir`, from there, ascending.
pub(crate) fn shard_files(dir: &Path) -> Result<Vec<String>> {
    let files = TABLES.map(|table| parquet_files(dir, table.name()));
    Ok(files.into_iter().collect::<Result<Vec<_>>>()?.concat())
}

/// A file of a dataset in `dir` or in one of its folders, as a path from there: a new dataset would lie among
/// its files, or hide it.
pub(crate) fn file_in_the_way(dir: &Path) -> Result<Option<String>> {
    let rows = parquet_files(dir, OBSERVATIONS)?.pop();
    if let Some(file) = shard_files(dir)?.pop().or(rows) {
        return Ok(Some(file));
    }
    let mut manifests = names(dir)?.into_iter().map(|folder| format!("{folder}/{MANIFEST_FILE}"));
    Ok(manifests.find(|file| dir.join(file).is_file()))
}

/// The paths of Parquet files in a folder of `dir`, from there, ascending.
fn parquet_files(dir: &Path, folder: &str) -> Result<Vec<String>> {
    let is_parquet = |name: &String| name.ends_with(".parquet") && !name.starts_with('.');
    let names = names(&dir.join(folder))?.into_iter().filter(is_parquet);
    Ok(names.map(|name| format!("{folder}/{name}")).collect())
}

/// The numbers of the shards both of whose files are in `dir`, listed or not, ascending.
pub(crate) fn whole_shards(dir: &Path) -> Result<Vec<u32>> {
    let numbers = |table: Table| -> Result<BTreeSet<u32>> {
        let number = |name: String| shard_number(table, &format!("{}/{name}", table.name()));
        Ok(names(&dir.join(table.name()))?.into_iter().filter_map(number).collect())
    };
    let plies = numbers(Table::Plies)?;
    Ok(numbers(Table::Games)?.into_iter().filter(|number| plies.contains(number)).collect())
}

/// Whether a writer may have given this name, a path from the dataset's folder, to a file of a shard.
/// Other Parquet files beside them are a user's.
pub(crate) fn is_name_of_shard(file: &str) -> bool {
    TABLES.into_iter().any(|table| shard_number(table, file).is_some())
}

/// The shard whose file of a table has this name.
fn shard_number(table: Table, file: &str) -> Option<u32> {
    let number = file.strip_suffix(".parquet")?.rsplit('/').next()?.parse().ok()?;
    // Not a name such as `+7.parquet`, which would become another one.
    (table.file_name(number) == file).then_some(number)
}

/// The paths of files in `dir`, of tables and observations, that do not belong to these shards, ascending.
pub(crate) fn unlisted_files(dir: &Path, shards: &[Shard]) -> Result<Vec<String>> {
    let of_shard = |shard: &Shard| {
        let [games, plies] = TABLES.map(|table| shard.file(table).to_owned());
        [games, plies, observations_file(shard.shard)]
    };
    let listed: HashSet<String> = shards.iter().flat_map(of_shard).collect();
    let mut files = shard_files(dir)?;
    files.extend(parquet_files(dir, OBSERVATIONS)?);
    files.retain(|name| !listed.contains(name));
    files.sort();
    Ok(files)
}

/// The paths of the temporary files that an interrupted writer left in `dir`, ascending.
pub(crate) fn temporary_files(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = names(dir)?
        .iter()
        .filter(|name| is_temporary_file(name))
        .map(|name| dir.join(name))
        .collect();
    for table in TABLES.map(Table::name) {
        let folder = dir.join(table);
        let is_ours = |name: &String| {
            final_name(name).is_some_and(|name| is_name_of_shard(&format!("{table}/{name}")))
        };
        let names = names(&folder)?.into_iter().filter(is_ours);
        files.extend(names.map(|name| folder.join(name)));
    }
    let copies = dir.join(AGENT_FILES);
    let is_ours =
        |name: &String| final_name(name).is_some_and(|name| is_hexadecimal(name, CHECKSUM_DIGITS));
    let copied = names(&copies)?.into_iter().filter(is_ours);
    files.extend(copied.map(|name| copies.join(name)));
    let parts = dir.join(PARTS);
    let is_ours = |name: &String| final_name(name).and_then(PartName::parse).is_some();
    files.extend(names(&parts)?.into_iter().filter(is_ours).map(|name| parts.join(name)));
    Ok(files)
}

/// Whether this is the name of a temporary file beside the tables.
fn is_temporary_file(name: &str) -> bool {
    final_name(name).is_some_and(|name| [MANIFEST_FILE, CARD_FILE].contains(&name))
}

/// The name that a temporary file gets once it is complete.
fn final_name(temporary: &str) -> Option<&str> {
    let name = temporary.strip_prefix('.')?.strip_suffix(".tmp")?;
    match name.split_once('.') {
        Some((writer, name)) if is_hexadecimal(writer, WRITER_DIGITS) => Some(name),
        _ => Some(name),
    }
}

fn is_hexadecimal(word: &str, digits: usize) -> bool {
    word.len() == digits && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The name of a part.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct PartName {
    pub(crate) shard: u32,
    /// Its place among the parts of the shard.
    pub(crate) number: u64,
    pub(crate) checksum: String,
}

impl PartName {
    /// The path from the dataset's folder.
    pub(crate) fn file(&self) -> String {
        let Self { shard, number, checksum } = self;
        format!("{PARTS}/{shard:05}-{number:05}-{checksum}.part")
    }

    /// The path in the dataset's folder `dir`.
    pub(crate) fn path(&self, dir: &Path) -> PathBuf {
        dir.join(self.file())
    }

    /// The inverse of [`PartName::file`], of a name in the folder of parts.
    fn parse(name: &str) -> Option<Self> {
        let mut words = name.strip_suffix(".part")?.splitn(3, '-');
        let mut next = || words.next();
        let (shard, number) = (next()?.parse().ok()?, next()?.parse().ok()?);
        let part = Self { shard, number, checksum: next()?.to_owned() };
        (part.file() == format!("{PARTS}/{name}")).then_some(part)
    }
}

/// The parts in `dir`, by shard and number.
pub(crate) fn parts(dir: &Path) -> Result<Vec<PartName>> {
    let names = names(&dir.join(PARTS))?;
    let mut parts: Vec<PartName> = names.iter().filter_map(|name| PartName::parse(name)).collect();
    parts.sort_unstable();
    Ok(parts)
}

/// The path of a file while it is being written. The leading dot and the suffix keep it out of
/// patterns such as `games/*.parquet`.
pub(crate) fn temporary_path(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.tmp"))
}

/// [`temporary_path`] where several processes may write the file at once: `writer`, a number of
/// [`WRITER_DIGITS`] hexadecimal digits, keeps their files apart.
pub(crate) fn temporary_path_of(path: &Path, writer: &str) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{writer}.{name}.tmp"))
}

/// All names in `dir` that are valid UTF-8, as those of dataset files are; ascending. None if there
/// is no such folder.
pub(crate) fn names(dir: &Path) -> Result<Vec<String>> {
    let mut names = match files::names(dir) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        names => names.map_err(Error::io("read the folder", dir))?,
    };
    names.sort_unstable();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::is_name_of_shard;

    #[test]
    fn only_names_of_a_writer_are_those_of_shards() {
        for name in ["games/00000.parquet", "plies/123456.parquet"] {
            assert!(is_name_of_shard(name), "{name}");
        }
        for name in [
            "games/my_export.parquet",
            "games/7.parquet",
            "games/+0007.parquet",
            "games/00000-1.parquet",
            "games/00000.parquet.bak",
            "games/99999999999.parquet",
            "games-backup.parquet",
            "games-00007.parquet",
            "plies-clean-2026.parquet",
            "plies-clean-00001.parquet",
            "observations/00000.parquet",
            "00000.parquet",
        ] {
            assert!(!is_name_of_shard(name), "{name}");
        }
    }
}
