//! Self-play of xiangqi-family games in Parquet: the schema, a writer, a reader.
//!
//! A dataset is a folder with two tables, each a folder of files. A shard is a pair of files:
//! `games/00000.parquet` has one row per game, `plies/00000.parquet` one row per ply. `dataset.json`
//! lists the finished shards:
//!
//! ```text
//! my-dataset/
//!   dataset.json            metadata, run settings and the finished shards
//!   README.md               the dataset card
//!   games/00000.parquet     plies/00000.parquet
//!   games/00001.parquet     plies/00001.parquet
//! ```
//!
//! A file has its final name only when it is complete. Programs that read `games/*.parquet`
//! (pyarrow, polars, duckdb) therefore never see part of a file, and a dataset whose writer was
//! interrupted can be read up to its last finished shard.
//!
//! - [`GameRecord`], [`PlyRecord`]: the rows as plain values.
//! - [`Metadata`]: what all games of a dataset have in common.
//! - [`DatasetWriter`]: writes shards; equal records give equal bytes.
//! - [`SharedWriter`]: writes shards beside other processes that write to the same folder.
//! - [`Parts`]: games of shards that are not finished, so that an interruption costs few.
//! - [`Dataset`]: streams games, with or without their plies, or reads one game by its id.
//! - [`Table`]: the columns and their types, stated once.
//! - [`training`]: rows to train on, recomputed from the log.
//!
//! ```
//! use darkqi_format::{
//!     DRAW, Dataset, DatasetWriter, GameRecord, Metadata, MoveName, PieceName, PlyRecord,
//! };
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let dir = folder.path().join("my-dataset");
//! let metadata = Metadata {
//!     game: "banqi".into(),
//!     options: [("max_plies".to_string(), 100.into())].into(),
//!     seed: 7,
//!     agents: vec!["random".into()],
//!     software_version: "0.1.0".into(),
//! };
//! let game = GameRecord {
//!     seed: 7,
//!     deal: "~R7/8/8/7~r 1 - - 0 0".into(),
//!     agents: vec!["random".into(), "random".into()],
//!     plies: 1,
//!     winner: DRAW,
//!     rewards: vec![0.0, 0.0],
//!     reason: "max_plies".into(),
//!     moves: vec![PlyRecord {
//!         action: 24,
//!         mv: MoveName::from("a4")?,
//!         legal_count: 2,
//!         revealed: Some(PieceName::from("R")?),
//!         ..Default::default()
//!     }],
//!     ..Default::default()
//! };
//! let mut writer = DatasetWriter::create(&dir, metadata)?;
//! writer.write_shard(0, std::slice::from_ref(&game))?;
//! writer.finish()?;
//!
//! let dataset = Dataset::open(&dir)?;
//! assert_eq!(dataset.game(0)?, game);
//! # Ok(())
//! # }
//! ```

mod error;
mod files;
mod format;
mod read;
mod stopping;
mod threads;
pub mod training;
mod write;

pub use error::{Error, NoThreads, Result};
pub use files::{OwnFile, is_remote, location, read as read_file};
pub use format::{
    DRAW, FirstReveal, GameRecord, MANIFEST_FILE, MOVE_NAME_BYTES, Metadata, MoveName, Openings,
    PIECE_NAME_BYTES, PieceName, PlyRecord, PolicyEntry, RunSettings, SCHEMA_VERSION, Shard, Table,
    checksum, logged_piece, option_text, options_from_json, options_to_json, value_to_json,
};
pub use read::{Dataset, Games};
pub use stopping::{IsStopped, stopped_by};
pub use threads::{
    check_threads, in_order, in_parallel, spawn, spawn_by, spawn_scoped, thread_pool, with_pool,
    with_threads,
};
pub use write::{
    DatasetWriter, Pace, ParquetSettings, Parts, SharedWriter, check_output, is_same_output,
    sync_folder_of, write_output,
};
