//! Writes single shards of a run to a folder that several processes write to.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::atomic_file::sync_folder;
use super::card::card;
use super::lock::FolderLock;
use super::parts::Parts;
use super::writer::{DatasetWriter, create_durable_folder, has_card, write_if_absent};
use crate::error::{Error, Result};
use crate::format::{
    CARD_FILE, GameRecord, MANIFEST_FILE, Manifest, Metadata, RunSettings, create_folders,
    file_in_the_way,
};

/// Writes single shards of a run to a folder that other processes write to at the same time, on this
/// machine or another; or to object storage.
///
/// It takes no lock, and does not change a `dataset.json` that is there: who lists the shards is a
/// [`DatasetWriter`], by [`DatasetWriter::relist`]. Processes that write the same shard must write the
/// same records.
#[derive(Debug)]
pub struct SharedWriter {
    /// It lists the shards of this process only, and never writes the list.
    writer: DatasetWriter,
}

impl SharedWriter {
    /// Joins the run in the folder `dir`. If there is none, a run with these settings begins there,
    /// unless another process begins one first: the settings of the folder's run are those of
    /// [`SharedWriter::metadata`] and [`SharedWriter::run`], which the caller compares.
    ///
    /// # Errors
    /// [`Error::AlreadyADataset`] when the folder holds shard files without a `dataset.json`, or a folder
    /// with a dataset,
    /// [`Error::Manifest`] or [`Error::SchemaVersion`] when the dataset there is none of
    /// [`SCHEMA_VERSION`](crate::SCHEMA_VERSION), [`Error::Io`] when the folder cannot be read or written.
    pub fn join(dir: impl AsRef<Path>, metadata: Metadata, run: RunSettings) -> Result<Self> {
        let dir = dir.as_ref();
        create_durable_folder(dir)?;
        // Listed before `dataset.json` is looked for: another process may begin the run in between.
        let found = file_in_the_way(dir)?;
        let folder = FolderLock::share(dir)?;
        let manifest = match (Manifest::read(dir), found) {
            (Err(Error::NotADataset { .. }), Some(found)) => {
                return Err(Error::AlreadyADataset { dir: dir.into(), found });
            }
            (Err(Error::NotADataset { .. }), None) => {
                let text = Manifest::new(metadata, Some(run)).text(dir)?;
                write_if_absent(&folder, MANIFEST_FILE, &text)?;
                Manifest::read(dir)?
            }
            (manifest, _) => manifest?,
        };
        let manifest = Manifest::new(manifest.metadata, manifest.run);
        Ok(Self { writer: DatasetWriter::locked(manifest, folder) })
    }

    /// The metadata of the folder's run.
    #[must_use]
    pub fn metadata(&self) -> &Metadata {
        self.writer.metadata()
    }

    /// The settings of the folder's run, if they are stored.
    #[must_use]
    pub fn run(&self) -> Option<&RunSettings> {
        self.writer.run()
    }

    /// Writes what a run has beside its shards, where it is missing: folders, the card, and copies of
    /// the files that agents read, by their XXH64.
    ///
    /// # Errors
    /// [`Error::LostFolder`] when the folder was moved or replaced, [`Error::Io`] when something cannot
    /// be written.
    pub fn prepare(&self, agent_files: &BTreeMap<String, Vec<u8>>) -> Result<()> {
        let folder = self.writer.folder();
        folder.check()?;
        create_folders(folder.dir())?;
        // Shards must not outlast the folders of their files.
        sync_folder(folder.dir())?;
        if !has_card(folder.dir())? {
            write_if_absent(folder, CARD_FILE, card(self.metadata()).as_bytes())?;
        }
        self.writer.keep_agent_files(agent_files)
    }

    /// The parts of the run's shards, see [`DatasetWriter::parts`].
    pub fn parts<T: Serialize + DeserializeOwned>(&self, run: impl Into<Vec<u8>>) -> Parts<T> {
        self.writer.parts(run)
    }

    /// Writes the files of a shard: `games`, ordered by id. Files of that shard are replaced.
    ///
    /// # Errors
    /// As [`DatasetWriter::write_shard`], except [`Error::ShardExists`].
    pub fn write_shard(&mut self, shard: u32, games: &[GameRecord]) -> Result<()> {
        self.writer.add_unlisted(shard, games)
    }
}
