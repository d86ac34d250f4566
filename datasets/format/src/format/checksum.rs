//! Checksums of files.
//!
//! Parquet pages have no checksums here, and Parquet's decoders may panic, hang or return wrong
//! values when a byte of a page has changed. No page is therefore decoded before the checksum of
//! its file has been verified.

use std::hash::Hasher;
use std::io::ErrorKind;
use std::path::Path;

use twox_hash::XxHash64;

use crate::error::{Error, Result};
use crate::files::{self, Contents};

/// The XXH64 of a file with seed 0, in 16 hexadecimal digits.
pub(crate) fn of_file(path: &Path) -> Result<String> {
    of_contents(&files::open(path).map_err(Error::io("read", path))?, path)
}

/// The XXH64 of an open file as [`of_file`] gives it.
pub(crate) fn of_contents(contents: &Contents, path: &Path) -> Result<String> {
    let mut reader = contents.reader();
    let mut hash = XxHash64::with_seed(0);
    let mut buffer = vec![0; 1 << 16];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok(format!("{:016x}", hash.finish())),
            Ok(len) => hash.write(&buffer[..len]),
            Err(cause) if cause.kind() == ErrorKind::Interrupted => {}
            Err(cause) => return Err(Error::io("read", path)(cause)),
        }
    }
}

/// The XXH64 of bytes with seed 0, in 16 hexadecimal digits.
pub fn of_bytes(contents: &[u8]) -> String {
    format!("{:016x}", XxHash64::oneshot(0, contents))
}
