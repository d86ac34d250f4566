//! Errors of reading and writing datasets.

use std::io;
use std::path::{Path, PathBuf};

use darkqi_env::SetupError;
use parquet::errors::ParquetError;
use thiserror::Error;

use crate::stopping::Stopped;

/// [`std::result::Result`] with this crate's [`enum@Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Threads that the system does not start.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(
    "threads: cannot start {wanted}: {cause}; the system, a container or the user's limits bound \
     their number"
)]
pub struct NoThreads {
    /// How many were wanted.
    pub wanted: usize,
    /// The system's error.
    pub cause: String,
}

impl NoThreads {
    pub(crate) fn new(wanted: usize, cause: impl ToString) -> Self {
        Self { wanted, cause: cause.to_string() }
    }
}

/// An error of reading or writing a dataset.
///
/// A message is complete in itself: it names the file, the field, what was expected, and the cause.
/// The cause is therefore a plain field, and [`std::error::Error::source`] is `None`.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages name the fields")]
pub enum Error {
    /// Stopped before the work was done.
    #[error("stopped")]
    Stopped,
    /// The operating system refused to read or write something.
    #[error("cannot {action} {}: {cause}", path.display())]
    Io {
        /// The act that was tried: an infinitive such as `read`.
        action: &'static str,
        path: PathBuf,
        cause: io::Error,
    },

