//! What a batch calls, and the threads behind it.

use std::error::Error as StdError;
use std::mem;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use darkqi_datasets::spawn;
use darkqi_env::{Cause, GameSink, LoggedGame, Registered, Visitor, games};

use super::dataset::{Rest, ShardWriter};
use super::journal::JournalWriter;
use super::recording::Recording;
use crate::error::Error;

/// Steps whose games may wait to be appended. Then steps wait, so that memory does not grow.
const WAITING_STEPS: usize = 64;

/// Journals that may wait to be written as shards. Then games wait, so that the disk does not fill
/// with them: a journal of 5,000 games takes some ten megabytes.
const WAITING_SHARDS: usize = 256;

/// Logs the games of batches. Dropping it closes it.
#[derive(Debug)]
pub struct Recorder {
    /// The process that has the threads. They do not survive a fork, and a forked process must touch
    /// neither them nor the lock, which another thread may have held.
    process: u32,
    state: Mutex<State>,
    /// Whether journals are left as they are.
    leaving: Arc<AtomicBool>,
    /// Whether somebody waits for the end.
    closing: Arc<AtomicBool>,
}

#[derive(Debug)]
enum State {
    Open {
        sender: SyncSender<Vec<LoggedGame>>,
        journal: JoinHandle<Result<(), Error>>,
        shards: JoinHandle<Result<Option<Rest>, Error>>,
    },
    Closed,
    /// Games could not be written.
    Failed(Cause),
}

impl Recorder {
    /// Opens a dataset and starts the threads that write it.
    ///
    /// # Errors
    /// If there is no such game or option, the dataset cannot be written, or it is another one.
    pub fn start(recording: Recording) -> Result<Arc<Self>, Error> {
        struct Start(Recording);
        impl Visitor for Start {
            type Output = Result<Arc<Recorder>, Error>;
            fn visit<G: Registered>(self, rules: G) -> Self::Output {
                let shard_games = self.0.shard_games;
                let shards = ShardWriter::open(rules, self.0)?;
                let (sender, finished) = sync_channel(WAITING_STEPS);
                let (orders, received) = sync_channel(WAITING_SHARDS);
                let (journals, shard) = (shards.journals(), shards.next_shard());
                let journal = JournalWriter { journals, shard, shard_games, orders };
                let journal = spawn("darkqi-log", move || journal.run(&finished))?;
                let leaving = Arc::new(AtomicBool::new(false));
                let closing = Arc::new(AtomicBool::new(false));
                let (leaves, closes) = (Arc::clone(&leaving), Arc::clone(&closing));
                let work = move || shards.run(received, leaves, &closes);
                let shards = spawn("darkqi-shards", work)?;
                let state = Mutex::new(State::Open { sender, journal, shards });
                Ok(Arc::new(Recorder { process: process::id(), state, leaving, closing }))
            }
        }
        let (game, options) = (recording.game.clone(), recording.options.clone());
        games::with(&game, &options, Start(recording))?
    }

    /// Writes the games that are still to be written, and marks the dataset as complete. Games that
    /// end later are an error of their step. In a forked process nothing happens: the log is its
    /// parent's.
    ///
    /// # Errors
    /// If games cannot be written. Their journals stay.
    pub fn close(&self) -> Result<(), Cause> {
        if self.is_forked() { Ok(()) } else { self.state().close(&self.closing) }
    }

    fn is_forked(&self) -> bool {
        self.process != process::id()
    }

    /// A flag that ends [`Recorder::close`] after the shard under way. The dataset then stays
    /// incomplete, and journals have the other games: a recorder that opens it later writes them.
    pub fn leaving(&self) -> &AtomicBool {
        &self.leaving
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Ends the threads, the second of which leaves its work once `closing` is true.
    fn close(&mut self, closing: &AtomicBool) -> Result<(), Cause> {
        match mem::replace(self, Self::Closed) {
            Self::Closed => Ok(()),
            Self::Failed(cause) => Err(cause),
            Self::Open { sender, journal, shards } => {
                drop(sender);
                closing.store(true, Ordering::Relaxed);
                // What the second thread leaves is done while the first one may still send work.
                let shards = join(shards).and_then(|rest| match rest {
                    Some(rest) => rest().map_err(cause),
                    None => Ok(()),
                });
                // The reason of the first one comes first: the second one ends with it.
                [join(journal), shards].into_iter().collect()
            }
        }
    }
}

/// Waits for a thread.
///
/// # Errors
/// What it failed with.
fn join<T>(thread: JoinHandle<Result<T, Error>>) -> Result<T, Cause> {
    match thread.join() {
        Ok(done) => done.map_err(cause),
        Err(_) => Err(cause("internal error: a thread that writes the log panicked")),
    }
}

fn cause(error: impl Into<Box<dyn StdError + Send + Sync>>) -> Cause {
    Cause(error.into().into())
}

impl GameSink for Recorder {
    fn take(&self, games: Vec<LoggedGame>) -> Result<(), Cause> {
        if self.is_forked() {
            let parent = self.process;
            return Err(cause(format!(
                "it is written by process {parent}, of which this one is a fork; expected an env of \
                 its own in a forked process, with another folder"
            )));
        }
        let mut state = self.state();
        let failure = match &*state {
            State::Open { sender, .. } if sender.send(games).is_ok() => return Ok(()),
            // A thread has ended, since it could not write.
            State::Open { .. } => {
                state.close(&self.closing).err().unwrap_or_else(|| cause("it has ended"))
            }
            State::Failed(failure) => failure.clone(),
            State::Closed => return Err(cause("it is closed")),
        };
        *state = State::Failed(failure.clone());
        Err(failure)
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        if self.is_forked() {
            let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
            mem::forget(mem::replace(state, State::Closed));
            return;
        }
        // Nobody is left to tell. The journals have what could not be written.
        let _ = self.close();
    }
}
