//! Files that commands write where people ask for them.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use tempfile::Builder;

use crate::error::{Error, Result};
use crate::format::{MANIFEST_FILE, is_beside_tables, is_folder_of_dataset};
use crate::write::atomic_file::sync_folder;

/// How long to wait for the reader of a pipe before looking whether to stop.
const PATIENCE: Duration = Duration::from_millis(20);

/// How many links a path may go through, as in Linux.
const MAX_LINKS: usize = 40;

/// Writes a file at once: it holds `contents`, or what it held before.
///
/// A regular file is replaced by a rename in its own folder and keeps its permissions. A symbolic
/// link stays, and what it points to is written. A device or a pipe is written to.
///
/// # Errors
/// [`Error::OutputInDataset`] for a file of a dataset, [`Error::Stopped`] when `stop` becomes true
/// while nobody reads a pipe, [`Error::Io`] when the file cannot be written.
pub fn write_output(path: &Path, contents: &[u8], stop: &AtomicBool) -> Result<()> {
    let fail = Error::io("write", path);
    let target = behind_links(path).map_err(&fail)?;
    match fs::metadata(&target) {
        Ok(found) if found.is_dir() => Err(fail(ErrorKind::IsADirectory.into())),
        Ok(found) if !found.is_file() => write_through(&target, contents, stop),
        found => {
            refuse_dataset(path, &target)?;
            let found = match found {
                Err(cause) if cause.kind() != ErrorKind::NotFound => return Err(fail(cause)),
                found => found.ok(),
            };
            replace(&target, contents, found).map_err(fail)
        }
    }
}

/// Refuses a path that is a file of a dataset, whether it exists or not.
///
/// # Errors
/// [`Error::OutputInDataset`].
pub fn check_output(path: &Path) -> Result<()> {
    let target = behind_links(path).unwrap_or_else(|_| path.to_owned());
    refuse_dataset(path, &target)
}

/// Whether two paths name one file, whether it exists or not.
#[must_use]
pub fn is_same_output(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| {
        let target = behind_links(path).unwrap_or_else(|_| path.to_owned());
        let folder = fs::canonicalize(folder_of(&target)).ok();
        folder.zip(target.file_name().map(ToOwned::to_owned))
    };
    one == other || place(one).is_some_and(|one| place(other) == Some(one))
}

fn refuse_dataset(path: &Path, target: &Path) -> Result<()> {
    match dataset_of(target) {
        Some(dir) => Err(Error::OutputInDataset { path: path.into(), dir }),
        None => Ok(()),
    }
}

/// The folder of the dataset whose file this is.
fn dataset_of(path: &Path) -> Option<PathBuf> {
    let folder = fs::canonicalize(folder_of(path)).ok()?;
    let name = path.file_name()?;
    let is_dataset = |dir: &&Path| dir.join(MANIFEST_FILE).exists();
    let beside = Some(&*folder).filter(|_| is_beside_tables(name) || is_folder_of_dataset(name));
    let within = folder.parent().filter(|_| folder.file_name().is_some_and(is_folder_of_dataset));
    beside.into_iter().chain(within).find(is_dataset).map(Path::to_owned)
}

/// The path after all symbolic links of its last component. The file may not exist.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            // Descriptors of pipes, such as `/dev/fd/63`, are links to names that are no paths.
            Ok(to)
                if fs::symlink_metadata(folder_of(&path).join(&to)).is_err() && path.exists() =>
            {
                return Ok(path);
            }
            Ok(to) => path = folder_of(&path).join(to),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("expected a file, found links that lead in a circle"))
}

/// Makes the entry of a new file durable.
///
/// # Errors
/// If its folder cannot be synced.
pub fn sync_folder_of(path: &Path) -> Result<()> {
    sync_folder(folder_of(path))
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

fn replace(path: &Path, contents: &[u8], before: Option<Metadata>) -> io::Result<()> {
    if path.file_name().is_none() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "expected the name of a file"));
    }
    let mut builder = Builder::new();
    builder.prefix(".darkqi-").suffix(".tmp");
    // What a new file gets, where the umask allows it.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let folder = folder_of(path);
    // An error of the file to be renamed would name that one.
    fs::metadata(folder)?;
    let mut file = builder.tempfile_in(folder)?;
    if let Some(before) = before {
        file.as_file().set_permissions(before.permissions())?;
    }
    file.write_all(contents)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Writes to a device or a pipe, and waits while its reader is slow or missing.
fn write_through(path: &Path, contents: &[u8], stop: &AtomicBool) -> Result<()> {
    let mut file = when_ready(path, stop, || open_through(path))?;
    let mut rest = contents;
    while !rest.is_empty() {
        let written = when_ready(path, stop, || match file.write(rest)? {
            0 => Err(ErrorKind::WriteZero.into()),
            written => Ok(written),
        })?;
        rest = &rest[written..];
    }
    Ok(())
}

/// Tries until the pipe has a reader and room.
fn when_ready<T>(
    path: &Path,
    stop: &AtomicBool,
    mut attempt: impl FnMut() -> io::Result<T>,
) -> Result<T> {
    loop {
        match attempt() {
            Ok(done) => return Ok(done),
            Err(cause) if cause.kind() == ErrorKind::Interrupted => {}
            Err(cause) if cause.kind() == ErrorKind::WouldBlock || is_unread(path, &cause) => {
                if stop.load(Ordering::Relaxed) {
                    return Err(Error::Stopped);
                }
                thread::sleep(PATIENCE);
            }
            Err(cause) => return Err(Error::io("write", path)(cause)),
        }
    }
}

/// Opens without waiting, as a process that waits in the system is deaf to Ctrl-C.
fn open_through(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        rustix::fs::OFlags::NONBLOCK.bits() as i32,
    );
    options.open(path)
}

/// Whether a pipe could not be opened because it has no reader.
#[cfg(unix)]
fn is_unread(path: &Path, cause: &io::Error) -> bool {
    use std::os::unix::fs::FileTypeExt;

    cause.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error())
        && fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_unread(_: &Path, _: &io::Error) -> bool {
    false
}
