//! Writes datasets shard by shard; a shard is complete or absent.

mod atomic_file;
mod card;
mod leftovers;
mod lock;
mod output;
mod parquet_settings;
mod parts;
mod shared;
mod writer;

pub(crate) use lock::{FolderLock, is_locked};
pub use output::{check_output, sync_folder_of, write_output};
pub use parquet_settings::ParquetSettings;
pub(crate) use parts::games_in_parts;
pub use parts::{Pace, Parts};
pub use shared::SharedWriter;
pub use writer::DatasetWriter;
pub(crate) use writer::write_atomically;
