//! Reads datasets: one game, all games, or all games with their plies.

mod dataset;
mod logged_ply;
mod record_reader;
mod streams;
mod table_file;

pub use dataset::Dataset;
pub(crate) use logged_ply::{LoggedPly, LoggedTargets, read_logged_plies};
pub(crate) use record_reader::{RecordReader, check_exhausted, read_plies};
pub use streams::Games;
