//! One Parquet file of a dataset, opened and checked.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Compression;
use parquet::file::metadata::{KeyValue, PageIndexPolicy, ParquetMetaData};

use crate::error::{Error, Result};
use crate::files::{self, Contents};
use crate::format::{
    CellFault, Column, FIRST_GAME_KEY, LAST_GAME_KEY, Manifest, Metadata, Shard, TABLE_KEY, Table,
    checksum_of_contents, lookup,
};

/// Rows decoded at a time. A stream holds this many rows of each table in memory.
const BATCH_ROWS: usize = 4096;

/// An open file of a dataset with the expected metadata and columns.
pub(crate) struct TableFile {
    table: Table,
    path: Arc<Path>,
    file: Contents,
    footer: ArrowReaderMetadata,
}

impl TableFile {
    /// Opens the file of a table at a path, whether the manifest lists it or not.
    pub(crate) fn open(path: PathBuf, table: Table, manifest: &Manifest) -> Result<Self> {
        let file = files::open(&path).map_err(|cause| match cause.kind() {
            io::ErrorKind::NotFound => Error::MissingFile { path: path.clone() },
            _ => Error::io("read", &path)(cause),
        })?;
        // With the offset index, one game can be read without decoding all pages.
        let options = ArrowReaderOptions::new().with_offset_index_policy(PageIndexPolicy::Optional);
        let footer =
            ArrowReaderMetadata::load(&file, options).map_err(|cause| file.fault(&path, cause))?;
        check_metadata(&path, table, &footer, manifest)?;
        check_columns(&path, table.columns(), footer.schema())?;
        check_compression(&path, footer.metadata())?;
        Ok(Self { table, path: path.into(), file, footer })
    }

    /// This file, if it has so many rows.
    pub(crate) fn of_rows(self, expected: u64) -> Result<Self> {
        match self.rows() {
            found if found == expected => Ok(self),
            found => Err(Error::RowCount { path: self.path.to_path_buf(), expected, found }),
        }
    }

    /// This file, if its metadata says that these are its first and its last game.
    pub(crate) fn of_games(self, ids: [u64; 2]) -> Result<Self> {
        let pairs = key_values(&self.footer);
        for (key, id) in [FIRST_GAME_KEY, LAST_GAME_KEY].into_iter().zip(ids) {
            let found = lookup(&self.path, pairs, key)?;
            if found != id.to_string() {
                let (path, found) = (self.path.to_path_buf(), found.into());
                return Err(Error::FileMetadata {
                    path,
                    key,
                    expected: format!("\"{id}\""),
                    found,
                });
            }
        }
        Ok(self)
    }

    /// The file's checksum.
    pub(crate) fn checksum(&self) -> Result<String> {
        checksum_of_contents(&self.file, &self.path)
    }

    /// Compares the file's checksum; see [`checksum_of_contents`] for the reason.
    pub(crate) fn check_contents(&self, shard: &Shard) -> Result<()> {
        let expected = shard.checksum(self.table);
        let found = self.checksum()?;
        if found == expected {
            return Ok(());
        }
        Err(Error::Checksum { path: self.path.to_path_buf(), expected: expected.into(), found })
    }

    /// The names of the columns that make a record.
    pub(crate) fn record_columns(&self) -> Vec<&'static str> {
        self.table.record_columns()
    }

    /// The number of rows.
    pub(crate) fn rows(&self) -> u64 {
        let rows = self.footer.metadata().file_metadata().num_rows();
        u64::try_from(rows).unwrap_or(0)
    }

    /// Streams the named columns of a range of rows. Only the row groups of the range are opened,
    /// and only its pages are decoded.
    pub(crate) fn batches(&self, rows: Range<u64>, columns: &[&str]) -> Result<Batches> {
        let (groups, before) = self.row_groups(&rows);
        let (file, footer) = (self.file.clone(), self.footer.clone());
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, footer);
        let projection = ProjectionMask::columns(builder.parquet_schema(), columns.iter().copied());
        let batches = builder
            .with_row_groups(groups)
            .with_projection(projection)
            .with_batch_size(BATCH_ROWS)
            .with_offset(size(rows.start - before))
            .with_limit(size(rows.end - rows.start))
            .build()
            .map_err(|cause| self.file.fault(&self.path, cause))?;
        let (path, file) = (self.path.clone(), self.file.clone());
        Ok(Batches { path, file, batches, row: rows.start })
    }

    /// The row groups that overlap `rows`, and the number of rows before the first of them.
    fn row_groups(&self, rows: &Range<u64>) -> (Vec<usize>, u64) {
        let mut groups = Vec::new();
        let mut before = 0;
        let mut start = 0;
        for (index, group) in self.footer.metadata().row_groups().iter().enumerate() {
            let end = start + u64::try_from(group.num_rows()).unwrap_or(0);
            if end <= rows.start {
                before = end;
            } else if start < rows.end {
                groups.push(index);
            }
            start = end;
        }
        (groups, before)
    }
}

