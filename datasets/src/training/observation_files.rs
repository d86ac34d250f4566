//! Training rows as Parquet files, for readers without darkqi.
//!
//! The log of a game reproduces its rows, so a dataset needs none. These files repeat them: of each
//! shard `observations/00000.parquet`, with a row per ply. They follow from the shard, byte for byte.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::{ArrayRef, FixedSizeBinaryArray, RecordBatch, UInt16Array, UInt64Array};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use darkqi_env::{Format, Registered, Spec, Visitor, games};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use super::batch::TrainingBatch;
use super::config::SamplerConfig;
use super::sampler;
use crate::error::{Error, Result};
use crate::files;
use crate::format::{OBSERVATIONS, Shard, create_folder, observations_file, options_from_json};
use crate::read::Dataset;
use crate::write::{FolderLock, ParquetSettings, write_atomically};

const BATCH_ROWS: usize = 8192;

/// Writes the observations and masks of all finished shards that have no such file yet. Returns how
/// many files were written.
///
/// The columns are `game_id`, `ply`, `observation` (tokens, a byte each) and `action_mask` (a bit per
/// action, little-endian). The names of the tokens are in the file's metadata, as JSON.
///
/// # Errors
/// [`Error::Stopped`] when `stop` becomes true, [`Error::Locked`] when a writer is at work in the
/// folder, those of reading a dataset, and [`Error::Io`] when a file cannot be written.
pub fn write_observations(dataset: &Dataset, stop: &AtomicBool) -> Result<usize> {
    let lock = FolderLock::acquire(dataset.dir())?;
    create_folder(&dataset.dir().join(OBSERVATIONS))?;
    let is_missing = |shard: &Shard| !path(dataset, shard).exists();
    let mut written = 0;
    encode(dataset, stop, is_missing, |shard, bytes| {
        written += 1;
        write_atomically(&lock, &observations_file(shard.shard), &bytes)
    })?;
    Ok(written)
}

/// The names of observation files that are not what [`write_observations`] would write.
///
/// # Errors
/// As [`write_observations`], or if a file cannot be read.
pub fn check_observations(dataset: &Dataset, stop: &AtomicBool) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    encode(
        dataset,
        stop,
        |shard| path(dataset, shard).exists(),
        |shard, bytes| {
            let path = path(dataset, shard);
            let found =
                files::read(&path).map_err(|cause| Error::Io { action: "read", path, cause })?;
            if found != bytes {
                faults.push(observations_file(shard.shard));
            }
            Ok(())
        },
    )?;
    Ok(faults)
}

fn path(dataset: &Dataset, shard: &Shard) -> PathBuf {
    dataset.dir().join(observations_file(shard.shard))
}

/// Gives the file of each chosen shard to `done`.
fn encode(
    dataset: &Dataset,
    stop: &AtomicBool,
    is_chosen: impl Fn(&Shard) -> bool,
    mut done: impl FnMut(&Shard, Vec<u8>) -> Result<()>,
) -> Result<()> {
    let shards = dataset.shards();
    if !shards.iter().any(&is_chosen) {
        return Ok(());
    }
    let config = SamplerConfig {
        format: Format::Tokens,
        shuffle: false,
        // As many as the caller's pool has.
        threads: Some(rayon::current_num_threads()),
        ..SamplerConfig::default()
    };
    let mut sampler = sampler::open(dataset, &config)?;
    let mut batch = TrainingBatch::new(&*sampler, BATCH_ROWS);
    let mut place = 0;
    let mut file: Option<ShardFile> = None;
    while batch.fill(&mut *sampler)? > 0 {
        if stop.load(Ordering::Relaxed) {
            return Err(Error::Stopped);
        }
        let ids = batch.game_id();
        let mut first = 0;
        while first < batch.len() {
            let shard = &shards[place];
            let rows = ids.iter().skip(first);
            let last = first + rows.take_while(|&&id| id <= shard.last_game_id).count();
            if is_chosen(shard) && last > first {
                let open = match &mut file {
                    Some(open) => open,
                    none => none.insert(ShardFile::new(dataset, shard)?),
                };
                open.add(&batch, first..last)?;
            }
            first = last;
            if first < batch.len() {
                if let Some(file) = file.take() {
                    done(shard, file.finish()?)?;
                }
                place += 1;
            }
        }
    }
    file.map_or(Ok(()), |file| done(&shards[place], file.finish()?))
}

