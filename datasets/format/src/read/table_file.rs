//! One Parquet file of a dataset, opened and checked.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::{KeyValue, PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader};

use crate::error::{Error, Result};
use crate::files::{self, Contents};
use crate::format::{
    Column, FIRST_GAME_KEY, LAST_GAME_KEY, Manifest, Metadata, OpenColumn, RowFault, Shard,
    TABLE_KEY, Table, checksum_of_contents, describe, lookup,
};

/// Rows decoded at a time. A stream holds this many rows of each table in memory.
const BATCH_ROWS: u64 = 4096;

/// An open file of a dataset with the expected metadata and columns.
#[derive(Clone)]
pub(crate) struct TableFile {
    table: Table,
    path: Arc<Path>,
    file: Arc<Contents>,
    footer: Arc<ParquetMetaData>,
}

impl TableFile {
    /// Opens the file of a table at a path, whether the manifest lists it or not.
    pub(crate) fn open(path: PathBuf, table: Table, manifest: &Manifest) -> Result<Self> {
        let file = files::open(&path).map_err(|cause| match cause.kind() {
            io::ErrorKind::NotFound => Error::MissingFile { path: path.clone() },
            _ => Error::io("read", &path)(cause),
        })?;
        // With the offset index, one game can be read without decoding all pages.
        let footer = ParquetMetaDataReader::new()
            .with_offset_index_policy(PageIndexPolicy::Optional)
            .parse_and_finish(&file)
            .map_err(|cause| file.fault(&path, cause))?;
        check_metadata(&path, table, &footer, manifest)?;
        check_columns(&path, &table.columns(), &footer)?;
        check_compression(&path, &footer)?;
        let rows = |count: i64| u64::try_from(count).unwrap_or(0);
        let expected = footer
            .row_groups()
            .iter()
            .fold(0, |sum: u64, group| sum.saturating_add(rows(group.num_rows())));
        let found = rows(footer.file_metadata().num_rows());
        if found != expected {
            return Err(Error::RowCount { path, expected, found });
        }
        Ok(Self { table, path: path.into(), file: file.into(), footer: footer.into() })
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
        let rows = self.footer.file_metadata().num_rows();
        u64::try_from(rows).unwrap_or(0)
    }

    /// Streams the named columns of a range of rows. Only the row groups of the range are opened,
    /// and only its pages are decoded.
    pub(crate) fn batches(&self, rows: Range<u64>, columns: &[&str]) -> Batches {
        let column = |name: &&str| {
            let column = self.table.columns().into_iter().find(|column| column.name == *name);
            let column = column.expect("a column of the table");
            let leaves = self.leaves(&column);
            (column, leaves)
        };
        let columns = columns.iter().map(column).collect();
        Batches { file: self.clone(), columns, rows, open: Vec::new(), group_end: 0 }
    }

    /// The places of a column's leaves in the schema.
    fn leaves(&self, column: &Column) -> Vec<usize> {
        let schema = self.footer.file_metadata().schema_descr();
        let fields = schema.root_schema().get_fields();
        let place = fields.iter().position(|field| field.name() == column.name);
        let is_leaf = |&leaf: &usize| Some(schema.get_column_root_idx(leaf)) == place;
        (0..schema.num_columns()).filter(is_leaf).collect()
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
    file: TableFile,
    /// Each with its leaves.
    columns: Vec<(Column, Vec<usize>)>,
    /// The rows that are left.
    rows: Range<u64>,
    /// The columns in the row group of the next row.
    open: Vec<OpenColumn>,
    /// The row after the open row group.
    group_end: u64,
}

impl Batches {
    pub(crate) fn path(&self) -> &Path {
        &self.file.path
    }

    /// Reads the next rows, `None` if none are left.
    pub(crate) fn next<T>(
        &mut self,
        read: impl FnOnce(&mut [OpenColumn], usize) -> std::result::Result<T, RowFault>,
    ) -> Result<Option<T>> {
        if self.rows.is_empty() {
            return Ok(None);
        }
        let first_row = self.rows.start;
        if first_row >= self.group_end {
            let opened = self.open();
            if !opened.map_err(|cause| self.file.file.fault(self.path(), cause))? {
                return Ok(None);
            }
        }
        let end = self.rows.end.min(self.group_end).min(first_row.saturating_add(BATCH_ROWS));
        self.rows.start = end;
        let read =
            read(&mut self.open, (end - first_row) as usize).map_err(|fault| match fault {
                RowFault::Value { column, row, expected, found } => {
                    let (path, row) = (self.path().into(), first_row + row as u64);
                    Error::Value { path, column, row, expected, found }
                }
                RowFault::File(cause) => self.file.file.fault(self.path(), cause),
            })?;
        Ok(Some(read))
    }

    /// Opens the row group of the next row, if the file has that row.
    fn open(&mut self) -> ParquetResult<bool> {
        let TableFile { file, footer, .. } = &self.file;
        let mut start: u64 = 0;
        for (group, chunks) in footer.row_groups().iter().enumerate() {
            let end = start.saturating_add(u64::try_from(chunks.num_rows()).unwrap_or(0));
            if self.rows.start < end {
                let skip = usize::try_from(self.rows.start - start)?;
                let open = |(column, leaves): &(Column, Vec<usize>)| {
                    let place = (file, &**footer, group);
                    OpenColumn::open(column.name, column.is_nullable(), leaves, place, skip)
                };
                self.open = self.columns.iter().map(open).collect::<ParquetResult<_>>()?;
                self.group_end = end;
                return Ok(true);
            }
            start = end;
        }
        Ok(false)
    }
}

fn key_values(footer: &ParquetMetaData) -> &[KeyValue] {
    footer.file_metadata().key_value_metadata().map_or(&[], Vec::as_slice)
}

fn check_metadata(
    path: &Path,
    table: Table,
    footer: &ParquetMetaData,
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
fn check_columns(path: &Path, columns: &[Column], footer: &ParquetMetaData) -> Result<()> {
    let fields = footer.file_metadata().schema_descr().root_schema().get_fields();
    for column in columns {
        let expected = describe(&column.field);
        let found = fields.iter().find(|field| field.name() == column.name);
        let found = found.map_or_else(|| "no such column".to_owned(), |field| describe(field));
        if found != expected {
            return Err(Error::Column { path: path.into(), column: column.name, expected, found });
        }
    }
    Ok(())
}
