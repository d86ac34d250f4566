//! Columns of an open row group, which are read from their first wanted row on.

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::{BoolType, ByteArrayType, DataType, FloatType, Int32Type, Int64Type};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::ChunkReader;
use parquet::file::serialized_reader::SerializedPageReader;

/// Why rows cannot be read.
#[derive(Debug)]
pub(crate) enum RowFault {
    /// The file is not what it should be, or the system cannot read it.
    File(ParquetError),
    /// A value that a column cannot have.
    Value {
        column: &'static str,
        /// The row among those that are read at once.
        row: usize,
        expected: String,
        found: String,
    },
}

impl From<ParquetError> for RowFault {
    fn from(cause: ParquetError) -> Self {
        Self::File(cause)
    }
}

/// A physical type of Parquet.
pub(crate) trait Physical: DataType {
    /// The reader, if it reads values of this type.
    fn of(reader: &mut ColumnReader) -> Option<&mut ColumnReaderImpl<Self>>
    where
        Self: Sized;
}

macro_rules! physical {
    ($($parquet:ident: $reader:ident),*) => {
        $(impl Physical for $parquet {
            fn of(reader: &mut ColumnReader) -> Option<&mut ColumnReaderImpl<Self>> {
                if let ColumnReader::$reader(typed) = reader { Some(typed) } else { None }
            }
        })*
    };
}

physical! {
    BoolType: BoolColumnReader,
    Int32Type: Int32ColumnReader,
    Int64Type: Int64ColumnReader,
    FloatType: FloatColumnReader,
    ByteArrayType: ByteArrayColumnReader
}

/// What the library reads of a column. It panics at pages that no writer makes, such as one of places in a
/// dictionary that the file lacks, or one of negative length. After that, the column is not read on.
fn caught<T>(column: &str, read: impl FnOnce() -> ParquetResult<T>) -> ParquetResult<T> {
    let fault = |_| ParquetError::General(format!("column {column}: a damaged page"));
    catch_unwind(AssertUnwindSafe(read)).map_err(fault)?
}

/// A column of an open row group.
pub(crate) struct OpenColumn {
    pub(super) name: &'static str,
    pub(super) nullable: bool,
    leaves: Vec<OpenLeaf>,
}

/// A leaf of the schema of Parquet: its values are one sequence.
struct OpenLeaf {
    reader: ColumnReader,
    /// Rows to skip before the next that is wanted.
    skip: usize,
}

/// Values of a leaf with their levels: of definition, if they can be null or are in lists, and of
/// repetition, if they are in lists.
pub(super) struct Values<T> {
    pub(super) values: Vec<T>,
    pub(super) definition: Vec<i16>,
    pub(super) repetition: Vec<i16>,
}

impl OpenColumn {
    /// Opens the leaves, given by their places in the schema, of a column in a row group. Rows before
    /// `skip` are not read.
    ///
    /// # Errors
    /// If the file is not what its footer says.
    pub(crate) fn open<F: ChunkReader + 'static>(
        name: &'static str,
        nullable: bool,
        leaves: &[usize],
        (file, footer, group): (&Arc<F>, &ParquetMetaData, usize),
        skip: usize,
    ) -> ParquetResult<Self> {
        let (chunks, index) = (footer.row_group(group), footer.page_index_for_row_group(group));
        let rows = usize::try_from(chunks.num_rows())?;
        let open = |&leaf: &usize| {
            let chunk = chunks.column(leaf);
            // With them, pages of skipped rows are not even fetched.
            let pages = index.page_locations(leaf).cloned();
            let pages =
                caught(name, || SerializedPageReader::new(file.clone(), chunk, rows, pages))?;
            let reader = get_column_reader(chunk.column_descr_ptr(), Box::new(pages));
            Ok(OpenLeaf { reader, skip })
        };
        let leaves = leaves.iter().map(open).collect::<ParquetResult<_>>()?;
        Ok(Self { name, nullable, leaves })
    }

    /// Reads the next rows of a leaf.
    pub(super) fn read<T: Physical>(
        &mut self,
        leaf: usize,
        rows: usize,
    ) -> ParquetResult<Values<T::T>> {
        let OpenLeaf { reader, skip } = &mut self.leaves[leaf];
        let reader = T::of(reader).expect("opening a file has checked the types of its columns");
        let mut read =
            Values { values: Vec::new(), definition: Vec::new(), repetition: Vec::new() };
        let Values { values, definition, repetition } = &mut read;
        let (found, ..) = caught(self.name, || {
            reader.skip_records(mem::take(skip))?;
            reader.read_records(rows, Some(definition), Some(repetition), values)
        })?;
        if found == rows {
            return Ok(read);
        }
        let fault = format!("column {}: expected {rows} more rows, found {found}", self.name);
        Err(ParquetError::General(fault))
    }

    /// The fault of a value: what was expected, and what was found.
    pub(super) fn fault(&self, row: usize, [expected, found]: [String; 2]) -> RowFault {
        RowFault::Value { column: self.name, row, expected, found }
    }
}
