//! Metadata shared by all games of a dataset, and its form in each Parquet file.

use std::collections::BTreeMap;
use std::path::Path;

use darkqi_env::Spec;
use parquet::file::metadata::{KeyValue, ParquetMetaDataReader};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::options::options_from_json;
use super::schema::SCHEMA_VERSION;
use crate::error::{Error, Result};
use crate::files;

pub(crate) const SCHEMA_VERSION_KEY: &str = "darkqi.schema_version";
pub(crate) const TABLE_KEY: &str = "darkqi.table";
pub(crate) const FIRST_GAME_KEY: &str = "darkqi.first_game_id";
pub(crate) const LAST_GAME_KEY: &str = "darkqi.last_game_id";
const GAME_KEY: &str = "darkqi.game";
const OPTIONS_KEY: &str = "darkqi.options";
const SEED_KEY: &str = "darkqi.seed";
const AGENTS_KEY: &str = "darkqi.agents";
const SOFTWARE_KEY: &str = "darkqi.software_version";

/// Metadata shared by all games of a dataset.
///
/// It is stored in `dataset.json` and in the key-value metadata of each Parquet file, under keys
/// that begin with `darkqi.`, together with the schema version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Metadata {
    /// The game's registry name.
    pub game: String,
    /// The game's options by name, each with its value, defaults included.
    pub options: BTreeMap<String, Value>,
    /// The seed of the whole run. Each game's own seed is in its row.
    pub seed: u64,
    /// The agents that took part. The seats of each game are in its row.
    pub agents: Vec<String>,
    /// The version of the software that played the games.
    pub software_version: String,
}

impl Metadata {
    /// Reads the metadata of one Parquet file of a dataset.
    ///
    /// # Errors
    /// [`Error::Io`] when the file cannot be opened, [`Error::Damaged`] when it is not a complete
    /// Parquet file, [`Error::ForeignFile`], [`Error::SchemaVersion`] or [`Error::FileMetadata`]
    /// when it is not a file of a dataset that this crate can read.
    pub fn of_file(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let file = files::open(path).map_err(Error::io("read", path))?;
        let footer = ParquetMetaDataReader::new()
            .parse_and_finish(&file)
            .map_err(|cause| file.fault(path, cause))?;
        let pairs = footer.file_metadata().key_value_metadata();
        Self::from_key_values(path, pairs.map_or(&[], Vec::as_slice))
    }

    /// The game with its options.
    ///
    /// # Errors
    /// [`Error::Setup`] or [`Error::Option`] if the game or an option does not exist.
    pub fn spec(&self) -> Result<Spec> {
        Ok(Spec::new(&self.game, &options_from_json(&self.options)?)?)
    }

    /// The options as one line of JSON, names ascending: the column `options`.
    pub(crate) fn options_json(&self) -> String {
        let options = self.options.clone();
        Value::Object(options.into_iter().collect()).to_string()
    }

    /// The columns of the `games` table that have the same value in each row, with these values.
    pub(crate) fn repeated_columns(&self) -> [(&'static str, String); 2] {
        [("game", self.game.clone()), ("options", self.options_json())]
    }

    /// The key-value metadata of each file, in the order in which it is written.
    pub(crate) fn key_values(&self) -> [(&'static str, String); 6] {
        [
            (SCHEMA_VERSION_KEY, SCHEMA_VERSION.to_string()),
            (GAME_KEY, self.game.clone()),
            (OPTIONS_KEY, self.options_json()),
            (SEED_KEY, self.seed.to_string()),
            (AGENTS_KEY, Value::from(self.agents.clone()).to_string()),
            (SOFTWARE_KEY, self.software_version.clone()),
        ]
    }

    /// The inverse of [`Metadata::key_values`] for the file at `path`.
    pub(crate) fn from_key_values(path: &Path, pairs: &[KeyValue]) -> Result<Self> {
        let version = lookup(path, pairs, SCHEMA_VERSION_KEY)?;
        if version != SCHEMA_VERSION.to_string() {
            return Err(Error::SchemaVersion {
                path: path.into(),
                expected: SCHEMA_VERSION,
                found: version.into(),
            });
        }
        let unexpected = |key, expected: &str, found: &str| Error::FileMetadata {
            path: path.into(),
            key,
            expected: expected.into(),
            found: found.into(),
        };
        let options = lookup(path, pairs, OPTIONS_KEY)?;
        let seed = lookup(path, pairs, SEED_KEY)?;
        let agents = lookup(path, pairs, AGENTS_KEY)?;
        Ok(Self {
            game: lookup(path, pairs, GAME_KEY)?.into(),
            options: serde_json::from_str(options)
                .map_err(|_| unexpected(OPTIONS_KEY, "a JSON object", options))?,
            seed: seed
                .parse()
                .map_err(|_| unexpected(SEED_KEY, "an unsigned 64-bit number", seed))?,
            agents: serde_json::from_str(agents)
                .map_err(|_| unexpected(AGENTS_KEY, "a JSON list of strings", agents))?,
            software_version: lookup(path, pairs, SOFTWARE_KEY)?.into(),
        })
    }
}

/// The value of one key in the metadata of the file at `path`.
pub(crate) fn lookup<'a>(path: &Path, pairs: &'a [KeyValue], key: &'static str) -> Result<&'a str> {
    pairs
        .iter()
        .find(|pair| pair.key == key)
        .and_then(|pair| pair.value.as_deref())
        .ok_or_else(|| Error::ForeignFile { path: path.into(), key })
}
