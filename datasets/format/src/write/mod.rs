//! Writes datasets shard by shard; a shard is complete or absent.

mod atomic_file;
mod card;
mod leftovers;
mod lock;
mod output;
mod parts;
mod shared;
mod writer;

use parquet::basic::ZstdLevel;

pub(crate) use lock::{FolderLock, is_locked};
pub use output::{check_output, is_same_output, sync_folder_of, write_output};
pub(crate) use parts::games_in_parts;
pub use parts::{Pace, Parts};
pub use shared::SharedWriter;
pub use writer::DatasetWriter;
pub(crate) use writer::write_atomically;

/// Compression level and row group size. They trade file size against the time of writing and
/// reading, and against how much of a file an engine can skip. docs/datasets.md has the measurements
/// behind the default.
#[derive(Clone, Copy, Debug)]
pub struct ParquetSettings {
    pub(crate) level: ZstdLevel,
    pub(crate) group_rows: usize,
}

impl ParquetSettings {
    /// A zstd level, and the maximum number of rows in a row group. A row group is the unit that
    /// engines skip and read in parallel, and the encoder holds a column of one in memory. `None` if zstd has
    /// no such level or `group_rows` is 0.
    #[must_use]
    pub fn new(level: i32, group_rows: usize) -> Option<Self> {
        let level = ZstdLevel::try_new(level).ok()?;
        (group_rows > 0).then_some(Self { level, group_rows })
    }
}

impl Default for ParquetSettings {
    fn default() -> Self {
        Self::new(3, 1 << 17).expect("the default is valid")
    }
}
