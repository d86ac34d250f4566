//! What a file holds.

use std::fs::File;
use std::io::{self, Read};

use bytes::Bytes;
use parquet::errors::Result as ParquetResult;
use parquet::file::reader::{ChunkReader, Length};

/// An open file, or a whole object in memory, for the Parquet reader.
#[derive(Debug)]
pub(crate) enum Contents {
    File(File),
    Object(Bytes),
}

impl Contents {
    /// The same contents for another reader.
    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        Ok(match self {
            Self::File(file) => Self::File(file.try_clone()?),
            Self::Object(bytes) => Self::Object(bytes.clone()),
        })
    }
}

impl Length for Contents {
    fn len(&self) -> u64 {
        match self {
            Self::File(file) => file.len(),
            Self::Object(bytes) => bytes.len() as u64,
        }
    }
}

impl ChunkReader for Contents {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        Ok(match self {
            Self::File(file) => Box::new(file.get_read(start)?),
            Self::Object(bytes) => Box::new(bytes.get_read(start)?),
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        match self {
            Self::File(file) => file.get_bytes(start, length),
            Self::Object(bytes) => bytes.get_bytes(start, length),
        }
    }
}
