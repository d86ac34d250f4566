//! `dataset.json`: metadata, run settings and the list of finished shards.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::Value;

use super::metadata::Metadata;
use super::run_settings::RunSettings;
use super::schema::{SCHEMA_VERSION, Table};
use crate::error::{Error, Result};
use crate::files;

/// The file that describes a dataset and lists its finished shards.
pub const MANIFEST_FILE: &str = "dataset.json";

/// A finished shard, as `dataset.json` lists it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// The shard's number.
    pub shard: u32,
    /// The path of its file of the `games` table, from the dataset's folder.
    #[serde(deserialize_with = "file_of_dataset")]
    pub games_file: String,
    /// The path of its file of the `plies` table, from the dataset's folder.
    #[serde(deserialize_with = "file_of_dataset")]
    pub plies_file: String,
    /// Its lowest game id.
    pub first_game_id: u64,
    /// Its highest game id. Ids in between may be missing.
    pub last_game_id: u64,
    /// The number of games.
    pub games: u64,
    /// The number of plies of all games.
    pub plies: u64,
    /// The XXH64 checksum (seed 0) of `games_file` in hexadecimal.
    pub games_xxh64: String,
    /// The XXH64 checksum (seed 0) of `plies_file` in hexadecimal.
    pub plies_xxh64: String,
}

/// Accepts the name of a file, with or without the folder of a table, so that a manifest cannot refer
/// to files outside its own folder.
fn file_of_dataset<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<String, D::Error> {
    let name = String::deserialize(deserializer)?;
    // Backslashes and drive letters are path syntax on some systems; they are refused on all.
    let leads_elsewhere = |c| matches!(c, '/' | '\\' | ':' | '\0');
    let tables = [Table::Games, Table::Plies].map(Table::name);
    let bare = match name.split_once('/') {
        Some((folder, bare)) if tables.contains(&folder) => bare,
        _ => &name,
    };
    if bare.contains(leads_elsewhere) || matches!(bare, "" | "." | "..") {
        let message = format!(
            "expected the name of a file in `games/` or `plies/` or beside `{MANIFEST_FILE}`, found \
             {name:?}"
        );
        return Err(de::Error::custom(message));
    }
    Ok(name)
}

impl Shard {
    pub(crate) fn file(&self, table: Table) -> &str {
        match table {
            Table::Games => &self.games_file,
            Table::Plies => &self.plies_file,
        }
    }

    pub(crate) fn checksum(&self, table: Table) -> &str {
        match table {
            Table::Games => &self.games_xxh64,
            Table::Plies => &self.plies_xxh64,
        }
    }

    pub(crate) fn rows(&self, table: Table) -> u64 {
        match table {
            Table::Games => self.games,
            Table::Plies => self.plies,
        }
    }
}

/// The contents of `dataset.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub(crate) schema_version: u32,
    #[serde(flatten)]
    pub(crate) metadata: Metadata,
    /// The settings of the run; absent where records were not written by a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) run: Option<RunSettings>,
    /// Whether the writer has finished; false while it works and after an interruption.
    pub(crate) complete: bool,
    /// The finished shards by number.
    pub(crate) shards: Vec<Shard>,
}

impl Manifest {
    pub(crate) fn new(metadata: Metadata, run: Option<RunSettings>) -> Self {
        Self { schema_version: SCHEMA_VERSION, metadata, run, complete: false, shards: Vec::new() }
    }

    /// Reads `dataset.json` in `dir`.
    pub(crate) fn read(dir: &Path) -> Result<Self> {
        let path = dir.join(MANIFEST_FILE);
        let text = files::read(&path).map_err(|cause| match cause.kind() {
            _ if !files::is_remote(dir) && matches!(dir.try_exists(), Ok(false)) => {
                Error::MissingFolder { dir: dir.into() }
            }
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                Error::NotADataset { dir: dir.into() }
            }
            _ => Error::io("read", &path)(cause),
        })?;
        let malformed = |cause| Error::Manifest { path: path.clone(), cause };
        // The version is checked first: the fields of another version may differ.
        let fields: BTreeMap<String, Value> = serde_json::from_slice(&text).map_err(malformed)?;
        let version = fields
            .get("schema_version")
            .ok_or_else(|| malformed(de::Error::missing_field("schema_version")))?;
        if version.as_u64() != Some(SCHEMA_VERSION.into()) {
            return Err(Error::SchemaVersion {
                path,
                expected: SCHEMA_VERSION,
                found: version.to_string(),
            });
        }
        serde_json::from_slice(&text).map_err(malformed)
    }

    /// The contents of `dataset.json` in `dir`.
    pub(crate) fn text(&self, dir: &Path) -> Result<Vec<u8>> {
        let mut text = serde_json::to_vec_pretty(self)
            .map_err(|cause| Error::io("write", &dir.join(MANIFEST_FILE))(cause.into()))?;
        text.push(b'\n');
        Ok(text)
    }

    /// Checks that numbers and games of the shards ascend, as those that a writer lists do.
    pub(crate) fn check_order(&self, dir: &Path) -> Result<()> {
        let ascend = |two: &[Shard]| {
            two[0].shard < two[1].shard && two[0].last_game_id < two[1].first_game_id
        };
        match self.shards.windows(2).find(|two| !ascend(two)) {
            Some(two) => Err(Error::ShardOrder {
                path: dir.join(MANIFEST_FILE),
                before: two[0].shard,
                shard: two[1].shard,
            }),
            None => Ok(()),
        }
    }
}
