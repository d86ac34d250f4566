//! The log that a batch calls, and the threads behind it.

use std::fmt;
use std::mem;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use darkqi_env::{Trajectory, batch::GameSink, error::Cause};
use darkqi_format::spawn;

use super::dataset::ShardWriter;
use super::parts::{Message, PartWriter, cause};
use super::recording::Recording;
use super::shards::Shards;
use crate::error::Error;

/// Steps whose games may wait to be taken. Then steps wait, so that memory does not grow.
const WAITING_STEPS: usize = 64;

/// Shards whose games may wait in parts. Then games wait, so that the disk does not fill with them: 5,000
/// games take some ten megabytes.
const WAITING_SHARDS: usize = 256;

/// Logs the games of batches. Dropping it closes it.
///
/// Games are written by threads, some time after their step. What cannot be written is kept, and
/// [`Recorder::check`] says so before more is played.
#[derive(Debug)]
pub struct Recorder {
    /// The process that has the threads. They do not survive a fork, and a forked process must touch
    /// neither them nor the lock, which another thread may have held.
    process: u32,
    state: Mutex<State>,
    /// Whether the state is no longer open.
    is_closed: AtomicBool,
    /// Whether a thread could not write.
    has_failed: Arc<AtomicBool>,
    /// Whether parts are left as they are.
    leaving: Arc<AtomicBool>,
    /// Whether somebody waits for the end.
    closing: Arc<AtomicBool>,
}

/// A thread that writes shards, and what it leaves to do.
type ShardThread = JoinHandle<Option<Box<Shards>>>;

enum State {
    Open {
        sender: SyncSender<Message>,
        parts: JoinHandle<()>,
        shards: ShardThread,
    },
    /// All games are in parts, some of which could not be written as shards.
    Left(Box<Shards>),
    Closed,
}

impl Recorder {
    /// Opens a dataset and starts the threads that write it.
    ///
    /// # Errors
    /// If there is no such game or option, the dataset cannot be written, or it is another one.
    pub fn start(recording: Recording) -> Result<Arc<Self>, Error> {
        let shard_games = recording.shard_games;
        let writer = ShardWriter::open(recording)?;
        let (sender, messages) = sync_channel(WAITING_STEPS);
        let (orders, received) = sync_channel(WAITING_SHARDS);
        let has_failed = Arc::new(AtomicBool::new(false));
        let leaving = Arc::new(AtomicBool::new(false));
        let closing = Arc::new(AtomicBool::new(false));
        let (parts, shard) = (writer.parts(), writer.next_shard());
        let failed = has_failed.clone();
        let parts = PartWriter::new(parts, shard, shard_games, orders, failed);
        let parts = spawn("darkqi-log", move || parts.run(&messages))?;
        let shards = Shards::new(writer, received, leaving.clone());
        let (failed, closes) = (has_failed.clone(), closing.clone());
        let shards = spawn("darkqi-shards", move || shards.run(&closes, &failed))?;
        let state = Mutex::new(State::Open { sender, parts, shards });
        Ok(Arc::new(Self {
            process: process::id(),
            state,
            is_closed: AtomicBool::new(false),
            has_failed,
            leaving,
            closing,
        }))
    }

    /// Makes sure, before a step, that the games that end in it can be logged. If a thread could not
    /// write, it tries again first.
    ///
    /// # Errors
    /// If it still cannot: the games are kept, and the next call tries again. If the recorder is closed,
    /// or this process was forked from the one that writes.
    pub fn check(&self) -> Result<(), Cause> {
        if self.is_forked() {
            let parent = self.process;
            return Err(cause(format!(
                "it is written by process {parent}, of which this one is a fork; expected an env of \
                 its own in a forked process, with another folder"
            )));
        }
        if self.is_closed() {
            return Err(closed());
        }
        if !self.has_failed.load(Ordering::Relaxed) {
            return Ok(());
        }
        let state = self.state();
        let State::Open { sender, .. } = &*state else { return Err(closed()) };
        self.has_failed.store(false, Ordering::Relaxed);
        let written = ask(sender, Message::Retry);
        self.has_failed.fetch_or(written.is_err(), Ordering::Relaxed);
        written
    }

