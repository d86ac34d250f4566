//! Where the files of datasets are: in folders, or in object storage.
//!
//! A path that is a URL, such as `s3://bucket/runs/7`, is an address in object storage. It stays a
//! [`Path`], so that it is joined with the names of files and shown in messages as any other.
//! Storage has no folders, locks and renames: an object is there whole or not at all.

mod contents;
mod location;
#[cfg(feature = "object-store")]
mod objects;
#[cfg(not(feature = "object-store"))]
#[path = "no_objects.rs"]
mod objects;
mod own_file;
#[cfg(any(test, feature = "object-store"))]
mod waiting;

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use crate::error::{Error, Result};

pub(crate) use contents::Contents;
pub use location::{is_remote, location};
pub use own_file::OwnFile;

/// Opens a file. One in object storage is read as a whole.
pub(crate) fn open(path: &Path) -> io::Result<Contents> {
    if is_remote(path) {
        objects::read(path).map(Contents::Object)
    } else {
        Contents::of_file(open_local(path)?)
    }
}

/// Opens a file of this machine. Others than regular files are refused: a pipe can block for ever, and
/// a device may have no end.
pub(crate) fn open_local(path: &Path) -> io::Result<File> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "expected a regular file"));
    }
    File::open(path)
}

/// Reads a regular file, or an object by its URL.
///
/// # Errors
/// If it cannot be read, or is a folder, a pipe or a device.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    if is_remote(path) {
        objects::read(path).map(Into::into)
    } else {
        let mut contents = Vec::new();
        open_local(path)?.read_to_end(&mut contents)?;
        Ok(contents)
    }
}

/// Whether there is such a file.
pub(crate) fn exists(path: &Path) -> io::Result<bool> {
    if is_remote(path) {
        match objects::size(path) {
            Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(false),
            size => size.map(|_| true),
        }
    } else {
        path.try_exists()
    }
}

/// Whether there is such a file of this machine, and it is a regular one.
pub(crate) fn is_file(path: &Path) -> Result<bool> {
    found(path).map(|found| found.is_some_and(|found| found.is_file()))
}

/// Whether there is such a folder of this machine.
pub(crate) fn is_dir(path: &Path) -> Result<bool> {
    found(path).map(|found| found.is_some_and(|found| found.is_dir()))
}

/// The metadata of a path, if anything is there. That it cannot be looked at does not mean that nothing
/// is.
fn found(path: &Path) -> Result<Option<Metadata>> {
    match fs::metadata(path) {
        Err(cause) if matches!(cause.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(None)
        }
        found => found.map(Some).map_err(Error::io("read", path)),
    }
}

/// The bytes of a file.
pub(crate) fn size(path: &Path) -> io::Result<u64> {
    if is_remote(path) { objects::size(path) } else { fs::metadata(path).map(|data| data.len()) }
}

/// The names in a folder that are valid UTF-8, in any order. Object storage has no empty folders: a
/// folder that is not there has no names.
pub(crate) fn names(dir: &Path) -> io::Result<Vec<String>> {
    if is_remote(dir) {
        return objects::names(dir);
    }
    let mut names = Vec::new();
    for entry in fs::read_dir(dir)? {
        names.extend(entry?.file_name().into_string());
    }
    Ok(names)
}

/// Removes a file. It may be gone already in object storage, which does not tell.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    if is_remote(path) { objects::remove(path) } else { fs::remove_file(path) }
}

/// Writes an object, unless there is one. Returns whether the object has these contents now.
pub(crate) fn create_object(path: &Path, contents: &[u8]) -> io::Result<bool> {
    let created = objects::create(path, contents);
    match created.as_ref().map_err(io::Error::kind) {
        Err(ErrorKind::AlreadyExists) => Ok(objects::read(path)? == contents),
        // Not all storage can write on that condition. Between the two requests another process may
        // write the same object, with the same contents.
        Err(ErrorKind::Unsupported) => match objects::read(path) {
            Err(cause) if cause.kind() == ErrorKind::NotFound => {
                objects::replace(path, contents).map(|()| true)
            }
            found => Ok(found? == contents),
        },
        _ => created.map(|()| true),
    }
}

/// Writes an object, in place of one that is there.
pub(crate) fn replace_object(path: &Path, contents: &[u8]) -> io::Result<()> {
    objects::replace(path, contents)
}
