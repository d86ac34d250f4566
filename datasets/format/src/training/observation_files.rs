//! Training rows as Parquet files, for readers without darkqi.
//!
//! The log of a game reproduces its rows, so a dataset needs none. These files repeat them: of each
//! shard `observations/00000.parquet`, with a row per ply. They follow from the shard, byte for byte.

use std::io::ErrorKind;
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::{ArrayRef, FixedSizeBinaryArray, RecordBatch, UInt16Array, UInt64Array};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use bytes::Bytes;
use darkqi_env::{Format, Spec};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::metadata::{KeyValue, ParquetMetaDataReader};
use parquet::file::properties::WriterProperties;

use super::config::SamplerConfig;
use super::rows::TrainingBatch;
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
    let mut written = 0;
    for (place, shard) in dataset.shards().iter().enumerate() {
        let path = path(dataset, shard);
        if !files::exists(&path).map_err(Error::io("read", &path))? {
            let bytes = encode(dataset, place, None, stop)?;
            write_atomically(&lock, &observations_file(shard.shard), &bytes)?;
            written += 1;
        }
    }
    Ok(written)
}

/// Whether a dataset has a folder of such files: [`write_observations`] was called for it, perhaps
/// before it had all its shards.
///
/// # Errors
/// [`Error::Io`] when that cannot be found out.
pub fn has_observations(dir: &Path) -> Result<bool> {
    let folder = dir.join(OBSERVATIONS);
    if files::is_remote(dir) { Ok(false) } else { files::is_dir(&folder) }
}

/// A shard whose observations are not those that [`write_observations`] would write.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ObservationFault {
    /// The shard's place in the list.
    pub place: usize,
    /// Its file, as a path from the dataset's folder.
    pub file: String,
    /// The fault of the file; `None` if there is no such file.
    pub fault: Option<String>,
}

/// Looks at the observations of some finished shards, given by their places, if the dataset has any.
/// Each is looked at, whatever is wrong with others.
///
/// # Errors
/// [`Error::Stopped`] when `stop` becomes true, and those of [`Error::is_of_the_system`].
pub fn check_observations(
    dataset: &Dataset,
    places: &[usize],
    stop: &AtomicBool,
) -> Result<Vec<ObservationFault>> {
    let mut faults = Vec::new();
    if !has_observations(dataset.dir())? {
        return Ok(faults);
    }
    for &place in places {
        let shard = &dataset.shards()[place];
        let path = path(dataset, shard);
        let fault = match files::read(&path) {
            Ok(found) => match encode(dataset, place, created_by(&found), stop) {
                Ok(expected) if expected == found => continue,
                Ok(_) => Some("expected the rows of the logged games, found others".to_owned()),
                Err(error) if error.is_of_the_system() => return Err(error),
                Err(error) => Some(format!("cannot be compared with the logged games: {error}")),
            },
            Err(cause) if cause.kind() == ErrorKind::NotFound => None,
            Err(cause) => {
                let fault = format!("cannot be read: {cause}");
                let error = Error::io("read", &path)(cause);
                if error.is_of_the_system() {
                    return Err(error);
                }
                Some(fault)
            }
        };
        faults.push(ObservationFault { place, file: observations_file(shard.shard), fault });
    }
    Ok(faults)
}

/// The program that says that it wrote a Parquet file. Another version of the Parquet library than
/// today's writes the same rows under another name.
fn created_by(file: &[u8]) -> Option<String> {
    let footer =
        ParquetMetaDataReader::new().parse_and_finish(&Bytes::copy_from_slice(file)).ok()?;
    footer.file_metadata().created_by().map(str::to_owned)
}

fn path(dataset: &Dataset, shard: &Shard) -> PathBuf {
    dataset.dir().join(observations_file(shard.shard))
}

/// The file of a shard, given by its place: written by `created_by`, or by today's Parquet library.
fn encode(
    dataset: &Dataset,
    place: usize,
    created_by: Option<String>,
    stop: &AtomicBool,
) -> Result<Vec<u8>> {
    let shards = dataset.shards();
    let config = SamplerConfig {
        format: Format::Tokens,
        shuffle: false,
        // As many as the caller's pool has.
        threads: Some(rayon::current_num_threads()),
        ..SamplerConfig::default()
    };
    let mut sampler = sampler::open(&dataset.with_shards(vec![shards[place].clone()]), &config)?;
    let mut file = ShardFile::new(dataset, &shards[place], created_by)?;
    // Where a page ends depends on the number of rows that are written at once. As ever, the batches are
    // those of the whole dataset.
    let rows_before = shards[..place].iter().fold(0, |rows: u64, shard| {
        // A sum that cannot overflow: `dataset.json` may hold any numbers.
        rows.wrapping_add(shard.plies)
    });
    let first = BATCH_ROWS - (rows_before % BATCH_ROWS as u64) as usize;
    for room in [first].into_iter().chain(iter::repeat(BATCH_ROWS)) {
        let mut batch = TrainingBatch::new(&*sampler, room);
        if batch.fill(&mut *sampler)? == 0 {
            break;
        }
        if stop.load(Ordering::Relaxed) {
            return Err(Error::Stopped);
        }
        file.add(&batch)?;
    }
    file.finish()
}

/// The file of one shard, in memory.
struct ShardFile {
    schema: SchemaRef,
    path: PathBuf,
    writer: ArrowWriter<Vec<u8>>,
}

impl ShardFile {
    fn new(dataset: &Dataset, shard: &Shard, created_by: Option<String>) -> Result<Self> {
        let metadata = dataset.metadata();
        let options = options_from_json(&metadata.options)?;
        let spec = Spec::new(&metadata.game, &options)?;
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
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(settings.level))
            .set_dictionary_enabled(false)
            .set_max_row_group_row_count(Some(settings.group_rows))
            .set_key_value_metadata(Some(vec![
                KeyValue::new("game".to_owned(), metadata.game.clone()),
                KeyValue::new("token_names".to_owned(), names),
            ]));
        if let Some(created_by) = created_by {
            properties = properties.set_created_by(created_by);
        }
        let properties = properties.build();
        let path = path(dataset, shard);
        let writer = ArrowWriter::try_new(Vec::new(), schema.clone(), Some(properties));
        let writer = writer.map_err(Error::write(&path))?;
        Ok(Self { schema, path, writer })
    }

    /// Adds the rows of a batch, at least one.
    fn add(&mut self, batch: &TrainingBatch) -> Result<()> {
        let rows = 0..batch.len();
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
        written.map_err(Error::write(&self.path))
    }

    fn finish(self) -> Result<Vec<u8>> {
        let Self { path, writer, .. } = self;
        writer.into_inner().map_err(Error::write(&path))
    }
}
