//! Datasets of schema version 1, written anew.

use std::path::Path;

use super::atomic_file::sync_folder;
use super::leftovers::{remove_leftovers, remove_version_1};
use super::lock::FolderLock;
use super::writer::{DatasetWriter, refuse_remote, write_card};
use crate::error::Result;
use crate::format::{Manifest, SCHEMA_VERSION, Table, create_folders};
use crate::read::Dataset;

/// Rewrites a dataset of schema version 1 as one of [`SCHEMA_VERSION`], in its folder. Returns
/// whether there was anything to do.
///
/// Records stay as they are; plies get columns of values and policies, which are null. The new files
/// are those that a writer of this version would have written. If the migration is interrupted, the
/// folder holds one version or the other completely, and it can be repeated.
///
/// # Errors
/// Those of opening and reading a dataset and of writing one, see [`Error`](crate::Error). Its files
/// are then as they were.
pub fn migrate(dir: impl AsRef<Path>) -> Result<bool> {
    let dir = dir.as_ref();
    refuse_remote(dir)?;
    // Read before locking, so that a folder without a dataset gets no lock file.
    Manifest::read(dir)?;
    let lock = FolderLock::acquire(dir)?;
    let old = Manifest::read(dir)?;
    if old.schema_version == SCHEMA_VERSION {
        // An interrupted migration may have left old files.
        remove_version_1(dir)?;
        return Ok(false);
    }
    let dataset = Dataset::open(dir)?;
    for place in 0..old.shards.len() {
        dataset.check_file(Table::Games, place)?;
        dataset.check_file(Table::Plies, place)?;
    }
    remove_leftovers(dir, &old.shards)?;
    create_folders(dir)?;
    // The list of the new files must not outlast their folders.
    sync_folder(dir)?;
    let complete = old.complete;
    let mut writer = DatasetWriter::locked(Manifest::new(old.metadata, old.run), lock.clone());
    if let Err(error) = add_all(&mut writer, &dataset) {
        // What was added belongs to no dataset. If it cannot be removed either, the next migration
        // does it.
        if lock.check().is_ok() {
            let _ = remove_leftovers(dir, &old.shards);
        }
        return Err(error);
    }
    write_card(&lock, writer.metadata())?;
    writer.list(complete)?;
    remove_version_1(dir)?;
    Ok(true)
}

/// Writes the shards of a dataset anew, beside its files.
fn add_all(writer: &mut DatasetWriter, dataset: &Dataset) -> Result<()> {
    for (place, shard) in dataset.shards().iter().enumerate() {
        let games = dataset.shard_replays(place).collect::<Result<Vec<_>>>()?;
        writer.add_unlisted(shard.shard, &games)?;
    }
    Ok(())
}
