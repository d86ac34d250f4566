//! One writer a folder at a time.

use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process;

use crate::error::{Error, Result};

/// The file that a writer has locked while it works. The leading dot keeps it out of patterns.
pub(crate) const LOCK_FILE: &str = ".dataset.lock";

/// The right to write to a folder, which the operating system takes back when the process ends, however it ends. A lock
/// file without a process is therefore no obstacle.
#[derive(Debug)]
pub(crate) struct FolderLock {
    file: File,
    path: PathBuf,
}

impl FolderLock {
    /// Locks a folder.
    ///
    /// # Errors
    ///
    /// [`Error::Locked`] when another writer has it, [`Error::Io`] when the lock's file cannot be made.
    pub(crate) fn acquire(dir: &Path) -> Result<Self> {
        let path = dir.join(LOCK_FILE);
        let fail = |action| {
            let path = path.clone();
            move |cause| Error::Io { action, path, cause }
        };
        let file = loop {
            let file = File::options()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path)
                .map_err(fail("create"))?;
            match file.try_lock() {
                Ok(()) if is_at(&file, &path) => break file,
                // Its holder was about to remove it: the lock is on a file that nobody else can find.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(Error::Locked { dir: dir.into(), holder: holder(&path) });
                }
                Err(TryLockError::Error(cause)) => return Err(fail("lock")(cause)),
            }
        };
        let mut lock = Self { file, path };
        // It serves messages only; a disk that is too full for it will be noticed elsewhere.
        let _ = lock.file.set_len(0).and_then(|()| lock.file.write_all(this_process().as_bytes()));
        Ok(lock)
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // Elsewhere than on Unix nothing tells whether a file found is still the one at its path, so it stays.
        #[cfg(unix)]
        let _ = fs::remove_file(&self.path);
        // Closing the file is not enough: a process that is being started at this moment holds a copy for a while.
        let _ = self.file.unlock();
    }
}

/// Whether `path` leads to this open file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    let (Ok(open), Ok(found)) = (file.metadata(), fs::metadata(path)) else { return false };
    (open.dev(), open.ino()) == (found.dev(), found.ino())
}

/// Whether `path` leads to this open file: nobody removes it.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

fn this_process() -> String {
    let id = process::id();
    // Only Linux tells it in a file. Folders are shared between machines.
    match fs::read_to_string("/proc/sys/kernel/hostname") {
        Ok(host) => format!("process {id} on {}", host.trim()),
        Err(_) => format!("process {id}"),
    }
}

/// Who has the lock, in words.
fn holder(path: &Path) -> String {
    match fs::read_to_string(path) {
        Ok(holder) if !holder.is_empty() => holder,
        _ => "another process".into(),
    }
}
