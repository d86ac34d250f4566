//! The thread that appends games to journals.

use std::error::Error as StdError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender};

use darkqi_datasets::{self as datasets, Journal, Journals};
use darkqi_env::{Cause, Trajectory};

/// Appends the games that a batch hands over. Those that cannot be written wait.
pub(super) struct JournalWriter {
    journals: Journals<Trajectory>,
    /// The shard under way. Those before it are sent to the thread that writes them.
    shard: u32,
    shard_games: u64,
    orders: SyncSender<Order>,
    has_failed: Arc<AtomicBool>,
    /// That of the shard under way, once it has games.
    journal: Option<Journal<Trajectory>>,
    games_in_shard: u64,
    /// Games that are in no journal yet.
    waiting: Vec<Trajectory>,
}

/// Whether what was waiting could be written.
pub(super) type Reply = SyncSender<Result<(), Cause>>;

/// What the thread is told.
pub(super) enum Message {
    /// Append these games.
    Games(Vec<Trajectory>),
    /// Append what waits.
    Flush(Reply),
    /// Append what waits; and the other thread is to write what waits there.
    Retry(Reply),
}

/// What the thread that writes shards is told. If it is told nothing more, it leaves the journals,
/// which hold games that are in no shard.
pub(super) enum Order {
    /// Write the games of this journal.
    Write(u32),
    /// Write what waits.
    Retry(Reply),
    /// There are no more games.
    Finish,
}

/// Games that are in no journal.
#[derive(Debug, thiserror::Error)]
#[error("{cause}; {games} games that have ended are kept in memory, and the next call tries again")]
struct Kept {
    games: usize,
    #[source]
    cause: datasets::Error,
}

impl JournalWriter {
    pub(super) fn new(
        journals: Journals<Trajectory>,
        shard: u32,
        shard_games: u64,
        orders: SyncSender<Order>,
        has_failed: Arc<AtomicBool>,
    ) -> Self {
        Self {
            journals,
            shard,
            shard_games,
            orders,
            has_failed,
            journal: None,
            games_in_shard: 0,
            waiting: Vec::new(),
        }
    }

    /// Appends games until there are no more.
    pub(super) fn run(mut self, messages: &Receiver<Message>) {
        for message in messages {
            match message {
                Message::Games(games) => {
                    self.waiting.extend(games);
                    if self.write().is_err() {
                        self.has_failed.store(true, Ordering::Relaxed);
                    }
                }
                // Who asks waits for the answer.
                Message::Flush(reply) => drop(reply.send(self.write())),
                Message::Retry(reply) => match self.write() {
                    // If nobody takes it, who asks gets no answer.
                    Ok(()) => drop(self.orders.send(Order::Retry(reply))),
                    failed => drop(reply.send(failed)),
                },
            }
        }
        if self.write().is_err() {
            return;
        }
        if self.games_in_shard > 0 {
            self.end_shard();
        }
        // If nobody takes it, the other thread has panicked, which its end tells.
        let _ = self.orders.send(Order::Finish);
    }

    /// Appends the games that wait.
    ///
    /// # Errors
    /// If a journal cannot be written. The games that are not in it still wait.
    fn write(&mut self) -> Result<(), Cause> {
        while !self.waiting.is_empty() {
            let room = (self.shard_games - self.games_in_shard).min(self.waiting.len() as u64);
            self.append(room as usize)
                .map_err(|error| cause(Kept { games: self.waiting.len(), cause: error }))?;
            self.games_in_shard += room;
            if self.games_in_shard == self.shard_games {
                self.end_shard();
            }
        }
        Ok(())
    }

    /// Appends the first games that wait to the journal under way.
    fn append(&mut self, games: usize) -> Result<(), datasets::Error> {
        let journal = match &mut self.journal {
            Some(open) => open,
            none => none.insert(self.journals.open(self.shard)?),
        };
        journal.append(&self.waiting[..games])?;
        self.waiting.drain(..games);
        Ok(())
    }

    /// Sends the shard to be written.
    fn end_shard(&mut self) {
        (self.journal, self.games_in_shard) = (None, 0);
        self.shard += 1;
        if self.orders.send(Order::Write(self.shard - 1)).is_err() {
            // The other thread has panicked.
            self.has_failed.store(true, Ordering::Relaxed);
        }
    }
}

/// An error as the cause of another.
pub(super) fn cause(error: impl Into<Box<dyn StdError + Send + Sync>>) -> Cause {
    Cause(error.into().into())
}
