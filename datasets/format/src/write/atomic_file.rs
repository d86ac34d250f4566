//! Files that have their final name only when they are complete.

use std::env;
use std::fs::{self, File};
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::lock::FolderLock;
use crate::error::{Error, Result};
use crate::files;
use crate::format::{checksum, checksum_of_file};

/// A file that is being written under a temporary name. Dropping it removes it.
pub(crate) struct TemporaryFile {
    file: File,
    destination: Destination,
}

/// A file that is complete and on disk, still under its temporary name. Dropping it removes it.
pub(crate) struct SyncedFile {
    file: File,
    destination: Destination,
}

/// Where a temporary file becomes a file of the dataset.
enum Destination {
    /// In its folder, by a new name.
    Folder(Rename),
    /// In object storage. Until then the file has no name.
    Remote(PathBuf),
}

impl Destination {
    /// The final path.
    fn path(&self) -> &Path {
        match self {
            Self::Folder(rename) => &rename.to,
            Self::Remote(to) => to,
        }
    }
}

impl TemporaryFile {
    /// Creates the temporary file that will become the file `name` of the folder, beside it. In a
    /// locked folder a leftover of an interrupted writer is overwritten. For object storage it is
    /// one of the system's temporary files.
    pub(crate) fn create(folder: &Arc<FolderLock>, name: &str) -> Result<Self> {
        folder.check()?;
        let to = folder.dir().join(name);
        if files::is_remote(&to) {
            let file = tempfile::tempfile().map_err(Error::io("create", &env::temp_dir()))?;
            return Ok(Self { file, destination: Destination::Remote(to) });
        }
        let (from, options) = folder.temporary(&to);
        let file = options.open(&from).map_err(Error::io("create", &from))?;
        let destination = Destination::Folder(Rename { folder: folder.clone(), from, to });
        Ok(Self { file, destination })
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// The final path, for messages.
    pub(crate) fn path(&self) -> &Path {
        self.destination.path()
    }

    /// Waits until the contents are on disk. After a power failure the rename must not have
    /// survived without them.
    pub(crate) fn sync(self) -> Result<SyncedFile> {
        let Self { file, destination } = self;
        if let Destination::Folder(rename) = &destination {
            file.sync_all().map_err(Error::io("write", &rename.from))?;
        }
        Ok(SyncedFile { file, destination })
    }
}

impl SyncedFile {
    /// The file's checksum.
    pub(crate) fn checksum(&self) -> Result<String> {
        match &self.destination {
            Destination::Folder(rename) => checksum_of_file(&rename.from),
            Destination::Remote(_) => Ok(checksum(&self.contents()?)),
        }
    }

    /// The contents.
    fn contents(&self) -> Result<Vec<u8>> {
        let mut contents = Vec::new();
        let mut file = &self.file;
        file.rewind()
            .and_then(|()| file.read_to_end(&mut contents))
            .map_err(Error::io("read the temporary file of", self.destination.path()))?;
        Ok(contents)
    }

    /// Gives the file its final name. An existing file of that name is replaced; one in object storage
    /// only if it differs.
    pub(crate) fn rename_into_place(self) -> Result<()> {
        match &self.destination {
            Destination::Folder(rename) => rename.replace(),
            Destination::Remote(to) => self.put(to, true),
        }
    }

    /// Gives the file its final name, unless another process has put a file there.
    pub(crate) fn link_into_place(self) -> Result<()> {
        match &self.destination {
            Destination::Folder(rename) => rename.link(),
            Destination::Remote(to) => self.put(to, false),
        }
    }

    /// Writes the contents as an object. One that is there is replaced by others only if `replace` is
    /// set.
    fn put(&self, to: &Path, replace: bool) -> Result<()> {
        let contents = self.contents()?;
        let written = files::create_object(to, &contents).and_then(|is_same| {
            if is_same || !replace { Ok(()) } else { files::replace_object(to, &contents) }
        });
        written.map_err(Error::io("write", to))
    }
}

struct Rename {
    folder: Arc<FolderLock>,
    from: PathBuf,
    to: PathBuf,
}

impl Rename {
    fn replace(&self) -> Result<()> {
        let Self { folder, from, to } = self;
        folder.check()?;
        fs::rename(from, to).map_err(Error::io("rename a temporary file to", to))?;
        to.parent().map_or(Ok(()), sync_folder)
    }

    fn link(&self) -> Result<()> {
        let Self { folder, from, to } = self;
        folder.check()?;
        match fs::hard_link(from, to) {
            Ok(()) => to.parent().map_or(Ok(()), sync_folder),
            Err(_) if to.exists() => Ok(()),
            // Not all file systems have links. There, the last of several files stays.
            Err(_) => self.replace(),
        }
    }
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
/// Objects are durable once they are written.
pub(super) fn sync_folder(dir: &Path) -> Result<()> {
    if files::is_remote(dir) {
        return Ok(());
    }
    #[cfg(unix)]
    File::open(dir).and_then(|folder| folder.sync_all()).map_err(Error::io("sync", dir))?;
    #[cfg(not(unix))]
    let _ = dir;
    Ok(())
}
