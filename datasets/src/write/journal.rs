//! Journals: the games of a shard that is not finished.
//!
//! The files of a shard are written when it has all its games. Until then these would be lost with
//! the process, so they are appended to a journal, a hidden file beside `dataset.json`:
//!
//! ```text
//! magic and version   8 bytes
//! entry               the run, in bytes that its writer chooses
//! entry               a game in postcard's encoding
//! ...
//! ```
//!
//! An entry is the number of its bytes and their XXH64 with seed 0, both in 8 bytes, little-endian,
//! then the bytes.

use std::fs::{self, File};
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use postcard::ser_flavors::Flavor;
use serde::Serialize;
use serde::de::DeserializeOwned;
use twox_hash::XxHash64;

use super::lock::FolderLock;
use crate::error::{Error, Result};
use crate::format::{GameRecord, journal_path, journals};

/// Identifies a journal. The last byte is the version of its encoding: it rises when an entry or a
/// field of [`GameRecord`] changes.
const MAGIC: [u8; 8] = *b"darkqiJ\x01";
/// The length and the checksum before the bytes of an entry.
const HEAD_BYTES: usize = 16;
/// Entries are written together up to this many bytes.
const CHUNK_BYTES: usize = 1 << 20;

/// The journals of a run: one for each shard that is not finished.
///
/// A journal is read up to its last sound entry. What a killed process, a full disk or a flipped bit
/// left behind it is dropped. A journal of another run or version counts as empty: it holds nothing
/// that could not be played again.
///
/// A process that dies loses nothing that it has appended. Nothing is synced, so that a power cut
/// may cost games.
///
/// `T` is a game: its record, or whatever a record can be made of.
#[derive(Clone, Debug)]
pub struct Journals<T = GameRecord> {
    dir: PathBuf,
    /// What a writer holds.
    folder: Option<Arc<FolderLock>>,
    run: Vec<u8>,
    games: PhantomData<fn() -> T>,
}

impl<T: Serialize + DeserializeOwned> Journals<T> {
    /// The journals in the dataset's folder `dir`, to be read. `run` identifies what is played: games
    /// of a journal with other bytes are not read. [`DatasetWriter::journals`] gives those of a writer.
    ///
    /// [`DatasetWriter::journals`]: crate::DatasetWriter::journals
    pub fn new(dir: impl Into<PathBuf>, run: impl Into<Vec<u8>>) -> Self {
        Self { dir: dir.into(), folder: None, run: run.into(), games: PhantomData }
    }

    pub(super) fn of_writer(folder: Arc<FolderLock>, run: Vec<u8>) -> Self {
        Self { folder: Some(folder.clone()), ..Self::new(folder.dir(), run) }
    }

    /// Makes sure that the writer's folder still is at its path.
    fn check_folder(&self) -> Result<()> {
        self.folder.as_ref().map_or(Ok(()), |folder| folder.check())
    }

    /// The numbers of the shards that have a journal, ascending.
    ///
    /// # Errors
    /// [`Error::Io`] when the folder cannot be read.
    pub fn shards(&self) -> Result<Vec<u32>> {
        Ok(journals(&self.dir)?.into_keys().collect())
    }

    /// The games of a shard's journal, in the order in which they were appended. They are as sound as
    /// the journal: a checksum does not show who wrote it.
    ///
    /// # Errors
    /// [`Error::Io`] when there is a journal that cannot be read.
    pub fn read(&self, shard: u32) -> Result<Vec<T>> {
        let path = journal_path(&self.dir, shard);
        check_no_pipe(&path).map_err(Error::io("open", &path))?;
        let file = match File::open(&path) {
            Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            file => file.map_err(Error::io("open", &path))?,
        };
        let mut games = Vec::new();
        self.scan(&file, |game| games.push(game)).map_err(Error::io("read", &path))?;
        Ok(games)
    }

    /// Removes a shard's journal, if there is one.
    ///
    /// # Errors
    /// [`Error::LostFolder`] when the writer's folder was moved or replaced, [`Error::Io`] when the
    /// journal cannot be removed.
    pub fn remove(&self, shard: u32) -> Result<()> {
        self.check_folder()?;
        let path = journal_path(&self.dir, shard);
        match fs::remove_file(&path) {
            Err(cause) if cause.kind() != ErrorKind::NotFound => {
                Err(Error::io("remove", &path)(cause))
            }
            _ => Ok(()),
        }
    }

    /// Opens a shard's journal to append to it, or creates it. What [`Journals::read`] would not give
    /// is cut off. The caller writes the dataset, so that nobody else appends.
    ///
    /// # Errors
    /// [`Error::LostFolder`] when the writer's folder was moved or replaced, [`Error::Io`] when the
    /// journal cannot be read or written.
    pub fn open(&self, shard: u32) -> Result<Journal<T>> {
        self.check_folder()?;
        let path = journal_path(&self.dir, shard);
        check_no_pipe(&path).map_err(Error::io("open", &path))?;
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(Error::io("open", &path))?;
        let length = self.scan(&file, drop).map_err(Error::io("read", &path))?;
        let buffer = Vec::new();
        let mut journal = Journal { file, path, length, is_torn: true, buffer, games: PhantomData };
        journal.cut().map_err(Error::io("write", &journal.path))?;
        if length == 0 {
            journal.buffer.extend(MAGIC);
            add_entry(&mut journal.buffer, |bytes| bytes.extend(&self.run));
            journal.write()?;
        }
        Ok(journal)
    }

