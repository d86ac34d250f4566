//! Writes datasets shard by shard; a shard is complete or absent.

mod atomic_file;
mod encode;
mod leftovers;
mod lock;
mod parquet_settings;
mod writer;

pub use parquet_settings::ParquetSettings;
pub use writer::DatasetWriter;