    /// The folder for a new dataset already holds one.
    #[error(
        "{} already holds a dataset ({found}): choose another folder, or delete that dataset first; \
         a run of self-play can be resumed as long as it has its dataset.json",
        dir.display()
    )]
    AlreadyADataset { dir: PathBuf, found: String },

    /// The folder that a writer locked is no longer at its path.
    #[error(
        "{} is no longer the folder that this run began to write: it was moved or replaced, and what \
         is there now is left alone; a run of self-play can be resumed where its folder is",
        dir.display()
    )]
    LostFolder { dir: PathBuf },

    /// A file that a command was to write belongs to a dataset.
    #[error(
        "cannot write {}: it is a file of the dataset {}; expected another name or folder",
        path.display(),
        dir.display()
    )]
    OutputInDataset { path: PathBuf, dir: PathBuf },

    /// Another writer holds the folder's lock.
    #[error("{} is being written by {holder}: wait until it finishes, or stop it", dir.display())]
    Locked {
        dir: PathBuf,
        /// The process that holds the lock, in words.
        holder: String,
    },

    /// A writer that needs a folder was given a URL.
    #[error(
        "{} is not a folder: only self-play writes to object storage; expected the path of a folder",
        dir.display()
    )]
    NeedsFolder { dir: PathBuf },

    /// The folder does not exist.
    #[error("no dataset at {}: expected a folder, found nothing of that name", dir.display())]
    MissingFolder { dir: PathBuf },

    /// The path is not a dataset's folder.
    #[error("{} is not a dataset: expected a folder that holds `dataset.json`", dir.display())]
    NotADataset { dir: PathBuf },

    /// `dataset.json` is not valid.
    #[error("{}: expected a dataset's description in JSON: {cause}", path.display())]
    Manifest {
        path: PathBuf,
        /// The cause, with its field or its line and column.
        cause: serde_json::Error,
    },

    /// `dataset.json` lists shards in an order in which no writer lists them.
    #[error(
        "{}: expected shards whose numbers and game ids ascend, found shard {shard} after shard \
         {before}; `darkqi verify` looks for all faults",
        path.display()
    )]
    ShardOrder { path: PathBuf, before: u32, shard: u32 },

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
        path: PathBuf,
        /// The version this crate writes, the newest that it reads.
        expected: u32,
        /// The version found, as it stands in the file.
        found: String,
    },

    /// A listed file does not exist.
    #[error("{} is missing: `dataset.json` lists it as part of a finished shard", path.display())]
    MissingFile { path: PathBuf },

    /// A file is not Parquet, or is truncated or damaged.
    #[error("{}: expected a complete Parquet file: {cause}", path.display())]
    Damaged { path: PathBuf, cause: ParquetError },

    /// A file has a compression that this crate does not read.
    #[error("{}: expected the compression ZSTD or none, found {found}", path.display())]
    Compression { path: PathBuf, found: String },

    /// The Parquet file does not belong to a darkqi dataset.
    #[error(
        "{}: expected a file of a darkqi dataset, found a Parquet file without the metadata key `{key}`",
        path.display()
    )]
    ForeignFile { path: PathBuf, key: &'static str },

    /// A file's metadata differs from that of the dataset.
    #[error("{}, metadata key `{key}`: expected {expected}, found {found:?}", path.display())]
    FileMetadata { path: PathBuf, key: &'static str, expected: String, found: String },

    /// A column is missing or has another type.
    #[error("{}, column `{column}`: expected {expected}, found {found}", path.display())]
    Column {
        path: PathBuf,
        column: &'static str,
        expected: String,
        /// The type found, or that there is no such column.
        found: String,
    },

    /// A value is not valid in its column.
    #[error("{}, column `{column}`, row {row}: expected {expected}, found {found}", path.display())]
    Value { path: PathBuf, column: &'static str, row: u64, expected: String, found: String },

    /// A file has changed since it was written.
    #[error("{}: expected the XXH64 checksum {expected} that `dataset.json` listed when it was read, found {found}", path.display())]
    Checksum { path: PathBuf, expected: String, found: String },

    /// A file has another number of rows than expected.
    #[error("{}: expected {expected} rows, found {found}", path.display())]
    RowCount {
        path: PathBuf,
        /// The number of rows stated by `dataset.json`, the `games` table or the file's row groups.
        expected: u64,
        found: u64,
    },

    /// A rule option in a dataset's metadata has a value of a wrong type.
    #[error("option `{name}`: expected a whole number, true, false or text, found {value}")]
    Option { name: String, value: String },

    /// The game or one of the options in a dataset's metadata does not exist.
    #[error(transparent)]
    Setup(#[from] SetupError),

    /// An argument is out of range.
    #[error("{name}: expected {expected}, found {found}")]
    Argument { name: &'static str, expected: String, found: String },

    /// Threads that cannot be started.
    #[error(transparent)]
    Threads(#[from] NoThreads),

    /// No finished shard holds the game.
    #[error("no game {game_id} in {}: expected an id that its `games` table holds", dir.display())]
    UnknownGame { dir: PathBuf, game_id: u64 },

    /// A shard to write has no games.
    #[error("shard {shard}: expected at least one game, found none")]
    EmptyShard { shard: u32 },

    /// The shard to write already exists.
    #[error("shard {shard} of {} already exists: expected an unused number", dir.display())]
    ShardExists { dir: PathBuf, shard: u32 },

    /// A record cannot be written.
    #[error("shard {shard}, game {game_id}, field `{field}`: expected {expected}, found {found}")]
    Record { shard: u32, game_id: u64, field: &'static str, expected: String, found: String },

    /// A file could not be encoded.
    #[error("cannot write {}: {cause}", path.display())]
    Write { path: PathBuf, cause: ParquetError },
}

impl Error {
    /// Whether it says that there is no dataset, so that one may be written.
    pub const fn is_no_dataset(&self) -> bool {
        matches!(self, Self::MissingFolder { .. } | Self::NotADataset { .. })
    }

    /// The operating system's error at `action` on a file or folder; [`Error::Stopped`] if it was
    /// not waited for.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl Fn(io::Error) -> Self {
        move |cause| {
            if cause.get_ref().is_some_and(|cause| cause.is::<Stopped>()) {
                return Self::Stopped;
            }
            Self::Io { action, path: path.into(), cause }
        }
    }

    /// The Parquet library's error when it wrote a file: of the system, or of the rows.
    pub(crate) fn write(path: &Path) -> impl Fn(ParquetError) -> Self {
        move |cause| match cause {
            ParquetError::External(cause) => match cause.downcast() {
                Ok(cause) => Self::io("write", path)(*cause),
                Err(cause) => {
                    Self::Write { path: path.into(), cause: ParquetError::External(cause) }
                }
            },
            cause => Self::Write { path: path.into(), cause },
        }
    }

    /// The operating system's error, and the file or folder.
    #[must_use]
    pub fn system(&self) -> Option<(&io::Error, Option<&Path>)> {
        match self {
            Self::Io { path, cause, .. } => Some((cause, Some(path))),
            _ => None,
        }
    }

    /// Whether the error says nothing of what a file holds: the work was stopped, or the system did not
    /// do something, for want of rights, files, memory or threads, or for a fault of a disk or a server.
    /// The same call may succeed later.
    #[must_use]
    pub fn is_of_the_system(&self) -> bool {
        match self {
            Self::Stopped | Self::Threads(_) => true,
            // What is no regular file is refused, not tried.
            Self::Io { cause, .. } => {
                cause.raw_os_error().is_some() || cause.kind() != io::ErrorKind::InvalidInput
            }
            _ => false,
        }
    }

    /// The file that the error is about, if there is one. The message then begins with it.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::Manifest { path, .. }
            | Self::ShardOrder { path, .. }
            | Self::SchemaVersion { path, .. }
            | Self::MissingFile { path }
            | Self::Damaged { path, .. }
            | Self::ForeignFile { path, .. }
            | Self::FileMetadata { path, .. }
            | Self::Column { path, .. }
            | Self::Value { path, .. }
            | Self::Checksum { path, .. }
            | Self::Compression { path, .. }
            | Self::RowCount { path, .. } => Some(path),
            _ => None,
        }
    }

    /// The column of that file, and the row, counted from 0, as far as the error is about one.
    #[must_use]
    pub fn place(&self) -> (Option<&'static str>, Option<u64>) {
        match *self {
            Self::Column { column, .. } => (Some(column), None),
            Self::Value { column, row, .. } => (Some(column), Some(row)),
            _ => (None, None),
        }
    }
}
