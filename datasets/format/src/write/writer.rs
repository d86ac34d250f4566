//! Writes a dataset shard by shard.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::SchemaDescriptor;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::ParquetSettings;
use super::atomic_file::{SyncedFile, TemporaryFile, sync_folder};
use super::card::card;
use super::leftovers::{remove_all_parts, remove_leftovers, remove_parts};
use super::lock::FolderLock;
use super::output::sync_folder_of;
use super::parts::Parts;
use crate::error::{Error, Result};
use crate::files;
use crate::format::{
    AGENT_FILES, CARD_FILE, FIRST_GAME_KEY, GameRecord, LAST_GAME_KEY, MANIFEST_FILE, Manifest,
    Metadata, PlyRow, RunSettings, Shard, Storage, TABLE_KEY, Table, checksum_of_file,
    create_folder, create_folders, file_in_the_way, observations_file, write_games, write_plies,
};

/// Rows in a page, the smallest unit that can be decoded.
const PAGE_ROWS: usize = 4096;

/// Writes a dataset shard by shard.
///
/// A shard's files depend on the metadata and its records only: equal records give equal bytes. The
/// writer keeps no games between calls and can be moved to another thread. A folder has one writer
/// at a time. The lock is released when the writer is dropped or its process ends.
#[derive(Debug)]
pub struct DatasetWriter {
    folder: Arc<FolderLock>,
    manifest: Manifest,
    /// Whether `dataset.json` has the settings of the run.
    is_listed: bool,
    parquet: ParquetSettings,
}

impl DatasetWriter {
    /// Creates a dataset without shards in the folder `dir`, which is created if necessary.
    ///
    /// # Errors
    /// [`Error::AlreadyADataset`] when the folder or one in it holds a dataset, or it holds a shard file,
    /// [`Error::Locked`] when another writer is at work there, [`Error::Io`] when it cannot be
    /// written.
    pub fn create(dir: impl AsRef<Path>, metadata: Metadata) -> Result<Self> {
        Self::begin(dir.as_ref(), metadata, None)
    }

    /// [`DatasetWriter::create`] for a run whose settings are stored, so that it can be resumed.
    ///
    /// # Errors
    /// As [`DatasetWriter::create`].
    pub fn create_run(dir: impl AsRef<Path>, metadata: Metadata, run: RunSettings) -> Result<Self> {
        Self::begin(dir.as_ref(), metadata, Some(run))
    }

    fn begin(dir: &Path, metadata: Metadata, run: Option<RunSettings>) -> Result<Self> {
        refuse_remote(dir)?;
        create_durable_folder(dir)?;
        let lock = FolderLock::acquire(dir)?;
        let manifest_file = dir.join(MANIFEST_FILE).exists().then(|| MANIFEST_FILE.to_string());
        if let Some(found) = manifest_file.or(file_in_the_way(dir)?) {
            return Err(Error::AlreadyADataset { dir: dir.into(), found });
        }
        let manifest = Manifest::new(metadata, run);
        // Without a dataset they belong to none.
        remove_all_parts(dir)?;
        create_folders(dir)?;
        write_card(&lock, &manifest.metadata)?;
        write_manifest(&lock, &manifest)?;
        Ok(Self::locked(manifest, lock))
    }

    /// Opens the dataset in the folder `dir` for writing. Nothing changes before
    /// [`DatasetWriter::resume`].
    ///
    /// # Errors
    /// [`Error::MissingFolder`], [`Error::NotADataset`], [`Error::Manifest`],
    /// [`Error::SchemaVersion`] when there is no dataset of [`SCHEMA_VERSION`](crate::SCHEMA_VERSION),
    /// [`Error::Locked`] when another writer is at work there, [`Error::ShardOrder`] when the shards are not in order,
    /// [`Error::Io`] when `dataset.json` cannot be read or the folder cannot be locked,
    /// [`Error::NeedsFolder`] for a URL.
    pub fn open(dir: impl AsRef<Path>) -> Result<Self> {
        refuse_remote(dir.as_ref())?;
        Self::open_to_list(dir)
    }

