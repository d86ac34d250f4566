//! Parts: games that have ended, of shards that are not finished.
//!
//! The files of a shard are written when it has all its games. Until then these would be lost with
//! the process, so they are written from time to time to files in the folder `parts`, each of them
//! whole or not at all:
//!
//! ```text
//! parts/00003-00120-0123456789abcdef.part     shard, number among its parts, XXH64 of the contents
//! ```
//!
//! A part is the version of its encoding, 8 bytes, and then in postcard's encoding the run, in bytes
//! that its writer chooses, and a list of games. Its name tells whether it is damaged, and keeps
//! apart what several processes write.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{ErrorKind, Read};
use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::leftovers::remove_parts;
use super::lock::FolderLock;
use super::writer::{create_durable_folder, write_atomically};
use crate::error::{Error, Result};
use crate::files;
use crate::format::{GameRecord, PARTS, PartName, checksum, parts};

/// Identifies a part. The last byte is the version of its encoding: it rises when a field of
/// [`GameRecord`] changes.
const MAGIC: [u8; 8] = *b"darkqiP\x01";

/// The bytes of a part that hold its run and the number of its games.
const HEAD: u64 = 1 << 18;

/// The parts of a run.
///
/// A part that is damaged, or of another run or version, counts as empty: it holds nothing that could
/// not be played again.
///
/// `T` is a game: its record, or whatever a record can be made of.
#[derive(Clone, Debug)]
pub struct Parts<T = GameRecord> {
    folder: Arc<FolderLock>,
    run: Vec<u8>,
    games: PhantomData<fn() -> T>,
}

impl<T: Serialize + DeserializeOwned> Parts<T> {
    /// The parts in the dataset's folder `dir`, or at its URL. `run` identifies what is played: games
    /// of a part with other bytes are not read. [`DatasetWriter::parts`] gives those of a writer.
    ///
    /// # Errors
    /// [`Error::Io`] when the folder cannot be opened.
    ///
    /// [`DatasetWriter::parts`]: crate::DatasetWriter::parts
    pub fn new(dir: impl AsRef<Path>, run: impl Into<Vec<u8>>) -> Result<Self> {
        Ok(Self::of_writer(FolderLock::share(dir.as_ref())?, run.into()))
    }

    pub(super) fn of_writer(folder: Arc<FolderLock>, run: Vec<u8>) -> Self {
        Self { folder, run, games: PhantomData }
    }

    fn dir(&self) -> &Path {
        self.folder.dir()
    }

    /// The numbers of the shards that have parts.
    ///
    /// # Errors
    /// [`Error::Io`] when the folder cannot be read.
    pub fn shards(&self) -> Result<BTreeSet<u32>> {
        Ok(parts(self.dir())?.into_iter().map(|part| part.shard).collect())
    }

    /// The games of a shard's parts, by the parts' numbers and then in the order in which they were
    /// given. They are as sound as the parts: a checksum does not show who wrote them.
    ///
    /// # Errors
    /// [`Error::Io`] when there is a part that cannot be read.
    pub fn read(&self, shard: u32) -> Result<Vec<T>> {
        let mut games = Vec::new();
        for part in parts(self.dir())?.into_iter().filter(|part| part.shard == shard) {
            let path = part.path(self.dir());
            match files::read(&path) {
                Ok(contents) if checksum(&contents) == part.checksum => {
                    games.extend(self.decode(&contents).unwrap_or_default());
                }
                Ok(_) => {}
                // Another process has finished the shard.
                Err(cause) if cause.kind() == ErrorKind::NotFound => {}
                Err(cause) => return Err(Error::io("read", &path)(cause)),
            }
        }
        Ok(games)
    }

    fn decode(&self, contents: &[u8]) -> Option<Vec<T>> {
        let encoded = contents.strip_prefix(&MAGIC)?;
        let (run, rest) = postcard::take_from_bytes::<&[u8]>(encoded).ok()?;
        let (games, rest) = postcard::take_from_bytes(rest).ok()?;
        (run == self.run && rest.is_empty()).then_some(games)
    }

    /// Writes games of a shard as a part. `number` places them among those of its other parts.
    ///
    /// # Errors
    /// [`Error::LostFolder`] when the writer's folder was moved or replaced, [`Error::Io`] when the
    /// part cannot be written.
    pub fn write(
        &self,
        shard: u32,
        number: u64,
        games: &[impl Borrow<T> + Serialize],
    ) -> Result<()> {
        let mut contents = MAGIC.to_vec();
        for encoded in [postcard::to_allocvec(self.run.as_slice()), postcard::to_allocvec(games)] {
            contents.extend(encoded.expect("games are plain data"));
        }
        let part = PartName { shard, number, checksum: checksum(&contents) };
        self.folder.check()?;
        create_durable_folder(&self.dir().join(PARTS))?;
        write_atomically(&self.folder, &part.file(), &contents)
    }

    /// Removes the parts of a shard, which is finished.
    ///
    /// # Errors
    /// [`Error::LostFolder`] when the writer's folder was moved or replaced, [`Error::Io`] when a part
    /// cannot be removed.
    pub fn remove(&self, shard: u32) -> Result<()> {
        self.folder.check()?;
        remove_parts(self.dir(), |part| part.shard == shard)
    }
}

/// The number of games in the parts of the shards that are not among these, as the beginnings of their
/// files have it, unchecked. Of a shard there are at most `most`.
///
/// # Errors
/// [`Error::Io`] when the folder of parts cannot be read.
pub(crate) fn games_in_parts(dir: &Path, listed: &BTreeSet<u32>, most: u64) -> Result<u64> {
    let mut games: BTreeMap<u32, u64> = BTreeMap::new();
    for part in parts(dir)?.into_iter().filter(|part| !listed.contains(&part.shard)) {
        let count = games.entry(part.shard).or_default();
        // One that is not there any more is of a shard that has just been finished.
        *count = count.saturating_add(count_of(&part.path(dir)).unwrap_or(0)).min(most);
    }
    Ok(games.into_values().sum())
}

/// The number of games of a part; `None` if it cannot be read.
fn count_of(path: &Path) -> Option<u64> {
    let mut head = Vec::new();
    files::open(path).ok()?.reader().take(HEAD).read_to_end(&mut head).ok()?;
    let (_, rest) = postcard::take_from_bytes::<&[u8]>(head.strip_prefix(&MAGIC)?).ok()?;
    // A list begins with its length.
    postcard::take_from_bytes(rest).ok().map(|(count, _)| count)
}

/// When parts are written: after a second, and then after twice the time before, but at most a minute.
/// So a short run loses little by a kill, a long one no more than a minute, and either writes few parts.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    since: Instant,
    wait: Duration,
}

impl Pace {
    const FIRST: Duration = Duration::from_secs(1);
    const LONGEST: Duration = Duration::from_secs(60);

    /// The pace of a run that begins now.
    #[must_use]
    pub fn start() -> Self {
        Self { since: Instant::now(), wait: Self::FIRST }
    }

    /// The time until the next parts are due.
    #[must_use]
    pub fn left(&self) -> Duration {
        self.wait.saturating_sub(self.since.elapsed())
    }

    /// Whether parts are due. The time to the next ones begins if they are.
    pub fn is_due(&mut self) -> bool {
        let is_due = self.left().is_zero();
        if is_due {
            *self = Self { since: Instant::now(), wait: (2 * self.wait).min(Self::LONGEST) };
        }
        is_due
    }
}

impl Default for Pace {
    fn default() -> Self {
        Self::start()
    }
}
