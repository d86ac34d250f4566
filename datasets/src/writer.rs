//! Writes a dataset shard by shard.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::schema::types::ColumnPath;

use crate::encode::{self, PlyRow};
use crate::error::{Error, Result};
use crate::manifest::{MANIFEST_FILE, Manifest, Shard};
use crate::metadata::{FIRST_GAME_KEY, LAST_GAME_KEY, Metadata, TABLE_KEY};
use crate::publish::{Complete, Pending};
use crate::record::GameRecord;
use crate::schema::{Storage, Table};

/// Rows in a row group: the unit that others read in parallel, and what the encoder holds in memory.
const GROUP_ROWS: usize = 1 << 17;
/// Rows in a page: the least that is decoded to fetch one game.
const PAGE_ROWS: usize = 4096;
/// Rows converted to Arrow at a time, which bounds the copy that conversion makes.
const BATCH_ROWS: usize = 8192;

/// Writes a dataset shard by shard.
///
/// A shard's files depend on nothing but the metadata and its records: the same records give the same bytes, whoever
/// writes them. The writer keeps no games between calls and can be moved to a thread of its own.
#[derive(Debug)]
pub struct DatasetWriter {
    dir: PathBuf,
    manifest: Manifest,
}

impl DatasetWriter {
    /// Starts a dataset without shards in the folder `dir`, which is created if need be.
    ///
    /// # Errors
    ///
    /// [`Error::AlreadyADataset`] when the folder holds a dataset or a shard's file, [`Error::Io`] when it cannot be
    /// written.
    pub fn create(dir: impl AsRef<Path>, metadata: Metadata) -> Result<Self> {
        let dir = dir.as_ref();
        fs::create_dir_all(dir).map_err(|cause| Error::Io {
            action: "create the folder",
            path: dir.into(),
            cause,
        })?;
        if let Some(found) = dataset_file(dir)? {
            return Err(Error::AlreadyADataset { dir: dir.into(), found });
        }
        let manifest = Manifest::new(metadata);
        manifest.write(dir)?;
        Ok(Self { dir: dir.into(), manifest })
    }

    /// What the games of this dataset have in common.
    #[must_use]
    pub fn metadata(&self) -> &Metadata {
        &self.manifest.metadata
    }

    /// The shards written so far, by number.
    #[must_use]
    pub fn shards(&self) -> &[Shard] {
        &self.manifest.shards
    }

    /// Writes a shard: `games` in the order of their ids. Shards may be written in any order.
    ///
    /// The shard counts as finished once `dataset.json` lists it. After an error it does not, and may be written again.
    ///
    /// # Errors
    ///
    /// Before anything is written: [`Error::EmptyShard`], [`Error::ShardExists`], or [`Error::Record`] when ids do not
    /// ascend, when another shard's range of ids overlaps, or when a game's `plies` is not the number of its `moves`.
    /// Afterwards [`Error::Io`] or [`Error::Write`].
    pub fn write_shard(&mut self, shard: u32, games: &[GameRecord]) -> Result<()> {
        let mut entry = self.entry(shard, games)?;
        let games_file = self.write_table(Table::Games, &entry, |file| {
            let schema = Table::Games.schema();
            games
                .chunks(BATCH_ROWS)
                .try_for_each(|chunk| file.write(&encode::games(&schema, self.metadata(), chunk)?))
        })?;
        let plies_file = self.write_table(Table::Plies, &entry, |file| write_plies(file, games))?;
        entry.games_xxh64 = games_file.checksum()?;
        entry.plies_xxh64 = plies_file.checksum()?;
        // Plies first: who sees the games finds their plies.
        plies_file.publish()?;
        games_file.publish()?;

        let mut manifest = self.manifest.clone();
        let place = manifest.shards.partition_point(|other| other.shard < shard);
        manifest.shards.insert(place, entry);
        manifest.write(&self.dir)?;
        self.manifest = manifest;
        Ok(())
    }

