//! The parts of a dataset: records, columns, metadata, `dataset.json`, file names and checksums.

mod cells;
mod checksum;
mod columns;
mod file_names;
mod manifest;
mod metadata;
mod open_column;
mod options;
mod record;
mod run_settings;
mod schema;

pub(crate) use cells::{Cell, Leaf};
pub use checksum::of_bytes as checksum;
pub(crate) use checksum::{of_contents as checksum_of_contents, of_file as checksum_of_file};
pub(crate) use columns::{
    PlyRow, check_repeated, read_games, read_plies, read_plies_unchecked, write_games, write_plies,
};
pub(crate) use file_names::{
    AGENT_FILES, CARD_FILE, LOCK_FILE, OBSERVATIONS, PARTS, PartName, create_folder,
    create_folders, file_in_the_way, is_beside_tables, is_folder_of_dataset, is_name_of_shard,
    names, observations_file, parts, shard_files, temporary_files, temporary_path,
    temporary_path_of, unlisted_files, whole_shards,
};
pub(crate) use manifest::Manifest;
pub use manifest::{MANIFEST_FILE, Shard};
pub use metadata::Metadata;
pub(crate) use metadata::{FIRST_GAME_KEY, LAST_GAME_KEY, TABLE_KEY, lookup};
pub(crate) use open_column::{OpenColumn, RowFault};
pub use options::{option_text, options_from_json, options_to_json, value_to_json};
pub use record::{
    DRAW, FirstReveal, GameRecord, MOVE_NAME_BYTES, MoveName, PIECE_NAME_BYTES, PieceName,
    PlyRecord, PolicyEntry, logged_piece,
};
pub use run_settings::{Openings, RunSettings};
pub(crate) use schema::{Column, Storage, describe, schema};
pub use schema::{SCHEMA_VERSION, Table};
