//! A dataset opened for reading.

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::record_reader::{RecordReader, read_plies};
use super::streams::Games;
use super::table_file::TableFile;
use crate::error::{Error, Result};
use crate::files;
use crate::format::{
    AGENT_FILES, GameRecord, Manifest, Metadata, RunSettings, Shard, Table, check_repeated,
    checksum_of_file, names, read_games, read_plies as read_ply_rows, shard_files, unlisted_files,
    whole_shards,
};
use crate::write::{games_in_parts, is_locked};

/// A dataset opened for reading, with the shards that were finished at that time. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Dataset {
    files: Arc<Files>,
}

/// A dataset's folder with the manifest that was read when it was opened.
#[derive(Debug)]
struct Files {
    dir: PathBuf,
    manifest: Manifest,
    /// Per shard and table: whether the file's checksum has been compared and was right.
    checked: Vec<[AtomicBool; 2]>,
}

impl Dataset {
    /// Opens the dataset in the folder `dir` and checks that all listed files exist. Files are
    /// opened when they are first read; then the file's checksum is compared once.
    ///
    /// # Errors
    /// [`Error::MissingFolder`], [`Error::NotADataset`], [`Error::Manifest`],
    /// [`Error::SchemaVersion`], [`Error::ShardOrder`], [`Error::MissingFile`], or [`Error::Io`] when
    /// `dataset.json` cannot be read.
    pub fn open(dir: impl AsRef<Path>) -> Result<Self> {
        let dataset = Self::open_unchecked(dir)?;
        dataset.files.manifest.check_order(dataset.dir())?;
        // One request for a thousand names in object storage, instead of one for each.
        let is_remote = files::is_remote(dataset.dir());
        let found: HashSet<String> = if is_remote {
            shard_files(dataset.dir())?.into_iter().collect()
        } else {
            HashSet::new()
        };
        for shard in dataset.shards() {
            for file in [Table::Games, Table::Plies].map(|table| shard.file(table)) {
                let path = dataset.dir().join(file);
                let is_there =
                    if is_remote { found.contains(file) } else { files::is_file(&path)? };
                if !is_there {
                    return Err(Error::MissingFile { path });
                }
            }
        }
        Ok(dataset)
    }

    /// [`Dataset::open`] without a check of the order of shards and that the listed files exist, for
    /// verification.
    ///
    /// # Errors
    /// The errors of [`Dataset::open`] that concern `dataset.json`.
    pub fn open_unchecked(dir: impl AsRef<Path>) -> Result<Self> {
        let dir = dir.as_ref();
        Ok(Self::of(dir, Manifest::read(dir)?))
    }

    /// The dataset in a folder that a manifest describes.
    fn of(dir: &Path, manifest: Manifest) -> Self {
        let checked = manifest.shards.iter().map(|_| Default::default()).collect();
        Self { files: Arc::new(Files { dir: dir.into(), manifest, checked }) }
    }

