//! The listed files of a dataset, opened and checked.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::table_file::TableFile;
use crate::error::Result;
use crate::format::{Manifest, Table};

/// A dataset's folder with the manifest that was read when it was opened.
#[derive(Debug)]
pub(super) struct ShardFiles {
    dir: PathBuf,
    manifest: Manifest,
    /// Per shard and table: whether the file's checksum has been compared and was right.
    checked: Vec<[AtomicBool; 2]>,
}

impl ShardFiles {
    /// Reads the manifest; the files it lists are opened later.
    pub(super) fn open(dir: &Path) -> Result<Self> {
        Ok(Self::of(dir, Manifest::read(dir)?))
    }

    /// The files of a folder that a manifest lists.
    pub(super) fn of(dir: &Path, manifest: Manifest) -> Self {
        let checked = manifest.shards.iter().map(|_| Default::default()).collect();
        Self { dir: dir.into(), manifest, checked }
    }

    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    pub(super) fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Opens the file of `table` in the shard at index `shard` of the manifest's list. The first
    /// opening compares the file's checksum.
    pub(super) fn open_table(&self, table: Table, shard: usize) -> Result<TableFile> {
        let entry = &self.manifest.shards[shard];
        let file = TableFile::open(self.dir.join(entry.file(table)), table, &self.manifest)?;
        let checked = &self.checked[shard][table as usize];
        // Two threads may both find the file unchecked; each of them then checks it before reading.
        if !checked.load(Ordering::Relaxed) {
            file.check_contents(entry)?;
            checked.store(true, Ordering::Relaxed);
        }
        // Last: a file that a writer has replaced since has other contents, and perhaps more rows.
        file.of_rows(entry.rows(table))?.of_games([entry.first_game_id, entry.last_game_id])
    }
}
