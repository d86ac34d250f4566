//! Training rows as Parquet files, for readers without darkqi.
//!
//! The log of a game reproduces its rows, so a dataset needs none. These files repeat them: of each
//! shard `observations/00000.parquet`, with a row per ply. They follow from the shard, byte for byte.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use darkqi_env::Format;
use parquet::basic::{Compression, Repetition};
use parquet::data_type::{
    ByteArray, DataType, FixedLenByteArray, FixedLenByteArrayType, Int32Type, Int64Type,
};
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::{KeyValue, ParquetMetaDataReader};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};

use super::config::SamplerConfig;
use super::rows::TrainingBatch;
use super::sampler::Sampler;
use crate::error::{Error, Result};
use crate::files;
use crate::format::{
    Cell as _, Leaf as _, OBSERVATIONS, Shard, create_folder, observations_file, schema,
};
use crate::read::Dataset;
use crate::write::{FolderLock, ParquetSettings, write_atomically};

/// The columns, in their order.
const COLUMNS: [&str; 4] = ["game_id", "ply", "observation", "action_mask"];

/// Rows of a row group, all of which are in memory.
const GROUP_ROWS: usize = 8192;

/// Writes the observations and masks of all finished shards that have no such file yet, or another.
/// Returns how many files were written.
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
        let bytes = encode(dataset, place, None, stop)?;
        // What cannot be read is not what belongs there.
        if files::read(&path(dataset, shard)).map_or(true, |found| found != bytes) {
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
            Ok(found) => match fault_of(&found, dataset, place, stop)? {
                None => continue,
                fault => fault,
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

/// The fault of what a file holds, if it is not what [`encode`] gives for the shard at this place.
fn fault_of(
    found: &[u8],
    dataset: &Dataset,
    place: usize,
    stop: &AtomicBool,
) -> Result<Option<String>> {
    let footer = ParquetMetaDataReader::new().parse_and_finish(&Bytes::copy_from_slice(found));
    let Ok(footer) = footer else {
        return Ok(Some("expected a whole Parquet file, found none".to_owned()));
    };
    // Another version of the Parquet library than today's writes the same rows under another name.
    let created_by = footer.file_metadata().created_by().map(str::to_owned);
    match encode(dataset, place, created_by, stop) {
        Ok(expected) if expected == found => Ok(None),
        Ok(_) => Ok(Some("expected the rows of the logged games, found others".to_owned())),
        Err(error) if error.is_of_the_system() => Err(error),
        Err(error) => Ok(Some(format!("cannot be compared with the logged games: {error}"))),
    }
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
    let mut sampler = Sampler::open(&dataset.with_shards(vec![shards[place].clone()]), &config)?;
    let mut file = ShardFile::new(dataset, &shards[place], created_by)?;
    loop {
        let mut batch = TrainingBatch::new(&sampler, GROUP_ROWS);
        if batch.fill(&mut sampler)? == 0 {
            return file.finish();
        }
        if stop.load(Ordering::Relaxed) {
            return Err(Error::Stopped);
        }
        file.add(&batch)?;
    }
}

/// The file of one shard, in memory.
struct ShardFile {
    path: PathBuf,
    writer: SerializedFileWriter<Vec<u8>>,
}

impl ShardFile {
    fn new(dataset: &Dataset, shard: &Shard, created_by: Option<String>) -> Result<Self> {
        let metadata = dataset.metadata();
        let spec = metadata.spec()?;
        let names = spec.layout.token_names();
        let bits = spec.num_actions.div_ceil(8);
        let [game_id, ply, observation, action_mask] = COLUMNS;
        let schema = schema(vec![
            u64::field(game_id, Repetition::REQUIRED).into(),
            u16::field(ply, Repetition::REQUIRED).into(),
            bytes_field(observation, names.len()),
            bytes_field(action_mask, bits),
        ]);
        let names = serde_json::to_string(&names).expect("names are plain data");
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ParquetSettings::default().level))
            .set_dictionary_enabled(false)
            .set_key_value_metadata(Some(vec![
                KeyValue::new("game".to_owned(), metadata.game.clone()),
                KeyValue::new("token_names".to_owned(), names),
            ]));
        if let Some(created_by) = created_by {
            properties = properties.set_created_by(created_by);
        }
        let path = path(dataset, shard);
        let writer = SerializedFileWriter::new(Vec::new(), schema, properties.build().into());
        let writer = writer.map_err(Error::write(&path))?;
        Ok(Self { path, writer })
    }

    /// Adds the rows of a batch, at least one, as a row group.
    fn add(&mut self, batch: &TrainingBatch) -> Result<()> {
        let rows = 0..batch.len();
        let (mut observation, mut bits) = (Vec::new(), Vec::new());
        for row in rows.clone() {
            observation.extend(batch.observation(row));
            bits.extend(batch.action_mask(row).chunks(8).map(|eight| {
                eight.iter().enumerate().fold(0, |byte, (bit, legal)| byte | legal << bit)
            }));
        }
        let rows_of = |bytes: Vec<u8>| -> Vec<FixedLenByteArray> {
            let (width, bytes) = (bytes.len() / rows.len(), Bytes::from(bytes));
            let row = |row| ByteArray::from(bytes.slice(row * width..(row + 1) * width)).into();
            rows.clone().map(row).collect()
        };
        let written = (|| {
            let mut group = self.writer.next_row_group()?;
            let ids = rows.clone().map(|row| batch.game_id()[row]);
            write_column::<Int64Type>(&mut group, &u64::store(ids))?;
            let plies = rows.clone().map(|row| batch.ply()[row]);
            write_column::<Int32Type>(&mut group, &u16::store(plies))?;
            write_column::<FixedLenByteArrayType>(&mut group, &rows_of(observation))?;
            write_column::<FixedLenByteArrayType>(&mut group, &rows_of(bits))?;
            group.close().map(drop)
        })();
        written.map_err(Error::write(&self.path))
    }

    fn finish(self) -> Result<Vec<u8>> {
        let Self { path, writer } = self;
        writer.into_inner().map_err(Error::write(&path))
    }
}

/// A field of so many bytes.
fn bytes_field(name: &str, width: usize) -> TypePtr {
    let field = Type::primitive_type_builder(name, FixedLenByteArrayType::get_physical_type())
        .with_repetition(Repetition::REQUIRED)
        .with_length(width as i32);
    field.build().expect("rows have few bytes").into()
}

/// Writes the next column of a row group.
fn write_column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    values: &[T::T],
) -> ParquetResult<()> {
    let mut column = group.next_column()?.expect("the schema has as many columns");
    column.typed::<T>().write_batch(values, None, None)?;
    column.close()
}
