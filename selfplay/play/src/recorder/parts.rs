//! The thread that writes games to parts.

use std::error::Error as StdError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};

use darkqi_env::{Trajectory, error::Cause};
use darkqi_format::{self as datasets, Pace, Parts};

/// Writes the games that a batch hands over to parts, from time to time and when a shard has all its
/// games. Those that cannot be written wait.
pub(super) struct PartWriter {
    parts: Parts<Trajectory>,
    /// The shard under way. Those before it are sent to the thread that writes them.
    shard: u32,
    shard_games: u64,
    orders: SyncSender<Order>,
    has_failed: Arc<AtomicBool>,
    /// Games of the shard under way that are in parts.
    games_in_shard: u64,
    /// Games that are in no part yet.
    waiting: Vec<Trajectory>,
    pace: Pace,
}

/// Whether what was waiting could be written.
pub(super) type Reply = SyncSender<Result<(), Cause>>;

/// An order to the thread.
pub(super) enum Message {
    /// Keep these games.
    Games(Vec<Trajectory>),
    /// Write what waits.
    Flush(Reply),
    /// Write what waits; and the other thread is to write what waits there.
    Retry(Reply),
}

/// An order to the thread that writes shards. Without a further one it leaves the parts, which hold
/// games that are in no shard.
pub(super) enum Order {
    /// Write this shard.
    Write(u32),
    /// Write what waits.
    Retry(Reply),
    /// There are no more games.
    Finish,
}

/// Games that are in no part.
#[derive(Debug, thiserror::Error)]
#[error("{cause}; {games} games that have ended are kept in memory, and the next call tries again")]
struct Kept {
    games: usize,
    #[source]
    cause: datasets::Error,
}

impl PartWriter {
    pub(super) fn new(
        parts: Parts<Trajectory>,
        shard: u32,
        shard_games: u64,
        orders: SyncSender<Order>,
        has_failed: Arc<AtomicBool>,
    ) -> Self {
        Self {
            parts,
            shard,
            shard_games,
            orders,
            has_failed,
            games_in_shard: 0,
            waiting: Vec::new(),
            pace: Pace::start(),
        }
    }

    /// Takes games until there are no more.
    pub(super) fn run(mut self, messages: &Receiver<Message>) {
        loop {
            match messages.recv_timeout(self.pace.left()) {
                Ok(Message::Games(games)) => {
                    self.waiting.extend(games);
                    self.note(|it| it.write_full_shards());
                }
                // Who asks waits for the answer.
                Ok(Message::Flush(reply)) => drop(reply.send(self.write())),
                Ok(Message::Retry(reply)) => match self.write() {
                    // If nobody takes it, who asks gets no answer.
                    Ok(()) => drop(self.orders.send(Order::Retry(reply))),
                    failed => drop(reply.send(failed)),
                },
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if self.pace.is_due() {
                self.note(Self::write);
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

    /// Does what may fail. Whoever steps next is told, and tries again.
    fn note(&mut self, write: impl FnOnce(&mut Self) -> Result<(), Cause>) {
        if write(self).is_err() {
            self.has_failed.store(true, Ordering::Relaxed);
        }
    }

    /// Writes the games that wait.
    ///
    /// # Errors
    /// If a part cannot be written. The games that are not in one still wait.
    fn write(&mut self) -> Result<(), Cause> {
        self.write_full_shards()?;
        if self.waiting.is_empty() { Ok(()) } else { self.write_part(self.waiting.len()) }
    }

    /// Writes the games that wait for as long as a shard has all its games with them.
    fn write_full_shards(&mut self) -> Result<(), Cause> {
        loop {
            let room = self.shard_games - self.games_in_shard;
            if (self.waiting.len() as u64) < room {
                return Ok(());
            }
            self.write_part(room as usize)?;
            self.end_shard();
        }
    }

    /// Writes the first games that wait as a part of the shard under way; on a disk that is nearly full as
    /// several, as far as they fit.
    fn write_part(&mut self, games: usize) -> Result<(), Cause> {
        let (mut left, mut most) = (games, games);
        while left > 0 {
            let some = most.min(left);
            match self.parts.write(self.shard, self.games_in_shard, &self.waiting[..some]) {
                Ok(()) => {
                    self.waiting.drain(..some);
                    self.games_in_shard += some as u64;
                    left -= some;
                }
                Err(_) if some > 1 => most = some / 2,
                Err(error) => {
                    return Err(cause(Kept { games: self.waiting.len(), cause: error }));
                }
            }
        }
        Ok(())
    }

    /// Sends the shard to be written.
    fn end_shard(&mut self) {
        self.games_in_shard = 0;
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