    /// Marks the dataset as complete.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when `dataset.json` cannot be written.
    pub fn finish(mut self) -> Result<()> {
        self.manifest.complete = true;
        self.manifest.write(&self.dir)
    }

    /// Checks the games and describes the shard that they make.
    fn entry(&self, shard: u32, games: &[GameRecord]) -> Result<Shard> {
        let (Some(first), Some(last)) = (games.first(), games.last()) else {
            return Err(Error::EmptyShard { shard });
        };
        if self.shards().iter().any(|other| other.shard == shard) {
            return Err(Error::ShardExists { dir: self.dir.clone(), shard });
        }
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
        for other in self.shards() {
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
            // Known once the files are written.
            games_xxh64: String::new(),
            plies_xxh64: String::new(),
        })
    }

    /// Writes one of a shard's files under its temporary name.
    fn write_table(
        &self,
        table: Table,
        shard: &Shard,
        rows: impl FnOnce(&mut ArrowWriter<&File>) -> ParquetResult<()>,
    ) -> Result<Complete> {
        let pending = Pending::create(&self.dir, shard.file(table))?;
        let options = ArrowWriterOptions::new()
            .with_properties(self.properties(table, shard))
            // Parquet's own types say all that these schemas say.
            .with_skip_arrow_metadata(true);
        ArrowWriter::try_new_with_options(pending.file(), table.schema(), options)
            .and_then(|mut file| {
                rows(&mut file)?;
                file.close().map(drop)
            })
            .map_err(|cause| Error::Write { path: pending.path().into(), cause })?;
        pending.complete()
    }

    fn properties(&self, table: Table, shard: &Shard) -> WriterProperties {
        let pairs = self.metadata().key_values().into_iter().chain([
            (TABLE_KEY, table.name().into()),
            (FIRST_GAME_KEY, shard.first_game_id.to_string()),
            (LAST_GAME_KEY, shard.last_game_id.to_string()),
        ]);
        let pairs = pairs.map(|(key, value)| KeyValue::new(key.into(), value));
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_row_count(Some(GROUP_ROWS))
            .set_data_page_row_count_limit(PAGE_ROWS)
            .set_key_value_metadata(Some(pairs.collect()));
        for column in table.columns() {
            let path = ColumnPath::new(column.parquet_path());
            let dictionary = matches!(column.storage, Storage::Dictionary);
            properties = properties.set_column_dictionary_enabled(path.clone(), dictionary);
            if let Some(encoding) = column.storage.encoding() {
                properties = properties.set_column_encoding(path, encoding);
            }
        }
        properties.build()
    }
}

fn write_plies(file: &mut ArrowWriter<&File>, games: &[GameRecord]) -> ParquetResult<()> {
    let schema = Table::Plies.schema();
    let mut rows = Vec::with_capacity(BATCH_ROWS);
    let mut flush = |rows: &mut Vec<PlyRow<'_>>| {
        let batch: RecordBatch = encode::plies(&schema, rows)?;
        rows.clear();
        file.write(&batch)
    };
    for game in games {
        for (ply, record) in (0..=u16::MAX).zip(&game.moves) {
            rows.push(PlyRow { game_id: game.game_id, ply, record });
            if rows.len() == BATCH_ROWS {
                flush(&mut rows)?;
            }
        }
    }
    flush(&mut rows)
}

/// A file in `dir` that belongs to a dataset, if there is any.
fn dataset_file(dir: &Path) -> Result<Option<String>> {
    let unreadable = |cause| Error::Io { action: "read the folder", path: dir.into(), cause };
    for entry in fs::read_dir(dir).map_err(unreadable)? {
        let name = entry.map_err(unreadable)?.file_name();
        let Some(name) = name.to_str() else { continue };
        let shard = [Table::Games, Table::Plies].iter().any(|table| {
            name.strip_prefix(table.name())
                .is_some_and(|rest| rest.starts_with('-') && rest.ends_with(".parquet"))
        });
        if name == MANIFEST_FILE || shard {
            return Ok(Some(name.into()));
        }
    }
    Ok(None)
}
