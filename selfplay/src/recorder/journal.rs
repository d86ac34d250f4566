//! The thread that appends games to journals.

use std::sync::mpsc::{Receiver, SyncSender};

use darkqi_datasets::{Journal, Journals};
use darkqi_env::LoggedGame;

use crate::error::Error;

/// Appends the games that a batch hands over.
pub(super) struct JournalWriter {
    pub(super) journals: Journals<LoggedGame>,
    /// The shard under way. Those before it are sent to the thread that writes them.
    pub(super) shard: u32,
    pub(super) shard_games: u64,
    pub(super) orders: SyncSender<Order>,
}

/// What the thread that writes shards is told, or the thread that takes over its work. If it is told
/// nothing more, it leaves the journals, which hold games that are in no shard.
#[derive(Clone, Copy)]
pub(super) enum Order {
    /// Write the games of this journal.
    Write(u32),
    /// There are no more games.
    Finish,
}

impl JournalWriter {
    /// Appends games until there are no more, or nobody writes the shards.
    ///
    /// # Errors
    /// If a journal cannot be written.
    pub(super) fn run(mut self, finished: &Receiver<Vec<LoggedGame>>) -> Result<(), Error> {
        let mut journal: Option<Journal<LoggedGame>> = None;
        let mut games_in_shard = 0;
        for games in finished {
            let mut games = &games[..];
            while !games.is_empty() {
                let room = (self.shard_games - games_in_shard).min(games.len() as u64);
                let (now, later) = games.split_at(room as usize);
                let open = match &mut journal {
                    Some(open) => open,
                    none => none.insert(self.journals.open(self.shard)?),
                };
                open.append(now)?;
                games = later;
                games_in_shard += room;
                if games_in_shard == self.shard_games {
                    (journal, games_in_shard) = (None, 0);
                    if !self.end_shard() {
                        return Ok(());
                    }
                }
            }
        }
        if games_in_shard > 0 {
            drop(journal);
            self.end_shard();
        }
        // If nobody takes it, the other thread has failed and says why.
        let _ = self.orders.send(Order::Finish);
        Ok(())
    }

    /// Sends the shard to be written. False if nobody takes it: the other thread has failed.
    fn end_shard(&mut self) -> bool {
        self.shard += 1;
        self.orders.send(Order::Write(self.shard - 1)).is_ok()
    }
}