    /// [`DatasetWriter::open`] for a writer that lists the shards of a
    /// [`SharedWriter`](super::SharedWriter), also in object storage. There it has no lock: of two
    /// that list shards at once, the last one counts.
    ///
    /// # Errors
    /// As [`DatasetWriter::open`], except [`Error::NeedsFolder`].
    pub fn open_to_list(dir: impl AsRef<Path>) -> Result<Self> {
        let dir = dir.as_ref();
        // Read before locking, so that a folder without a dataset gets no lock file.
        Manifest::read(dir)?;
        let lock = FolderLock::acquire(dir)?;
        create_folders(dir)?;
        // A list of shards must not outlast the folders of their files.
        sync_folder(dir)?;
        // Read again, because another writer may have finished in between.
        let manifest = Manifest::read(dir)?;
        manifest.check_order(dir)?;
        Ok(Self::locked(manifest, lock))
    }

    pub(super) fn locked(manifest: Manifest, folder: Arc<FolderLock>) -> Self {
        Self { folder, manifest, is_listed: true, parquet: ParquetSettings::default() }
    }

    /// Sets the Parquet settings of later shards. They are not stored in the dataset: resuming with
    /// equal bytes requires setting them again.
    #[must_use]
    pub fn with_parquet_settings(self, parquet: ParquetSettings) -> Self {
        Self { parquet, ..self }
    }

    /// Resumes the dataset: as a run with these settings, or as one without, to which records are
    /// added. Leftovers of an interrupted writer are removed: temporary files, and files of shards
    /// that are not listed. Parts stay.
    ///
    /// # Errors
    /// [`Error::LostFolder`] when the folder was moved or replaced, [`Error::Io`] when a leftover
    /// cannot be removed or the card cannot be written.
    pub fn resume(&mut self, run: Option<RunSettings>) -> Result<()> {
        self.folder.check()?;
        remove_leftovers(self.folder.dir(), self.shards())?;
        write_card(&self.folder, self.metadata())?;
        self.is_listed &= self.manifest.run == run;
        self.manifest.run = run;
        Ok(())
    }

    /// Marks the dataset as incomplete and writes its settings, before games are added to it.
    ///
    /// # Errors
    /// As [`DatasetWriter::write_shard`], when `dataset.json` cannot be written.
    pub fn mark_incomplete(&mut self) -> Result<()> {
        if self.manifest.complete || !self.is_listed { self.list(false) } else { Ok(()) }
    }

    /// The parts of the dataset's shards. `run` identifies what is played, see [`Parts::new`].
    pub fn parts<T: Serialize + DeserializeOwned>(&self, run: impl Into<Vec<u8>>) -> Parts<T> {
        Parts::of_writer(self.folder.clone(), run.into())
    }

    /// Keeps copies of the files that agents read, by their XXH64, so that the run can be resumed
    /// without the originals.
    ///
    /// # Errors
    /// [`Error::LostFolder`] or [`Error::Io`] when a copy cannot be written.
    pub fn keep_agent_files(&self, files: &BTreeMap<String, Vec<u8>>) -> Result<()> {
        if files.is_empty() {
            return Ok(());
        }
        self.folder.check()?;
        create_durable_folder(&self.folder.dir().join(AGENT_FILES))?;
        for (checksum, contents) in files {
            let name = format!("{AGENT_FILES}/{checksum}");
            if checksum_of_file(&self.folder.dir().join(&name)).ok().as_ref() != Some(checksum) {
                write_atomically(&self.folder, &name, contents)?;
            }
        }
        Ok(())
    }

    /// The metadata shared by all games.
    #[must_use]
    pub fn metadata(&self) -> &Metadata {
        &self.manifest.metadata
    }

    /// The settings of the run, if they are stored.
    #[must_use]
    pub fn run(&self) -> Option<&RunSettings> {
        self.manifest.run.as_ref()
    }

    /// The shards written so far, ordered by number.
    #[must_use]
    pub fn shards(&self) -> &[Shard] {
        &self.manifest.shards
    }

