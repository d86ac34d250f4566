//! What can go wrong with a dataset.

use std::io;
use std::path::{Path, PathBuf};

use darkqi_env::SetupError;
use parquet::errors::ParquetError;
use thiserror::Error;

/// [`std::result::Result`] with this crate's [`enum@Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// What can go wrong with a dataset.
///
/// A message stands alone: it names the file and field, what was expected, and the cause below it. The cause is
/// therefore a plain field, and [`std::error::Error::source`] is `None`.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused to read or write something.
    #[error("cannot {action} {}: {cause}", path.display())]
    Io {
        /// What was tried: an infinitive such as `read`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        cause: io::Error,
    },

    /// A new dataset was to go where there is one already.
    #[error(
        "{} already holds a dataset ({found}): choose another folder, or delete that dataset first; \
         a run of self-play can be resumed",
        dir.display()
    )]
    AlreadyADataset {
        /// The folder.
        dir: PathBuf,
        /// The file that gives the dataset away.
        found: String,
    },

    /// Another writer is at work in the folder.
    #[error("{} is being written by {holder}: wait until it has finished, or stop it", dir.display())]
    Locked {
        /// The folder.
        dir: PathBuf,
        /// Who it is, in words.
        holder: String,
    },

    /// There is no such folder.
    #[error("no dataset at {}: expected a folder, found nothing of that name", dir.display())]
    MissingFolder {
        /// The folder asked for.
        dir: PathBuf,
    },

    /// The path is not a dataset's folder.
    #[error("{} is not a dataset: expected a folder that holds `dataset.json`", dir.display())]
    NotADataset {
        /// The path asked for.
        dir: PathBuf,
    },

    /// `dataset.json` cannot be understood.
    #[error("{}: expected a dataset's description in JSON: {cause}", path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// The fault, with its field or its line and column.
        cause: serde_json::Error,
    },

    /// The dataset was written for another version of the schema.
    #[error(
        "{}: expected schema version {expected}, found {found}{}",
        path.display(),
        if found.parse().is_ok_and(|found: u64| found > u64::from(*expected)) {
            ", which a newer darkqi wrote: update this one"
        } else {
            ", which no released darkqi wrote"
        }
    )]
    SchemaVersion {
        /// The file that states the version.
        path: PathBuf,
        /// The version this crate reads and writes.
        expected: u32,
        /// The version found, as it stands in the file.
        found: String,
    },

    /// A listed file does not exist.
    #[error("{} is missing: expected it because `dataset.json` lists it as a finished shard's", path.display())]
    MissingFile {
        /// The file.
        path: PathBuf,
    },

    /// A file is not Parquet, or is truncated or damaged.
    #[error("{}: expected a complete Parquet file: {cause}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The fault.
        cause: ParquetError,
    },

    /// A Parquet file that does not come from here.
    #[error(
        "{}: expected a file of a darkqi dataset, found a Parquet file without the metadata key `{key}`",
        path.display()
    )]
    ForeignFile {
        /// The file.
        path: PathBuf,
        /// The key-value metadata key that it lacks.
        key: &'static str,
    },

    /// A file's metadata is not what the dataset's should be.
    #[error("{}, metadata key `{key}`: expected {expected}, found {found:?}", path.display())]
    FileMetadata {
        /// The file.
        path: PathBuf,
        /// The key-value metadata key.
        key: &'static str,
        /// What should stand there.
        expected: String,
        /// What stands there.
        found: String,
    },

    /// A column is missing or has another type.
    #[error("{}, column `{column}`: expected {expected}, found {found}", path.display())]
    Column {
        /// The file.
        path: PathBuf,
        /// The column.
        column: &'static str,
        /// The expected type.
        expected: String,
        /// The type found, or that there is no such column.
        found: String,
    },

    /// A value is not one that its column can hold.
    #[error("{}, column `{column}`, row {row}: expected {expected}, found {found}", path.display())]
    Value {
        /// The file.
        path: PathBuf,
        /// The column.
        column: &'static str,
        /// The row in the file, from 0.
        row: u64,
        /// What should stand there.
        expected: String,
        /// What stands there.
        found: String,
    },

    /// A file's contents have changed since it was written.
    #[error("{}: expected the XXH64 checksum {expected} that `dataset.json` lists, found {found}", path.display())]
    Checksum {
        /// The file.
        path: PathBuf,
        /// The checksum in `dataset.json`, in hexadecimal.
        expected: String,
        /// The file's checksum.
        found: String,
    },

    /// A file has more or fewer rows than it should.
    #[error("{}: expected {expected} rows, found {found}", path.display())]
    RowCount {
        /// The file.
        path: PathBuf,
        /// The number of rows that `dataset.json` or the `games` table promises.
        expected: u64,
        /// The number of rows found.
        found: u64,
    },

    /// An option in a dataset's metadata that no option can be.
    #[error("option `{name}`: expected a whole number, true, false or text, found {value}")]
    Option {
        /// The option.
        name: String,
        /// Its value in JSON.
        value: String,
    },

    /// The game or the options in a dataset's metadata are none that there are.
    #[error(transparent)]
    Setup(#[from] SetupError),

    /// An argument that is out of range.
    #[error("{name}: expected {expected}, found {found}")]
    Argument {
        /// The argument.
        name: &'static str,
        /// What was expected of it.
        expected: String,
        /// What it was.
        found: String,
    },

    /// No finished shard holds the game.
    #[error("no game {game_id} in {}: expected an id that its `games` table holds", dir.display())]
    UnknownGame {
        /// The dataset's folder.
        dir: PathBuf,
        /// The id asked for.
        game_id: u64,
    },

    /// A shard was to be written without any game.
    #[error("shard {shard}: expected at least one game, found none")]
    EmptyShard {
        /// The shard's number.
        shard: u32,
    },

    /// A shard was to be written twice.
    #[error("shard {shard} of {} is written already: expected a number not used yet", dir.display())]
    ShardExists {
        /// The dataset's folder.
        dir: PathBuf,
        /// The shard's number.
        shard: u32,
    },

    /// A record that cannot be written.
    #[error("shard {shard}, game {game_id}, field `{field}`: expected {expected}, found {found}")]
    Record {
        /// The shard's number.
        shard: u32,
        /// The game.
        game_id: u64,
        /// The field of [`GameRecord`](crate::GameRecord).
        field: &'static str,
        /// What was expected of it.
        expected: String,
        /// What it holds.
        found: String,
    },

    /// A file could not be encoded or written.
    #[error("cannot write {}: {cause}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The fault.
        cause: ParquetError,
    },
}

impl Error {
    /// The file that the error is about, if it is one, with which the message then begins.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::Manifest { path, .. }
            | Self::SchemaVersion { path, .. }
            | Self::MissingFile { path }
            | Self::Damaged { path, .. }
            | Self::ForeignFile { path, .. }
            | Self::FileMetadata { path, .. }
            | Self::Column { path, .. }
            | Self::Value { path, .. }
            | Self::Checksum { path, .. }
            | Self::RowCount { path, .. } => Some(path),
            _ => None,
        }
    }
}