    /// The dataset's folder.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.files.dir
    }

    /// The folder of copies of the files that agents read, each named by its XXH64. A run whose
    /// agents read none has no such folder.
    #[must_use]
    pub fn agent_files(&self) -> PathBuf {
        self.dir().join(AGENT_FILES)
    }

    /// The copies of files of agents that are not what was written: their paths from the dataset's
    /// folder, each with what is wrong.
    ///
    /// # Errors
    /// The errors of [`Error::is_of_the_system`].
    pub fn damaged_agent_files(&self) -> Result<Vec<(String, String)>> {
        let mut damaged = Vec::new();
        let copies = self.agent_files();
        for name in names(&copies)? {
            // What was being written when its writer was interrupted has another name.
            if name.starts_with('.') {
                continue;
            }
            let fault = match checksum_of_file(&copies.join(&name)) {
                Ok(found) if found == name => continue,
                Ok(_) => "expected the contents whose XXH64 is its name, found others".to_owned(),
                Err(error) if error.is_of_the_system() => return Err(error),
                Err(error) => error.to_string(),
            };
            damaged.push((format!("{AGENT_FILES}/{name}"), fault));
        }
        Ok(damaged)
    }

    /// Whether there is a copy of a file of an agent with this XXH64.
    ///
    /// # Errors
    /// [`Error::Io`] when that cannot be found out.
    pub fn has_agent_file(&self, checksum: &str) -> Result<bool> {
        let path = self.agent_files().join(checksum);
        files::exists(&path).map_err(Error::io("read", &path))
    }

    /// The metadata shared by all games.
    #[must_use]
    pub fn metadata(&self) -> &Metadata {
        &self.files.manifest.metadata
    }

    /// The settings of the run that wrote the dataset, if they are stored.
    #[must_use]
    pub fn run(&self) -> Option<&RunSettings> {
        self.files.manifest.run.as_ref()
    }

    /// The finished shards, ordered by number.
    #[must_use]
    pub fn shards(&self) -> &[Shard] {
        &self.files.manifest.shards
    }

    /// Whether the writer has finished. Otherwise it is still at work or was interrupted.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.files.manifest.complete
    }

    /// The number of games in the finished shards.
    #[must_use]
    pub fn num_games(&self) -> u64 {
        saturating_sum(self.shards().iter().map(|shard| shard.games))
    }

    /// The number of games that have ended in shards that are not finished, as far as they are on disk.
    /// Parts are counted by their beginnings, unchecked, so that it is quick.
    ///
    /// # Errors
    /// [`Error::Io`] when the folder of parts cannot be read.
    pub fn games_in_parts(&self) -> Result<u64> {
        let listed = self.shards().iter().map(|shard| shard.shard).collect();
        let most = self.run().map_or(u64::MAX, |run| run.shard_games);
        games_in_parts(self.dir(), &listed, most)
    }

    /// Whether a process writes to the dataset and keeps others out, as runs of one process do. A killed
    /// one does no more.
    #[must_use]
    pub fn is_being_written(&self) -> bool {
        is_locked(self.dir())
    }

    /// The number of plies in the finished shards.
    #[must_use]
    pub fn num_plies(&self) -> u64 {
        saturating_sum(self.shards().iter().map(|shard| shard.plies))
    }

    /// Streams all games without their plies (`moves` is empty), by shard and then by id.
    ///
    /// The stream ends at the first error: opening a shard's file, or a value in it; see [`Error`].
    #[must_use]
    pub fn games(&self) -> Games {
        self.stream(0..self.shards().len(), false)
    }

    /// Streams all games with their plies, in the order of [`Dataset::games`]. The stream ends at
    /// the first error. It holds one game and a few thousand rows in memory.
    #[must_use]
    pub fn replays(&self) -> Games {
        self.stream(0..self.shards().len(), true)
    }

    /// [`Dataset::replays`] for one shard, by its index in [`Dataset::shards`]. Games on one deal
    /// are in one shard.
    ///
    /// # Panics
    ///
    /// If there is no such shard.
    #[must_use]
    pub fn shard_replays(&self, shard: usize) -> Games {
        self.stream(shard..shard + 1, true)
    }

    fn stream(&self, shards: Range<usize>, has_plies: bool) -> Games {
        assert!(shards.end <= self.shards().len(), "{shards:?} of {}", self.shards().len());
        Games::new(self.clone(), shards, has_plies)
    }

    /// Checks that the file of a shard, by its index in [`Dataset::shards`], exists and is
    /// unchanged: metadata, columns, number of rows and, unless compared before, the checksum.
    ///
    /// # Errors
    /// The errors of opening a shard's file, see [`Error`].
    ///
    /// # Panics
    ///
    /// If there is no such shard.
    pub fn check_file(&self, table: Table, shard: usize) -> Result<()> {
        assert!(shard < self.shards().len(), "shard {shard} of {}", self.shards().len());
        self.open_table(table, shard).map(drop)
    }

    /// Whether the file of a shard, by its index in [`Dataset::shards`], has the checksum that
    /// `dataset.json` lists, whatever it holds. If [`Dataset::check_file`] refuses such a file, it is
    /// `dataset.json` that is wrong.
    ///
    /// # Errors
    /// [`Error::Io`] when the file cannot be read.
    ///
    /// # Panics
    ///
    /// If there is no such shard.
    pub fn is_as_listed(&self, table: Table, shard: usize) -> Result<bool> {
        let shard = &self.shards()[shard];
        Ok(checksum_of_file(&self.dir().join(shard.file(table)))? == shard.checksum(table))
    }

    /// Checks the columns of a shard's `games` table that repeat the metadata in each row. The
    /// shard is given by its index in [`Dataset::shards`].
    ///
    /// # Errors
    /// [`Error::Value`] for the first row that differs, and those of opening the file.
    ///
    /// # Panics
    ///
    /// If there is no such shard.
    pub fn check_repeated(&self, shard: usize) -> Result<()> {
        assert!(shard < self.shards().len(), "shard {shard} of {}", self.shards().len());
        let games = self.open_table(Table::Games, shard)?;
        let expected = self.metadata().repeated_columns();
        let columns = expected.each_ref().map(|(name, _)| *name);
        let mut batches = games.batches(0..games.rows(), &columns);
        while batches.next(|open, rows| check_repeated(open, rows, &expected))?.is_some() {}
        Ok(())
    }

    /// The paths of files in the folder, of tables and observations, that `dataset.json` lists no shard of,
    /// ascending. A writer that is at work or was interrupted leaves some. In a complete dataset they
    /// are foreign, and programs that read `games/*.parquet` include them.
    ///
    /// # Errors
    /// [`Error::Io`] when the folder cannot be read.
    pub fn unlisted_files(&self) -> Result<Vec<String>> {
        unlisted_files(self.dir(), self.shards())
    }

    /// The numbers of the shards both of whose files are in the folder, listed or not, ascending.
    ///
    /// # Errors
    /// [`Error::Io`] when the folder cannot be read.
    pub fn shards_in_folder(&self) -> Result<Vec<u32>> {
        whole_shards(self.dir())
    }

    /// The entry in `dataset.json` of a shard that holds the games of these ids, by its files in the
    /// folder. Their metadata, columns and numbers of rows are checked, but not what the rows hold.
    ///
    /// # Errors
    /// [`Error::MissingFile`] when one of the files is not there, [`Error::RowCount`] when there
    /// are not as many games, and those of opening a shard's file, see [`Error`].
    pub fn find_shard(&self, shard: u32, ids: Range<u64>) -> Result<Shard> {
        let manifest = &self.files.manifest;
        let file_name = |table: Table| table.file_name(shard);
        let last = ids.end.saturating_sub(1);
        let open = |table| -> Result<TableFile> {
            let file = TableFile::open(self.dir().join(file_name(table)), table, manifest)?;
            file.of_games([ids.start, last])
        };
        let games = open(Table::Games)?.of_rows(ids.end.saturating_sub(ids.start))?;
        let plies = open(Table::Plies)?;
        Ok(Shard {
            shard,
            games_file: file_name(Table::Games),
            plies_file: file_name(Table::Plies),
            first_game_id: ids.start,
            last_game_id: last,
            games: games.rows(),
            plies: plies.rows(),
            games_xxh64: games.checksum()?,
            plies_xxh64: plies.checksum()?,
        })
    }

    /// The dataset with these shards instead of those that `dataset.json` lists, to read them. Nothing
    /// is written.
    #[must_use]
    pub fn with_shards(&self, shards: Vec<Shard>) -> Self {
        let Manifest { schema_version, metadata, run, complete, .. } = &self.files.manifest;
        let manifest = Manifest {
            schema_version: *schema_version,
            metadata: metadata.clone(),
            run: run.clone(),
            complete: *complete,
            shards,
        };
        Self::of(self.dir(), manifest)
    }

    /// The bytes of the files of a shard, by its number, as far as they are there, listed or not.
    #[must_use]
    pub fn shard_bytes(&self, shard: u32) -> u64 {
        let files =
            [Table::Games, Table::Plies].map(|table| self.dir().join(table.file_name(shard)));
        files.iter().filter_map(|file| files::size(file).ok()).sum()
    }

    /// The game with this id, with its plies. Besides the pages that hold it, two columns of its
    /// shard's `games` table are decoded.
    ///
    /// # Errors
    /// [`Error::UnknownGame`] when no finished shard holds it, and those of opening a shard's files
    /// and of their values.
    pub fn game(&self, game_id: u64) -> Result<GameRecord> {
        let unknown = || Error::UnknownGame { dir: self.dir().into(), game_id };
        let shard = self
            .shards()
            .iter()
            .position(|shard| (shard.first_game_id..=shard.last_game_id).contains(&game_id))
            .ok_or_else(unknown)?;
        let games = self.open_table(Table::Games, shard)?;
        let place = find(&games, game_id)?.ok_or_else(unknown)?;
        let rows = place.row..place.row + 1;
        let mut game =
            RecordReader::new(&games, rows, read_games).next().unwrap_or_else(|| Err(unknown()))?;

        let plies = self.open_table(Table::Plies, shard)?;
        let rows = place.first_ply..place.first_ply + u64::from(game.plies);
        game.moves = read_plies(&mut RecordReader::new(&plies, rows, read_ply_rows), &game)?;
        Ok(game)
    }

    /// Opens the file of `table` in the shard at index `shard`. The first opening compares the
    /// file's checksum.
    pub(crate) fn open_table(&self, table: Table, shard: usize) -> Result<TableFile> {
        let Files { dir, manifest, checked } = &*self.files;
        let entry = &manifest.shards[shard];
        let file = TableFile::open(dir.join(entry.file(table)), table, manifest)?;
        let checked = &checked[shard][table as usize];
        // Two threads may both find the file unchecked; each of them then checks it before reading.
        if !checked.load(Ordering::Relaxed) {
            file.check_contents(entry)?;
            checked.store(true, Ordering::Relaxed);
        }
        // Last: a file that a writer has replaced since has other contents, and perhaps more rows.
        file.of_rows(entry.rows(table))?.of_games([entry.first_game_id, entry.last_game_id])
    }
}

/// A sum that cannot overflow: `dataset.json` may hold any numbers.
fn saturating_sum(numbers: impl Iterator<Item = u64>) -> u64 {
    numbers.fold(0, u64::saturating_add)
}

/// The location of a game in its shard.
struct GameLocation {
    /// Its row of the `games` table.
    row: u64,
    /// The first of its rows of the `plies` table, which holds the plies of consecutive games.
    first_ply: u64,
}

fn find(games: &TableFile, game_id: u64) -> Result<Option<GameLocation>> {
    let mut place = GameLocation { row: 0, first_ply: 0 };
    let rows = 0..games.rows();
    for game in RecordReader::of_columns(games, rows, &["game_id", "plies"], read_games) {
        let game = game?;
        if game.game_id == game_id {
            return Ok(Some(place));
        }
        place.row += 1;
        place.first_ply += u64::from(game.plies);
    }
    Ok(None)
}
