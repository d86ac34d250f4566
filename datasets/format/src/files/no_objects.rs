//! The answer of object storage in a program that was built without it.

use std::io;
use std::path::Path;

use bytes::Bytes;

fn missing<T>() -> io::Result<T> {
    Err(io::Error::new(
        io::ErrorKind::Unsupported,
        "this program was built without object storage; expected the feature `object-store`",
    ))
}

pub(super) fn read(_: &Path) -> io::Result<Bytes> {
    missing()
}

pub(super) fn size(_: &Path) -> io::Result<u64> {
    missing()
}

pub(super) fn names(_: &Path) -> io::Result<Vec<String>> {
    missing()
}

pub(super) fn remove(_: &Path) -> io::Result<()> {
    missing()
}

pub(super) fn create(_: &Path, _: &[u8]) -> io::Result<()> {
    missing()
}

pub(super) fn replace(_: &Path, _: &[u8]) -> io::Result<()> {
    missing()
}
