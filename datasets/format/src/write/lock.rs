//! The right to write to a folder: the lock that admits one writer, or a share of it.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::files::{self, OwnFile};
use crate::format::{LOCK_FILE, temporary_path, temporary_path_of};

/// The right to write to a folder. The operating system releases the lock of a process that ends,
/// however it ends, so a lock file without a process does not block a new writer. A process that it has
/// forked does not have the lock: there the folder counts as lost.
#[derive(Debug)]
pub(crate) struct FolderLock {
    dir: PathBuf,
    hold: Hold,
}

#[derive(Debug)]
enum Hold {
    /// Others are kept out by a lock on this file.
    Exclusive(OwnFile),
    /// Others may write the same files with the same contents at the same time.
    Shared {
        /// The folder, where the system can open it. Object storage has none.
        folder: Option<File>,
        /// The mark that tells this process's temporary files from theirs.
        writer: String,
    },
}

impl FolderLock {
    /// Locks a folder. Object storage has no locks: it is shared.
    ///
    /// # Errors
    /// [`Error::Locked`] when another writer holds the lock, [`Error::Io`] when the lock file
    /// cannot be created.
    pub(crate) fn acquire(dir: &Path) -> Result<Arc<Self>> {
        if files::is_remote(dir) {
            return Self::share(dir);
        }
        let path = dir.join(LOCK_FILE);
        let fail = |action| Error::io(action, &path);
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false);
        // What a link of that name leads to is not a lock file, and is not written over.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::custom_flags(
            &mut options,
            rustix::fs::OFlags::NOFOLLOW.bits() as i32,
        );
        let file = loop {
            let file = OwnFile::open(|| options.open(&path)).map_err(fail("create"))?;
            match file.try_lock() {
                Ok(()) if is_at(&file, &path) => break file,
                // The previous holder removed the file in between: this lock is on a file without a
                // name.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(Error::Locked { dir: dir.into(), holder: holder(&path) });
                }
                Err(TryLockError::Error(cause)) => return Err(fail("lock")(cause)),
            }
        };
        // The contents are used in messages only. A full disk will be reported elsewhere.
        let _ = file.set_len(0).and_then(|()| (&*file).write_all(this_process().as_bytes()));
        Ok(Arc::new(Self { dir: dir.into(), hold: Hold::Exclusive(file) }))
    }

    /// The right to write to a folder without a lock, beside others.
    ///
    /// # Errors
    /// [`Error::Io`] when the folder cannot be opened.
    pub(crate) fn share(dir: &Path) -> Result<Arc<Self>> {
        // Only Unix can open a folder as a file.
        let open = || File::open(dir);
        let has_folder = cfg!(unix) && !files::is_remote(dir);
        let folder =
            has_folder.then(open).transpose().map_err(Error::io("read the folder", dir))?;
        // The keys of the hasher are random, but a forked process has those of its parent.
        let writer = format!("{:016x}", RandomState::new().hash_one(this_process()));
        Ok(Arc::new(Self { dir: dir.into(), hold: Hold::Shared { folder, writer } }))
    }

    /// The folder's path.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// The path of a file of the folder, or of one below it, while it is written; and how it is opened.
    pub(crate) fn temporary(&self, path: &Path) -> (PathBuf, OpenOptions) {
        let mut options = File::options();
        options.write(true);
        match &self.hold {
            // A leftover of an interrupted writer is overwritten.
            Hold::Exclusive(_) => {
                options.create(true).truncate(true);
                (temporary_path(path), options)
            }
            Hold::Shared { writer, .. } => {
                options.create_new(true);
                (temporary_path_of(path, writer), options)
            }
        }
    }

    /// Makes sure that the folder at the path still is the one that was locked or opened. Another
    /// may have taken its place, with a writer of its own, so this is asked before each change.
    ///
    /// # Errors
    /// [`Error::LostFolder`] if it is not.
    pub(crate) fn check(&self) -> Result<()> {
        if self.is_held() { Ok(()) } else { Err(Error::LostFolder { dir: self.dir.clone() }) }
    }

    /// Whether the folder at the path is the one that was locked or opened.
    pub(crate) fn is_held(&self) -> bool {
        match &self.hold {
            Hold::Exclusive(file) => is_at(file, &self.dir.join(LOCK_FILE)),
            Hold::Shared { folder, .. } => {
                folder.as_ref().is_none_or(|folder| is_at(folder, &self.dir))
            }
        }
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        let Hold::Exclusive(file) = &self.hold else { return };
        // Only Unix can tell whether the file at the path is still this one; elsewhere it stays.
        #[cfg(unix)]
        if self.is_held() {
            let _ = fs::remove_file(self.dir.join(LOCK_FILE));
        }
        // Closing the file is not enough: a child process that is just being started holds a copy.
        let _ = file.unlock();
    }
}

/// Whether a process holds the lock of a folder, as far as it can be told without taking it, which would
/// keep a writer out. A process of another machine is taken to go on.
pub(crate) fn is_locked(dir: &Path) -> bool {
    let path = dir.join(LOCK_FILE);
    let Ok(contents) = files::read(&path) else { return false };
    let holder = String::from_utf8_lossy(&contents);
    let host_of = |process: &str| process.split_once(" on ").map(|(_, host)| host.to_owned());
    let id = holder.strip_prefix("process ").and_then(|rest| rest.split(' ').next());
    match (id.and_then(|id| id.parse::<u32>().ok()), host_of(&holder)) {
        (Some(id), Some(host)) if Some(&host) == host_of(&this_process()).as_ref() => {
            Path::new("/proc").join(id.to_string()).exists()
        }
        // Without the name of a machine only its lock tells.
        (Some(_), None) => File::open(&path).is_ok_and(|file| file.try_lock_shared().is_err()),
        _ => true,
    }
}

/// Whether `path` still names this open file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    let (Ok(open), Ok(found)) = (file.metadata(), fs::metadata(path)) else { return false };
    (open.dev(), open.ino()) == (found.dev(), found.ino())
}

/// Whether `path` still names this open file. Here nothing removes it.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

fn this_process() -> String {
    let id = process::id();
    // Only Linux has the host name in a file. It is useful because machines may share the folder.
    match fs::read_to_string("/proc/sys/kernel/hostname") {
        Ok(host) => format!("process {id} on {}", host.trim()),
        Err(_) => format!("process {id}"),
    }
}

/// The process that holds the lock, in words.
fn holder(path: &Path) -> String {
    match fs::read_to_string(path) {
        Ok(holder) if !holder.is_empty() => holder,
        _ => "another process".into(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use super::{FolderLock, LOCK_FILE, is_locked};

    #[test]
    fn a_lock_without_its_process_does_not_count() {
        let dir = tempfile::tempdir().expect("a folder");
        let (dir, path) = (dir.path(), dir.path().join(LOCK_FILE));
        assert!(!is_locked(dir));
        let lock = FolderLock::acquire(dir).expect("nobody has it");
        assert!(is_locked(dir));
        drop(lock);
        assert!(!is_locked(dir));
        let holders =
            ["process 1 on a machine elsewhere", "process 4194999", "process 4194999 of none"];
        let found = holders.map(|holder| {
            fs::write(&path, holder).expect("a file");
            is_locked(dir)
        });
        assert_eq!(found, [true, false, false]);
        fs::write(&path, holders[1]).expect("a file");
        let held = File::open(&path).expect("it is there");
        held.lock().expect("nobody has it");
        assert!(is_locked(dir));
    }
}
