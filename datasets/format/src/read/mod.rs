//! Reads datasets: one game, all games, or all games with their plies.

mod dataset;
mod decode;
mod record_reader;
mod shard_files;
mod streams;
mod table_file;

pub use dataset::Dataset;
pub(crate) use decode::{
    LoggedPly, LoggedTargets, games as decode_games, logged_plies as decode_logged_plies,
};
pub(crate) use record_reader::{RecordReader, check_exhausted, read_plies};
pub use streams::{Games, Replays};
