//! The contents of a file.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{ChunkReader, Length};

use crate::error::Error;

/// An open file, or a whole object in memory, for the Parquet reader. Copies of it share both, without
/// further files that the system would have to open.
#[derive(Clone, Debug)]
pub(crate) enum Contents {
    File(Arc<OpenFile>),
    Object(Bytes),
}

/// A file of this machine, which is read at positions.
#[derive(Debug)]
pub(crate) struct OpenFile {
    file: File,
    length: u64,
    /// The number of the first error of the system. The Parquet reader passes on no more than its text.
    failure: OnceLock<i32>,
}

impl Contents {
    /// # Errors
    /// If the length of the file cannot be found.
    pub(super) fn of_file(file: File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        Ok(Self::File(Arc::new(OpenFile { file, length, failure: OnceLock::new() })))
    }

    /// Reads everything from its beginning.
    pub(crate) fn reader(&self) -> Box<dyn Read> {
        match self {
            Self::File(file) => Box::new(At { file: file.clone(), position: 0 }),
            Self::Object(bytes) => Box::new(io::Cursor::new(bytes.clone())),
        }
    }

    /// The meaning of an error of the Parquet reader: that the system could not read the file, or that the
    /// file is not what it should be.
    pub(crate) fn fault(&self, path: &Path, cause: ParquetError) -> Error {
        match self {
            Self::File(file) if let Some(&code) = file.failure.get() => {
                Error::io("read", path)(io::Error::from_raw_os_error(code))
            }
            _ => Error::Damaged { path: path.into(), cause },
        }
    }
}

impl Length for Contents {
    fn len(&self) -> u64 {
        match self {
            Self::File(file) => file.length,
            Self::Object(bytes) => bytes.len() as u64,
        }
    }
}

impl ChunkReader for Contents {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        Ok(match self {
            Self::File(file) => {
                Box::new(BufReader::new(At { file: file.clone(), position: start }))
            }
            Self::Object(bytes) => Box::new(bytes.get_read(start)?),
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        match self {
            Self::File(file) => {
                let rest = file.length.saturating_sub(start);
                if length as u64 > rest {
                    let fault = format!("expected {length} bytes from {start} on, found {rest}");
                    return Err(ParquetError::EOF(fault));
                }
                let mut bytes = vec![0; length];
                At { file: file.clone(), position: start }.read_exact(&mut bytes)?;
                Ok(bytes.into())
            }
            Self::Object(bytes) => bytes.get_bytes(start, length),
        }
    }
}

/// A file from a position on.
struct At {
    file: Arc<OpenFile>,
    position: u64,
}

impl Read for At {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = read_at(&self.file.file, buffer, self.position);
        match &read {
            Ok(bytes) => self.position += *bytes as u64,
            Err(cause) if cause.kind() == ErrorKind::Interrupted => {}
            Err(cause) => drop(cause.raw_os_error().map(|code| self.file.failure.set(code))),
        }
        read
    }
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], position: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, position)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], position: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, position)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs::File;
    use std::path::Path;

    use parquet::file::metadata::ParquetMetaDataReader;

    use super::Contents;
    use crate::error::Error;

    #[test]
    fn an_error_of_the_system_is_no_damage() {
        // A folder can be opened, and has a length, but reading it is an error of the system.
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("file"), "not Parquet").expect("a file");
        for (path, expected) in
            [(folder.path().to_owned(), false), (folder.path().join("file"), true)]
        {
            let open = || Contents::of_file(File::open(&path)?);
            let contents = open().expect("it can be opened");
            let read = ParquetMetaDataReader::new().parse_and_finish(&contents);
            let fault = contents.fault(Path::new("x"), read.expect_err("it is no table"));
            assert_eq!(matches!(fault, Error::Damaged { .. }), expected, "{fault}");
            assert_eq!(fault.is_of_the_system(), !expected, "{fault}");
        }
    }
}
