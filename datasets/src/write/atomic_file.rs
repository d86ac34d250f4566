//! Files that have their final name only when they are complete.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::lock::FolderLock;
use crate::error::{Error, Result};
use crate::format::checksum_of_file;

/// A file that is being written under a temporary name. Dropping it removes it.
pub(crate) struct TemporaryFile {
    file: File,
    rename: Rename,
}

/// A file that is complete and on disk, still under its temporary name. Dropping it removes it.
pub(crate) struct SyncedFile {
    rename: Rename,
}

impl TemporaryFile {
    /// Creates the temporary file that will become the file `name` of the folder, beside it. In a locked
    /// folder a leftover of an interrupted writer is overwritten.
    pub(crate) fn create(folder: &Arc<FolderLock>, name: &str) -> Result<Self> {
        folder.check()?;
        let to = folder.dir().join(name);
        let (from, options) = folder.temporary(&to);
        let file = options.open(&from).map_err(|cause| Error::Io {
            action: "create",
            path: from.clone(),
            cause,
        })?;
        Ok(Self { file, rename: Rename { folder: folder.clone(), from, to } })
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// The final path, for messages.
    pub(crate) fn path(&self) -> &Path {
        &self.rename.to
    }

    /// Waits until the contents are on disk. After a power failure the rename must not have
    /// survived without them.
    pub(crate) fn sync(self) -> Result<SyncedFile> {
        self.file.sync_all().map_err(|cause| Error::Io {
            action: "write",
            path: self.rename.from.clone(),
            cause,
        })?;
        Ok(SyncedFile { rename: self.rename })
    }
}

impl SyncedFile {
    /// The file's checksum.
    pub(crate) fn checksum(&self) -> Result<String> {
        checksum_of_file(&self.rename.from)
    }

    /// Gives the file its final name. An existing file of that name is replaced.
    pub(crate) fn rename_into_place(self) -> Result<()> {
        let Rename { folder, from, to } = &self.rename;
        folder.check()?;
        fs::rename(from, to).map_err(|cause| Error::Io {
            action: "rename a temporary file to",
            path: to.clone(),
            cause,
        })?;
        to.parent().map_or(Ok(()), sync_folder)
    }

    /// Gives the file its final name, unless another process has put a file there.
    pub(crate) fn link_into_place(self) -> Result<()> {
        let Rename { folder, from, to } = &self.rename;
        folder.check()?;
        match fs::hard_link(from, to) {
            Ok(()) => to.parent().map_or(Ok(()), sync_folder),
            Err(_) if to.exists() => Ok(()),
            // Not all file systems have links. There, the last of several files stays.
            Err(_) => self.rename_into_place(),
        }
    }
}

struct Rename {
    folder: Arc<FolderLock>,
    from: PathBuf,
    to: PathBuf,
}

impl Drop for Rename {
    fn drop(&mut self) {
        // In another folder of this path, the file would be another writer's. After the rename there is
        // nothing to remove, and a leftover does no harm.
        if self.folder.is_held() {
            let _ = fs::remove_file(&self.from);
        }
    }
}

/// Makes changes of the entries of `dir` durable. Only Unix can open a folder to sync it.
pub(super) fn sync_folder(dir: &Path) -> Result<()> {
    #[cfg(unix)]
    File::open(dir).and_then(|folder| folder.sync_all()).map_err(|cause| Error::Io {
        action: "sync",
        path: dir.into(),
        cause,
    })?;
    #[cfg(not(unix))]
    let _ = dir;
    Ok(())
}