    /// Writes a shard: `games`, ordered by id. Shards may be written in any order.
    ///
    /// A shard is finished once `dataset.json` lists it. After an error it is not, and may be
    /// written again.
    ///
    /// # Errors
    /// Before anything is written: [`Error::EmptyShard`], [`Error::ShardExists`], or
    /// [`Error::Record`] when ids do not ascend, when the range of ids overlaps that of another
    /// shard, or when a game's `plies` is not the number of its `moves`. Afterwards [`Error::Io`]
    /// or [`Error::Write`].
    pub fn write_shard(&mut self, shard: u32, games: &[GameRecord]) -> Result<()> {
        if self.shards().iter().any(|other| other.shard == shard) {
            return Err(Error::ShardExists { dir: self.folder.dir().into(), shard });
        }
        self.replace_shard(shard, games)
    }

    /// Writes a shard and replaces the existing one with its number, for example a damaged or
    /// incomplete one.
    ///
    /// The old shard stays listed until the new files are complete, and is removed from the list
    /// before its files are replaced. Its parts are removed once the new one is listed.
    ///
    /// # Errors
    /// As [`DatasetWriter::write_shard`], except [`Error::ShardExists`].
    pub fn replace_shard(&mut self, shard: u32, games: &[GameRecord]) -> Result<()> {
        let (entry, games_file, plies_file) = self.write_files(shard, games)?;
        self.mark_incomplete()?;
        if let Ok(place) = self.index_of(shard) {
            self.update_shards(|shards| drop(shards.remove(place)))?;
        }
        self.remove_observations(shard)?;
        // Plies first: a reader that finds the games also finds their plies.
        plies_file.rename_into_place()?;
        games_file.rename_into_place()?;
        let place = self.index_of(shard).unwrap_or_else(|place| place);
        self.update_shards(|shards| shards.insert(place, entry))?;
        // The shard is finished, with its parts or without: a leftover does no harm.
        let _ = remove_parts(self.folder.dir(), |part| part.shard == shard);
        Ok(())
    }

    /// Removes the rows of a shard that is about to be replaced: they are those of other games. They
    /// must not come back after a power failure, when the new shard may be listed.
    fn remove_observations(&self, shard: u32) -> Result<()> {
        if files::is_remote(self.folder.dir()) {
            // Nothing writes rows there.
            return Ok(());
        }
        self.folder.check()?;
        let path = self.folder.dir().join(observations_file(shard));
        match fs::remove_file(&path) {
            Ok(()) => path.parent().map_or(Ok(()), sync_folder),
            Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(()),
            Err(cause) => Err(Error::io("remove", &path)(cause)),
        }
    }

    /// Writes the files of a shard under their temporary names.
    fn write_files(
        &self,
        shard: u32,
        games: &[GameRecord],
    ) -> Result<(Shard, SyncedFile, SyncedFile)> {
        let mut entry = self.shard_entry(shard, games)?;
        let group_rows = self.parquet.group_rows;
        let games_file = self.write_table(Table::Games, &entry, |file| {
            games.chunks(group_rows).try_for_each(|games| write_games(self.metadata(), games, file))
        })?;
        let plies_file = self.write_table(Table::Plies, &entry, |file| {
            let rows = games.iter().flat_map(|game| {
                let plies = (0..=u16::MAX).zip(&game.moves);
                plies.map(|(ply, record)| PlyRow { game_id: game.game_id, ply, record })
            });
            let mut rows = rows.peekable();
            while rows.peek().is_some() {
                let group: Vec<_> = rows.by_ref().take(group_rows).collect();
                write_plies(&group, file)?;
            }
            Ok(())
        })?;
        entry.games_xxh64 = games_file.checksum()?;
        entry.plies_xxh64 = plies_file.checksum()?;
        Ok((entry, games_file, plies_file))
    }

    pub(super) fn folder(&self) -> &Arc<FolderLock> {
        &self.folder
    }

    /// The index of a shard in the list, or the index at which to insert it.
    fn index_of(&self, shard: u32) -> std::result::Result<usize, usize> {
        self.shards().binary_search_by_key(&shard, |other| other.shard)
    }

