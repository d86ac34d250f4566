//! The folder in which games are kept, one file a game. Keys are secrets: others may not read it.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::record::Record;
use crate::log::log;

/// The file that the server locks whose games are in the folder.
const LOCK: &str = "lock";

/// The end of the name of a game's file.
const SUFFIX: &str = "json";

/// Bytes of the largest file that is read. A game of thousands of plies with policies has less.
const MAX_BYTES: u64 = 16 << 20;

/// How long a game that is over is kept after its last change.
const KEEP: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The folder, while this server alone writes there.
pub(crate) struct Store {
    dir: PathBuf,
    /// Locked as long as it is open.
    _lock: File,
}

/// The file of a game, written under the lock of the game.
pub(super) struct GameFile(PathBuf);

impl Store {
    /// Opens the folder, which is made if it is not there.
    ///
    /// # Errors
    /// If it cannot be made or written, or another server keeps its games there.
    pub(crate) fn open(dir: &Path) -> io::Result<Self> {
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.recursive(true).create(dir)?;
        let lock = private().create(true).truncate(false).open(dir.join(LOCK))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { dir: dir.to_owned(), _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(io::Error::new(
                ErrorKind::ResourceBusy,
                "another `darkqi serve` keeps its games there",
            )),
            Err(TryLockError::Error(cause)) => Err(cause),
        }
    }

    /// The games of the folder, that changed longest ago first. Files that are none are told in the log
    /// and left alone. Games that have been over for long are removed.
    pub(super) fn load(&self) -> Vec<(GameFile, Record)> {
        let entries = match fs::read_dir(&self.dir) {
            Ok(entries) => entries,
            Err(cause) => {
                log(format_args!("{}: {cause}", self.dir.display()));
                return Vec::new();
            }
        };
        let mut found = Vec::new();
        let now = SystemTime::now();
        for entry in entries.flatten() {
            let path = entry.path();
            if path.extension().is_none_or(|suffix| suffix != SUFFIX) {
                continue;
            }
            match read(&path) {
                Ok((changed, record)) => {
                    let age = now.duration_since(changed).unwrap_or_default();
                    let file = GameFile(path);
                    if record.is_over && age > KEEP {
                        file.remove();
                    } else {
                        found.push((changed, file, record));
                    }
                }
                Err(reason) => log(format_args!("{}: not a game: {reason}", path.display())),
            }
        }
        found.sort_by_key(|(changed, ..)| *changed);
        found.into_iter().map(|(_, file, record)| (file, record)).collect()
    }

    /// The file of a new game with this name, which nobody else has.
    pub(super) fn file(&self, name: &str) -> GameFile {
        GameFile(self.dir.join(name).with_extension(SUFFIX))
    }
}

impl GameFile {
    /// Writes the game as it is. The file holds it, or what it held before. What the server has written
    /// outlives the server, so that nothing waits for the disk.
    pub(super) fn write(&self, record: &Record) {
        let written = serde_json::to_vec(record).map_err(io::Error::other).and_then(|text| {
            let new = self.0.with_extension("new");
            private().create(true).truncate(true).open(&new)?.write_all(&text)?;
            fs::rename(new, &self.0)
        });
        if let Err(cause) = written {
            log(format_args!("{}: the game is not kept: {cause}", self.0.display()));
        }
    }

    pub(super) fn remove(&self) {
        if let Err(cause) = fs::remove_file(&self.0) {
            log(format_args!("{}: {cause}", self.0.display()));
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

/// For files that only their owner may read.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// The game of a file, and when it changed last.
fn read(path: &Path) -> Result<(SystemTime, Record), String> {
    let reason = |cause: io::Error| cause.to_string();
    let found = fs::symlink_metadata(path).map_err(reason)?;
    if !found.is_file() || found.len() > MAX_BYTES {
        return Err(format!("expected a file of at most {MAX_BYTES} bytes"));
    }
    let mut text = Vec::new();
    let file = File::open(path).map_err(reason)?;
    file.take(MAX_BYTES).read_to_end(&mut text).map_err(reason)?;
    Ok((found.modified().map_err(reason)?, Record::read(&text)?))
}
