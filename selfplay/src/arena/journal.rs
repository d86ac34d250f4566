//! Finished blocks kept in a file, a line of JSON each, to go on from.
//!
//! The first line is the `Header`. Blocks stand in the order in which they were finished. A line
//! counts once its end is written: what stands behind the last line end was torn off and is
//! overwritten. The file is locked while it is open, so that two processes cannot mix their lines.

use std::borrow::Cow;
use std::fs::{File, TryLockError};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use darkqi_env::Reason;
use serde::{Deserialize, Serialize};

use super::config::Plan;
use super::header::{Header, MARK};
use crate::mismatch::Mismatch;

/// A journal that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The file cannot be opened, read or written.
    #[error("journal {}: cannot {action}: {cause}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it failed.
        cause: io::Error,
    },
    /// Another process has it open.
    #[error("journal {}: another process is writing to it", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// The file is something else.
    #[error(
        "journal {}: not a journal: expected a first line of JSON with `{MARK}`; nothing was written",
        path.display()
    )]
    NotAJournal {
        /// The file.
        path: PathBuf,
    },
    /// Its games were played differently.
    #[error("journal {}: of another match: {}", path.display(), Mismatch::list(mismatches))]
    Mismatch {
        /// The file.
        path: PathBuf,
        /// In what, at least one field.
        mismatches: Vec<Mismatch>,
    },
    /// A line is not what it should be.
    #[error("journal {}, line {line}: {fault}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        fault: String,
    },
}

/// A finished block.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Block {
    /// The agents' numbers in the match's list, the lower one first.
    pub(super) first: usize,
    pub(super) second: usize,
    /// Its number among the pair's.
    pub(super) block: u64,
    /// In the order of the seatings.
    pub(super) games: Vec<Game>,
    /// How often the agents chose an action: the first, the second.
    pub(super) decisions: [u64; 2],
    /// Wall time in which they chose.
    pub(super) seconds: [f64; 2],
}

/// A finished game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Game {
    /// By seat.
    pub(super) rewards: Vec<f32>,
    pub(super) reason: Cow<'static, str>,
    /// Random ones included.
    pub(super) plies: u16,
}

impl Game {
    /// Whether it was cut off by the ply limit.
    pub(super) fn truncated(&self) -> bool {
        self.reason == Reason::MaxPlies.name()
    }
}

impl Block {
    /// The pair's number in a plan that the block is one of.
    ///
    /// # Errors
    /// If it is none of that plan's blocks.
    pub(super) fn check(&self, plan: &Plan) -> Result<usize, String> {
        let Self { first, second, games, .. } = self;
        let pair = plan.pairs.iter().position(|pair| pair == &[*first, *second]);
        let Some(pair) = pair else {
            return Err(format!("agents {first} and {second} are no pair of this match"));
        };
        let (expected, seats) = (plan.seating.games(), plan.seating.seats());
        if games.len() != expected {
            return Err(format!("expected {expected} games, found {}", games.len()));
        }
        if let Some(game) = games.iter().find(|game| game.rewards.len() != seats) {
            return Err(format!("expected {seats} rewards, found {}", game.rewards.len()));
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
    file: File,
    path: PathBuf,
}

impl Journal {
    /// Opens a journal, or makes one, and hands its blocks to `each`, which says what is wrong with
    /// a block that is not to be there.
    ///
    /// # Errors
    /// If the file cannot be used; nothing is written to it then.
    pub(super) fn open(
        path: &Path,
        header: &Header,
        mut each: impl FnMut(Block) -> Result<(), String>,
    ) -> Result<Self, JournalError> {
        let fail = |action| move |cause| JournalError::Io { action, path: path.into(), cause };
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(fail("open"))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(JournalError::Locked { path: path.into() });
            }
            Err(TryLockError::Error(cause)) => return Err(fail("lock")(cause)),
        }
        // From here on dropping it gives the lock back.
        let mut journal = Self { file, path: path.into() };
        let mut reader = BufReader::new(&journal.file);
        let mut line = Vec::new();
        let (mut lines, mut kept) = (0, 0);
        loop {
            line.clear();
            let length = reader.read_until(b'\n', &mut line).map_err(fail("read"))?;
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
                parse(text).and_then(&mut each).map_err(|fault| JournalError::Damaged {
                    path: path.into(),
                    line: lines,
                    fault,
                })?;
            }
            kept += length as u64;
        }
        // A torn first line is overwritten only if it is sure to be the beginning of this one.
        let first = header.line();
        if lines == 0 && !first.as_bytes().starts_with(&line) {
            return Err(JournalError::NotAJournal { path: path.into() });
        }
        journal.file.set_len(kept).map_err(fail("write"))?;
        journal.file.seek(SeekFrom::Start(kept)).map_err(fail("write"))?;
        if lines == 0 {
            journal.file.write_all(first.as_bytes()).map_err(fail("write"))?;
        }
        Ok(journal)
    }

    /// Adds a block.
    ///
    /// # Errors
    /// If the file cannot be written; what is there of the line is torn and overwritten next time.
    pub(super) fn add(&mut self, block: &Block) -> Result<(), JournalError> {
        let line = serde_json::to_string(block).expect("a block is plain data") + "\n";
        self.file.write_all(line.as_bytes()).map_err(|cause| JournalError::Io {
            action: "write",
            path: self.path.clone(),
            cause,
        })
    }
}

impl Drop for Journal {
    /// Gives the lock back at once. Closing the file is not enough: a process that is being started
    /// at this moment holds a copy of it for a while, and with it the lock.
    fn drop(&mut self) {
        // If it cannot be unlocked, closing it has to do.
        let _ = self.file.unlock();
    }
}

fn parse(line: &[u8]) -> Result<Block, String> {
    serde_json::from_slice(line).map_err(|error| {
        // The parser counts lines within the line.
        let text = error.to_string();
        let fault = text.rsplit_once(" at line ").map_or(text.as_str(), |(fault, _)| fault);
        format!("column {}: {fault}", error.column())
    })
}