    /// Lists exactly these shards, ordered by number, whose files are in the folder: those of other
    /// processes, too. The dataset is then incomplete.
    ///
    /// # Errors
    /// [`Error::ShardOrder`] when numbers or games do not ascend; as
    /// [`DatasetWriter::write_shard`], when `dataset.json` cannot be written.
    pub fn relist(&mut self, shards: Vec<Shard>) -> Result<()> {
        let manifest = Manifest { shards, complete: false, ..self.manifest.clone() };
        manifest.check_order(self.folder.dir())?;
        for shard in &manifest.shards {
            let listed = self.index_of(shard.shard).map(|place| &self.shards()[place]);
            if listed != Ok(shard) {
                self.remove_observations(shard.shard)?;
            }
        }
        write_manifest(&self.folder, &manifest)?;
        self.manifest = manifest;
        Ok(())
    }

    /// Changes the list of shards, on disk first.
    fn update_shards(&mut self, change: impl FnOnce(&mut Vec<Shard>)) -> Result<()> {
        let mut manifest = self.manifest.clone();
        change(&mut manifest.shards);
        write_manifest(&self.folder, &manifest)?;
        self.manifest = manifest;
        Ok(())
    }

    /// Writes the files of a shard, which `dataset.json` does not list before
    /// [`DatasetWriter::list`].
    pub(super) fn add_unlisted(&mut self, shard: u32, games: &[GameRecord]) -> Result<()> {
        let (entry, games_file, plies_file) = self.write_files(shard, games)?;
        plies_file.rename_into_place()?;
        games_file.rename_into_place()?;
        self.manifest.shards.push(entry);
        // A leftover does no harm.
        let _ = remove_parts(self.folder.dir(), |part| part.shard == shard);
        Ok(())
    }

    /// Lists all shards at once.
    pub(super) fn list(&mut self, complete: bool) -> Result<()> {
        let manifest = Manifest { complete, ..self.manifest.clone() };
        write_manifest(&self.folder, &manifest)?;
        self.manifest = manifest;
        self.is_listed = true;
        Ok(())
    }

    /// Marks the dataset as complete and removes all parts.
    ///
    /// # Errors
    /// [`Error::Io`] when `dataset.json` cannot be written or a part cannot be removed.
    pub fn finish(mut self) -> Result<()> {
        self.complete()
    }

    /// [`DatasetWriter::finish`], which can be tried again after an error.
    ///
    /// # Errors
    /// As [`DatasetWriter::finish`].
    pub fn complete(&mut self) -> Result<()> {
        self.list(true)?;
        remove_all_parts(self.folder.dir())
    }

    /// Checks the games and makes the shard's entry.
    fn shard_entry(&self, shard: u32, games: &[GameRecord]) -> Result<Shard> {
        let (Some(first), Some(last)) = (games.first(), games.last()) else {
            return Err(Error::EmptyShard { shard });
        };
        let refuse = |game: &GameRecord, field, expected, found| {
            Err(Error::Record { shard, game_id: game.game_id, field, expected, found })
        };
        for (before, game) in games.iter().zip(&games[1..]) {
            if game.game_id <= before.game_id {
                let expected = format!("an id above {}, that of the game before", before.game_id);
                return refuse(game, "game_id", expected, game.game_id.to_string());
            }
        }
        for game in games {
            if usize::from(game.plies) != game.moves.len() {
                let expected = format!("{}, the number of its moves", game.moves.len());
                return refuse(game, "plies", expected, game.plies.to_string());
            }
        }
        for other in self.shards().iter().filter(|other| other.shard != shard) {
            if first.game_id <= other.last_game_id && other.first_game_id <= last.game_id {
                let expected = format!(
                    "ids outside {} to {}, which are shard {}'s",
                    other.first_game_id, other.last_game_id, other.shard
                );
                let found = format!("{} to {}", first.game_id, last.game_id);
                return refuse(first, "game_id", expected, found);
            }
        }
        Ok(Shard {
            shard,
            games_file: Table::Games.file_name(shard),
            plies_file: Table::Plies.file_name(shard),
            first_game_id: first.game_id,
            last_game_id: last.game_id,
            games: games.len() as u64,
            plies: games.iter().map(|game| u64::from(game.plies)).sum(),
            // Set once the files are written.
            games_xxh64: String::new(),
            plies_xxh64: String::new(),
        })
    }