/// Other programs may have rewritten the file with a compression that this one does not read.
fn check_compression(path: &Path, footer: &ParquetMetaData) -> Result<()> {
    let columns = footer.row_groups().iter().flat_map(|group| group.columns());
    for found in columns.map(|column| column.compression()) {
        if !matches!(found, Compression::UNCOMPRESSED | Compression::ZSTD(_)) {
            return Err(Error::Compression { path: path.into(), found: found.to_string() });
        }
    }
    Ok(())
}

/// Consecutive batches of rows of one file.
pub(crate) struct Batches {
    path: Arc<Path>,
    file: Contents,
    batches: ParquetRecordBatchReader,
    row: u64,
}

impl Batches {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Iterator for Batches {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Self::Item> {
        let rows = match self.batches.next()? {
            Ok(rows) => rows,
            Err(cause) => return Some(Err(self.file.fault(&self.path, cause.into()))),
        };
        let first_row = self.row;
        self.row += rows.num_rows() as u64;
        Some(Ok(Batch { path: self.path.clone(), first_row, rows }))
    }
}

/// Consecutive rows of a file, with their position in it.
pub(crate) struct Batch {
    path: Arc<Path>,
    first_row: u64,
    pub(crate) rows: RecordBatch,
}

impl Batch {
    /// The error for an unexpected value in `column` at index `index` of the batch.
    pub(crate) fn unexpected(
        &self,
        column: &'static str,
        index: usize,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Error {
        Error::Value {
            path: self.path.to_path_buf(),
            column,
            row: self.first_row + index as u64,
            expected: expected.into(),
            found: found.into(),
        }
    }

    /// The error for a value that its column cannot have.
    pub(crate) fn fault(&self, fault: CellFault) -> Error {
        let CellFault { column, row, expected, found } = fault;
        self.unexpected(column, row, expected, found)
    }
}

fn key_values(footer: &ArrowReaderMetadata) -> &[KeyValue] {
    footer.metadata().file_metadata().key_value_metadata().map_or(&[], Vec::as_slice)
}

fn check_metadata(
    path: &Path,
    table: Table,
    footer: &ArrowReaderMetadata,
    expected: &Manifest,
) -> Result<()> {
    let pairs = key_values(footer);
    let found = Metadata::from_key_values(path, pairs)?;
    let found_table = lookup(path, pairs, TABLE_KEY)?;
    let expected_pairs = expected.metadata.key_values().into_iter();
    let found_pairs = found.key_values().into_iter().map(|(_, value)| value);
    expected_pairs
        .zip(found_pairs)
        .chain([((TABLE_KEY, table.name().into()), found_table.into())])
        .find(|((_, expected), found)| expected != found)
        .map_or(Ok(()), |((key, expected), found)| {
            Err(Error::FileMetadata {
                path: path.into(),
                key,
                expected: format!("{expected:?}"),
                found,
            })
        })
}

/// Checks that all columns of the table exist. Additional columns are allowed.
fn check_columns(path: &Path, columns: Vec<Column>, schema: &Schema) -> Result<()> {
    let describe = |of: &str, nullable| {
        if nullable { format!("{of}, nullable") } else { format!("{of}, never null") }
    };
    for column in columns {
        let found = schema.field_with_name(column.name).ok();
        if found.is_some_and(|field| {
            *field.data_type() == column.data_type && field.is_nullable() == column.nullable
        }) {
            continue;
        }
        return Err(Error::Column {
            path: path.into(),
            column: column.name,
            expected: describe(&column.data_type.to_string(), column.nullable),
            found: found.map_or_else(no_column, |field| {
                describe(&field.data_type().to_string(), field.is_nullable())
            }),
        });
    }
    Ok(())
}

fn no_column() -> String {
    "no such column".into()
}

/// A number of rows in Parquet's type. If it does not fit, memory would not hold the rows either.
fn size(rows: u64) -> usize {
    usize::try_from(rows).unwrap_or(usize::MAX)
}