    /// Writes the games that are still to be written, and marks the dataset as complete. Games that
    /// end later are an error of their step. In a forked process nothing happens: the log is its
    /// parent's.
    ///
    /// # Errors
    /// If games cannot be written. They are kept, in memory or in parts, and another call goes on.
    pub fn close(&self) -> Result<(), Cause> {
        if self.is_forked() {
            return Ok(());
        }
        let mut state = self.state();
        if let State::Open { sender, .. } = &*state {
            // What is in no part is lost with the thread.
            ask(sender, Message::Flush)?;
        }
        state.end(self)
    }

    /// Whether [`Recorder::close`] has been called, and left no games that are in no part.
    pub fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    fn is_forked(&self) -> bool {
        self.process != process::id()
    }

    /// A flag that ends [`Recorder::close`] after the shard under way. The dataset then stays
    /// incomplete, and parts have the other games: a recorder that opens it later writes them.
    pub fn leaving(&self) -> &AtomicBool {
        &self.leaving
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Ends the threads, the second of which leaves its work where somebody waits, and does what is left.
    ///
    /// # Errors
    /// If shards cannot be written. Their games are in parts.
    fn end(&mut self, recorder: &Recorder) -> Result<(), Cause> {
        recorder.is_closed.store(true, Ordering::Relaxed);
        recorder.closing.store(true, Ordering::Relaxed);
        let (left, parts) = match mem::replace(self, Self::Closed) {
            Self::Closed => return Ok(()),
            Self::Left(left) => (Some(left), None),
            Self::Open { sender, parts, shards } => {
                drop(sender);
                (join(shards)?, Some(parts))
            }
        };
        // While the first thread may still send work.
        if let Some(mut left) = left
            && let Err(error) = left.finish()
        {
            *self = Self::Left(left);
            return Err(cause(error));
        }
        parts.map_or(Ok(()), join)
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Open { .. } => "Open",
            Self::Left(_) => "Left",
            Self::Closed => "Closed",
        })
    }
}

/// Asks the first thread to do something now, and waits for it.
///
/// # Errors
/// Its error.
fn ask(
    thread: &SyncSender<Message>,
    message: impl FnOnce(SyncSender<Result<(), Cause>>) -> Message,
) -> Result<(), Cause> {
    let (reply, answer) = sync_channel(1);
    let sent = thread.send(message(reply)).is_ok();
    sent.then(|| answer.recv().ok()).flatten().unwrap_or_else(|| Err(panicked()))
}

/// Waits for a thread.
///
/// # Errors
/// If it panicked.
fn join<T>(thread: JoinHandle<T>) -> Result<T, Cause> {
    thread.join().map_err(|_| panicked())
}

fn panicked() -> Cause {
    cause("internal error: a thread that writes the log panicked")
}

fn closed() -> Cause {
    cause("it is closed")
}

impl GameSink for Recorder {
    fn take(&self, games: Vec<Trajectory>) -> Result<(), Cause> {
        if self.is_forked() {
            return self.check();
        }
        match &*self.state() {
            State::Open { sender, .. } => {
                sender.send(Message::Games(games)).map_err(|_| panicked())
            }
            State::Left(_) | State::Closed => Err(closed()),
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        if !self.is_forked() && self.close().is_ok() {
            return;
        }
        let is_forked = self.is_forked();
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        match mem::replace(state, State::Closed) {
            state if is_forked => mem::forget(state),
            // Nobody is left to tell. The parts have what could be written.
            State::Open { sender, parts, shards } => {
                self.leaving.store(true, Ordering::Relaxed);
                self.closing.store(true, Ordering::Relaxed);
                drop(sender);
                let _ = (join(shards), join(parts));
            }
            State::Left(_) | State::Closed => {}
        }
    }
}