    /// Writes one file of a shard under its temporary name.
    fn write_table(
        &self,
        table: Table,
        shard: &Shard,
        rows: impl FnOnce(&mut SerializedFileWriter<&File>) -> ParquetResult<()>,
    ) -> Result<SyncedFile> {
        let file = TemporaryFile::create(&self.folder, shard.file(table))?;
        let properties = Arc::new(self.properties(table, shard));
        SerializedFileWriter::new(file.file(), table.schema(), properties)
            .and_then(|mut file| {
                rows(&mut file)?;
                file.close().map(drop)
            })
            .map_err(Error::write(file.path()))?;
        file.sync()
    }

    fn properties(&self, table: Table, shard: &Shard) -> WriterProperties {
        let pairs = self.metadata().key_values().into_iter().chain([
            (TABLE_KEY, table.name().into()),
            (FIRST_GAME_KEY, shard.first_game_id.to_string()),
            (LAST_GAME_KEY, shard.last_game_id.to_string()),
        ]);
        let pairs = pairs.map(|(key, value)| KeyValue::new(key.into(), value));
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(self.parquet.level))
            .set_data_page_row_count_limit(PAGE_ROWS)
            .set_key_value_metadata(Some(pairs.collect()));
        let (columns, schema) = (table.columns(), SchemaDescriptor::new(table.schema()));
        for (place, leaf) in schema.columns().iter().enumerate() {
            let storage = columns[schema.get_column_root_idx(place)].storage;
            let (path, dictionary) = (leaf.path(), matches!(storage, Storage::Dictionary));
            properties = properties.set_column_dictionary_enabled(path.clone(), dictionary);
            if let Some(encoding) = storage.encoding() {
                properties = properties.set_column_encoding(path.clone(), encoding);
            }
        }
        properties.build()
    }
}

/// Creates a folder and those above it that are missing, and makes their entries durable: files that
/// are synced in a folder without an entry are lost, too.
pub(super) fn create_durable_folder(dir: &Path) -> Result<()> {
    if files::is_remote(dir) {
        return Ok(());
    }
    let is_missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
    let missing: Vec<&Path> = dir.ancestors().take_while(is_missing).collect();
    create_folder(dir)?;
    missing.into_iter().try_for_each(sync_folder_of)
}

/// Replaces `dataset.json` atomically: a reader sees the old contents or the new.
fn write_manifest(folder: &Arc<FolderLock>, manifest: &Manifest) -> Result<()> {
    write_atomically(folder, MANIFEST_FILE, &manifest.text(folder.dir())?)
}

/// Writes the card of a dataset with this metadata, unless its folder has a file of that name: people
/// may have written one. The only writer needs no link for that, which not every file system has.
pub(super) fn write_card(folder: &Arc<FolderLock>, metadata: &Metadata) -> Result<()> {
    if has_card(folder.dir())? {
        return Ok(());
    }
    write_atomically(folder, CARD_FILE, card(metadata).as_bytes())
}

/// Whether a dataset has a card.
pub(super) fn has_card(dir: &Path) -> Result<bool> {
    let path = dir.join(CARD_FILE);
    files::exists(&path).map_err(Error::io("read", &path))
}

/// Refuses object storage for a writer that needs a folder.
pub(super) fn refuse_remote(dir: &Path) -> Result<()> {
    if files::is_remote(dir) { Err(Error::NeedsFolder { dir: dir.into() }) } else { Ok(()) }
}

/// Writes the file `name` of a folder, unless another process writes it first.
pub(super) fn write_if_absent(folder: &Arc<FolderLock>, name: &str, contents: &[u8]) -> Result<()> {
    synced(folder, name, contents)?.link_into_place()
}

/// Writes the file `name` of a locked folder, which is then complete or as it was.
pub(crate) fn write_atomically(
    folder: &Arc<FolderLock>,
    name: &str,
    contents: &[u8],
) -> Result<()> {
    synced(folder, name, contents)?.rename_into_place()
}

fn synced(folder: &Arc<FolderLock>, name: &str, contents: &[u8]) -> Result<SyncedFile> {
    let file = TemporaryFile::create(folder, name)?;
    file.file().write_all(contents).map_err(Error::io("write", file.path()))?;
    file.sync()
}
