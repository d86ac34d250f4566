//! The journal of a match: finished blocks in a file, a line of JSON each, from which it is resumed.
//!
//! The first line is the `Header`. The blocks are in the order in which they were finished. Only
//! complete lines count: an incomplete last line is overwritten. The file is locked while it is
//! open, so that two processes cannot mix their lines.

use std::borrow::Cow;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use darkqi_datasets::{OwnFile, check_output, sync_folder_of};
use darkqi_env::Reason;
use serde::{Deserialize, Serialize};

use super::error::JournalError;
use super::header::Header;
use super::schedule::Schedule;

/// Blocks are made durable when this time has passed since they last were.
const UNSYNCED: Duration = Duration::from_secs(1);

/// A finished block.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Block {
    /// The agents' numbers in the match's list, the lower one first.
    pub(super) first: usize,
    pub(super) second: usize,
    /// Its number among the pair's.
    pub(super) block: u64,
    /// By number within the block.
    pub(super) games: Vec<FinishedGame>,
    /// The first agent's luck, by covariate; empty where nothing is covered, and in journals of
    /// before it was kept. It is rounded, so that a journal keeps all of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) luck: Vec<f32>,
    /// How it begins: [`Beginnings::hash`](darkqi_datasets::analysis::Beginnings::hash) of its position and
    /// the first actions of all its games. Journals of before it was kept lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) beginning: Option<u64>,
    /// Number of decisions of the first agent and of the second.
    pub(super) decisions: [u64; 2],
    /// Wall time of these decisions.
    pub(super) seconds: [f64; 2],
}

/// A finished game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FinishedGame {
    /// By seat.
    pub(super) rewards: Vec<f32>,
    pub(super) reason: Cow<'static, str>,
    /// Those of the opening included.
    pub(super) plies: u16,
}

impl FinishedGame {
    /// Whether it was truncated at the ply limit.
    pub(super) fn truncated(&self) -> bool {
        self.reason == Reason::MaxPlies.name()
    }

    /// # Errors
    /// If it is no game of this schedule.
    fn check(&self, schedule: &Schedule) -> Result<(), String> {
        let Self { rewards, reason, plies } = self;
        let (seats, most) = (schedule.seating.seats(), schedule.max_plies);
        if rewards.len() != seats {
            return Err(format!("expected {seats} rewards, found {}", rewards.len()));
        }
        let known = Reason::named(reason)
            .ok_or_else(|| format!("expected a reason of RULES.md section 8, found {reason:?}"))?;
        let is_near = |(one, other): (&f32, &f32)| (one - other).abs() <= REWARD_ROUNDING;
        let mut outcomes = schedule.seating.outcomes(known);
        if !outcomes.any(|outcome| outcome.rewards().iter().zip(rewards).all(is_near)) {
            return Err(format!(
                "expected rewards of a game that ends by {reason}, found {rewards:?}"
            ));
        }
        if !(1..=most).contains(plies) {
            return Err(format!("expected from 1 to {most} plies, found {plies}"));
        }
        Ok(())
    }
}

/// Shared rewards are written with as many digits as tell them apart.
const REWARD_ROUNDING: f32 = 1e-6;

/// A covariate of luck counts pieces, of which the games of a block have fewer.
const MOST_LUCK: f32 = 1000.0;

impl Block {
    /// The number of the block's pair in a schedule.
    ///
    /// # Errors
    /// If the block is none of that schedule.
    pub(super) fn check(&self, schedule: &Schedule) -> Result<usize, String> {
        let Self { first, second, games, luck, .. } = self;
        let pair = schedule.pairs.iter().position(|pair| pair == &[*first, *second]);
        let Some(pair) = pair else {
            return Err(format!("agents {first} and {second} are no pair of this match"));
        };
        let expected = schedule.seating.games();
        if games.len() != expected {
            return Err(format!("expected {expected} games, found {}", games.len()));
        }
        games.iter().try_for_each(|game| game.check(schedule))?;
        let plies: u64 = games.iter().map(|game| u64::from(game.plies)).sum();
        let [one, other] = self.decisions;
        if one.saturating_add(other) > plies {
            return Err(format!("expected at most {plies} decisions, found {one} and {other}"));
        }
        let covariates = schedule.covariates;
        if !luck.is_empty() && luck.len() != covariates {
            return Err(format!("expected {covariates} numbers of luck, found {}", luck.len()));
        }
        if let Some(one) = luck.iter().find(|one| one.is_nan() || one.abs() > MOST_LUCK) {
            return Err(format!("expected luck from -{MOST_LUCK} to {MOST_LUCK}, found {one}"));
        }
        if let Some(seconds) = self.seconds.iter().find(|seconds| **seconds < 0.0) {
            return Err(format!("expected seconds of 0 or more, found {seconds}"));
        }
        Ok(pair)
    }
}

/// An open journal.
#[derive(Debug)]
pub(super) struct Journal {
    file: OwnFile,
    path: PathBuf,
    /// When what was written was last made durable.
    synced: Instant,
}