    /// Gives the games of a journal to `each` and returns the number of sound bytes: 0 for a journal
    /// of another run or version.
    fn scan(&self, file: &File, mut each: impl FnMut(T)) -> io::Result<u64> {
        let mut reader = BufReader::new(file);
        let mut bytes = Vec::new();
        let mut magic = [0; MAGIC.len()];
        if !fill(&mut reader, &mut magic)?
            || magic != MAGIC
            || !read_entry(&mut reader, &mut bytes)?
            || bytes != self.run
        {
            return Ok(0);
        }
        let mut sound = (MAGIC.len() + HEAD_BYTES + bytes.len()) as u64;
        while read_entry(&mut reader, &mut bytes)?
            && let Ok((game, [])) = postcard::take_from_bytes(&bytes)
        {
            each(game);
            sound += (HEAD_BYTES + bytes.len()) as u64;
        }
        Ok(sound)
    }
}

/// The journal of one shard.
#[derive(Debug)]
pub struct Journal<T = GameRecord> {
    file: File,
    path: PathBuf,
    /// The number of sound bytes, at whose end the file is written.
    length: u64,
    /// Whether there are other bytes behind those.
    is_torn: bool,
    /// What is to be written next.
    buffer: Vec<u8>,
    games: PhantomData<fn(&T)>,
}

impl<T: Serialize> Journal<T> {
    /// Appends games. They are in the hands of the operating system when this returns.
    ///
    /// # Errors
    /// [`Error::Io`] when they cannot be written. None of them is in the journal then, and they can be
    /// appended again.
    pub fn append(&mut self, games: &[T]) -> Result<()> {
        if self.is_torn {
            self.cut().map_err(Error::io("write", &self.path))?;
        }
        let before = self.length;
        let appended = self.write_games(games);
        if appended.is_err() {
            self.length = before;
            // If this fails, too, readers stop at an incomplete entry or find games twice.
            let _ = self.cut();
        }
        appended
    }

    fn write_games(&mut self, games: &[T]) -> Result<()> {
        for game in games {
            add_entry(&mut self.buffer, |bytes| {
                let written = postcard::serialize_with_flavor(game, Appended(bytes));
                written.expect("a record is plain data");
            });
            if self.buffer.len() >= CHUNK_BYTES {
                self.write()?;
            }
        }
        self.write()
    }

    /// Writes the buffer and empties it.
    fn write(&mut self) -> Result<()> {
        let written = self.file.write_all(&self.buffer);
        self.length += self.buffer.len() as u64;
        self.buffer.clear();
        written.map_err(Error::io("write", &self.path))
    }

    /// Ends the file behind its sound bytes.
    fn cut(&mut self) -> io::Result<()> {
        self.is_torn = true;
        self.file.set_len(self.length)?;
        self.file.seek(SeekFrom::Start(self.length))?;
        self.is_torn = false;
        Ok(())
    }
}

/// Adds an entry with these bytes to a buffer.
fn add_entry(buffer: &mut Vec<u8>, bytes: impl FnOnce(&mut Vec<u8>)) {
    let start = buffer.len();
    buffer.extend([0; HEAD_BYTES]);
    bytes(buffer);
    let (head, bytes) = buffer[start..].split_at_mut(HEAD_BYTES);
    let (length, checksum) = head.split_at_mut(HEAD_BYTES / 2);
    length.copy_from_slice(&(bytes.len() as u64).to_le_bytes());
    checksum.copy_from_slice(&XxHash64::oneshot(0, bytes).to_le_bytes());
}

/// Reads the bytes of the next entry. Returns whether it is sound.
fn read_entry(reader: &mut impl Read, bytes: &mut Vec<u8>) -> io::Result<bool> {
    let (mut length, mut checksum) = ([0; HEAD_BYTES / 2], [0; HEAD_BYTES / 2]);
    if !fill(reader, &mut length)? || !fill(reader, &mut checksum)? {
        return Ok(false);
    }
    let length = u64::from_le_bytes(length);
    bytes.clear();
    // Grows with what is there, whatever length is stated.
    let found = reader.take(length).read_to_end(bytes)?;
    Ok(found as u64 == length && XxHash64::oneshot(0, bytes) == u64::from_le_bytes(checksum))
}

/// Fills a buffer. Returns whether there were enough bytes.
fn fill(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match reader.read_exact(buffer) {
        Err(cause) if cause.kind() == ErrorKind::UnexpectedEof => Ok(false),
        read => read.map(|()| true),
    }
}

/// # Errors
/// If a pipe stands in a journal's place: reading it could take for ever.
#[cfg(unix)]
fn check_no_pipe(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::FileTypeExt;
    match fs::metadata(path) {
        Ok(found) if found.file_type().is_fifo() => {
            Err(io::Error::new(ErrorKind::InvalidInput, "expected a regular file, found a pipe"))
        }
        _ => Ok(()),
    }
}

#[cfg(not(unix))]
fn check_no_pipe(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Appends what postcard encodes to a buffer.
struct Appended<'a>(&'a mut Vec<u8>);

impl Flavor for Appended<'_> {
    type Output = ();

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.push(byte);
        Ok(())
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}