/// What is known of a game.
struct SpecOf;

impl Visitor for SpecOf {
    type Output = Spec;
    fn visit<G: Registered>(self, rules: G) -> Spec {
        Spec::of(&rules)
    }
}

/// The file of one shard, in memory.
struct ShardFile {
    schema: SchemaRef,
    path: PathBuf,
    writer: ArrowWriter<Vec<u8>>,
}

impl ShardFile {
    fn new(dataset: &Dataset, shard: &Shard) -> Result<Self> {
        let metadata = dataset.metadata();
        let options = options_from_json(&metadata.options)?;
        let spec = games::with(&metadata.game, &options, SpecOf)?;
        let names = spec.layout.token_names();
        let bytes = |width: usize| DataType::FixedSizeBinary(width as i32);
        let schema = Arc::new(Schema::new(vec![
            Field::new("game_id", DataType::UInt64, false),
            Field::new("ply", DataType::UInt16, false),
            Field::new("observation", bytes(names.len()), false),
            Field::new("action_mask", bytes(spec.num_actions.div_ceil(8)), false),
        ]));
        let names = serde_json::to_string(&names).expect("names are plain data");
        let settings = ParquetSettings::default();
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(settings.level))
            .set_dictionary_enabled(false)
            .set_max_row_group_row_count(Some(settings.group_rows))
            .set_key_value_metadata(Some(vec![
                KeyValue::new("game".to_owned(), metadata.game.clone()),
                KeyValue::new("token_names".to_owned(), names),
            ]))
            .build();
        let path = path(dataset, shard);
        let writer = ArrowWriter::try_new(Vec::new(), schema.clone(), Some(properties));
        let writer = writer.map_err(|cause| Error::Write { path: path.clone(), cause })?;
        Ok(Self { schema, path, writer })
    }

    /// Adds some rows of a batch.
    fn add(&mut self, batch: &TrainingBatch, rows: std::ops::Range<usize>) -> Result<()> {
        let tokens = batch.tokens().expect("the sampler gives tokens");
        let mask = batch.action_mask();
        let (mut observation, mut bits) = (Vec::new(), Vec::new());
        for row in rows.clone() {
            observation.extend(tokens.row(row));
            let mask = mask.row(row);
            let legal: Vec<u8> = mask.iter().copied().collect();
            bits.extend(legal.chunks(8).map(|eight| {
                eight.iter().enumerate().fold(0, |byte, (bit, legal)| byte | legal << bit)
            }));
        }
        let binary = |bytes: &[u8]| {
            FixedSizeBinaryArray::try_from_iter(bytes.chunks_exact(bytes.len() / rows.len()))
        };
        let columns = || -> std::result::Result<Vec<ArrayRef>, ArrowError> {
            let ids = rows.clone().map(|row| batch.game_id()[row]);
            let plies = rows.clone().map(|row| batch.ply()[row]);
            Ok(vec![
                Arc::new(UInt64Array::from_iter_values(ids)),
                Arc::new(UInt16Array::from_iter_values(plies)),
                Arc::new(binary(&observation)?),
                Arc::new(binary(&bits)?),
            ])
        };
        let written = columns()
            .and_then(|columns| RecordBatch::try_new(self.schema.clone(), columns))
            .map_err(Into::into)
            .and_then(|batch| self.writer.write(&batch));
        written.map_err(|cause| Error::Write { path: self.path.clone(), cause })
    }

    fn finish(self) -> Result<Vec<u8>> {
        let Self { path, writer, .. } = self;
        writer.into_inner().map_err(|cause| Error::Write { path, cause })
    }
}