impl Journal {
    /// Opens a journal, or creates one, and gives its blocks to `each`, which refuses a block by
    /// saying what is wrong with it.
    ///
    /// # Errors
    /// If the file cannot be used. Nothing is written to it then.
    pub(super) fn open(
        path: &Path,
        header: &Header,
        mut each: impl FnMut(Block) -> Result<(), String>,
    ) -> Result<Self, JournalError> {
        // From here on dropping the journal releases the lock.
        let journal = Self { file: lock(path)?, path: path.into(), synced: Instant::now() };
        let kept = journal.read(header, &mut each)?;
        journal.file.set_len(kept).map_err(fail("write", path))?;
        (&*journal.file).seek(SeekFrom::Start(kept)).map_err(fail("write", path))?;
        if kept == 0 {
            (&*journal.file).write_all(header.line().as_bytes()).map_err(fail("write", path))?;
            journal.file.sync_all().map_err(fail("sync", path))?;
            sync_folder_of(path)?;
        }
        Ok(journal)
    }

    /// Reads the header and the blocks, and returns the number of bytes before the line that an
    /// interrupted writer left incomplete.
    fn read(
        &self,
        header: &Header,
        each: &mut impl FnMut(Block) -> Result<(), String>,
    ) -> Result<u64, JournalError> {
        let path = &self.path;
        let mut reader = BufReader::new(&*self.file);
        let mut line = Vec::new();
        let (mut lines, mut kept) = (0, 0);
        loop {
            line.clear();
            let length = reader.read_until(b'\n', &mut line).map_err(fail("read", path))?;
            let Some(text) = line.strip_suffix(b"\n") else { break };
            lines += 1;
            if lines == 1 {
                match header.mismatches(text) {
                    Some(mismatches) if mismatches.is_empty() => {}
                    Some(mismatches) => {
                        return Err(JournalError::Mismatch { path: path.into(), mismatches });
                    }
                    None => return Err(JournalError::NotAJournal { path: path.into() }),
                }
            } else {
                parse(text).and_then(&mut *each).map_err(|fault| JournalError::Damaged {
                    path: path.into(),
                    line: lines,
                    fault,
                })?;
            }
            kept += length as u64;
        }
        // An incomplete first line is overwritten only if it is the beginning of this header. After a
        // power cut zeros may stand in place of its bytes: only this line is written before a sync.
        let first = header.line();
        let zeros = line.iter().rev().take_while(|&&byte| byte == 0).count();
        let begun = first.as_bytes().starts_with(&line[..line.len() - zeros]);
        if lines == 0 && !(begun && line.len() <= first.len()) {
            return Err(JournalError::NotAJournal { path: path.into() });
        }
        Ok(kept)
    }

    /// Adds a block. It is made durable if that was last done [`UNSYNCED`] ago; a power cut loses the
    /// blocks added since.
    ///
    /// # Errors
    /// If the file cannot be written. The incomplete line is overwritten when the match is resumed.
    pub(super) fn add(&mut self, block: &Block) -> Result<(), JournalError> {
        let line = serde_json::to_string(block).expect("a block is plain data") + "\n";
        (&*self.file).write_all(line.as_bytes()).map_err(fail("write", &self.path))?;
        if self.synced.elapsed() >= UNSYNCED {
            self.file.sync_data().map_err(fail("sync", &self.path))?;
            self.synced = Instant::now();
        }
        Ok(())
    }
}

/// Opens the file of a journal, or creates it, and locks it.
fn lock(path: &Path) -> Result<OwnFile, JournalError> {
    // A pipe would be read without end.
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(JournalError::NotAFile { path: path.into() });
    }
    check_output(path)?;
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    let file = OwnFile::open(|| options.open(path)).map_err(fail("open", path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(JournalError::Locked { path: path.into() }),
        Err(TryLockError::Error(cause)) => Err(fail("lock", path)(cause)),
    }
}

fn fail(action: &'static str, path: &Path) -> impl Fn(io::Error) -> JournalError {
    move |cause| JournalError::Io { action, path: path.into(), cause }
}

impl Drop for Journal {
    /// Makes all blocks durable, and releases the lock at once. Closing the file is not enough: a
    /// process that is being started at this moment holds a copy of its descriptor for a while, and
    /// with it the lock.
    fn drop(&mut self) {
        // If this fails, a power cut may lose the last blocks, as it may before.
        let _ = self.file.sync_data();
        // If this fails, closing the file releases the lock.
        let _ = self.file.unlock();
    }
}

fn parse(line: &[u8]) -> Result<Block, String> {
    serde_json::from_slice(line).map_err(|error| {
        // The parser adds a line number, which is always 1 here.
        let text = error.to_string();
        let fault = text.rsplit_once(" at line ").map_or(text.as_str(), |(fault, _)| fault);
        format!("column {}: {fault}", error.column())
    })
}
