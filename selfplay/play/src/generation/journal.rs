//! The journals of a run: games that are kept before their shard is finished.

use std::collections::BTreeMap;
use std::mem;
use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use darkqi_datasets::{GameRecord, Journal, Journals, in_parallel};
use darkqi_env::Registered;

use super::check::differences;
use super::plan::Plan;
use crate::error::Error;
use crate::openings::Starts;
use crate::replay::Replayer;

/// How often finished games are added to the journal. A shard that is played in less time needs none:
/// beside random play a journal takes 6 % of the time.
const INTERVAL: Duration = Duration::from_secs(1);

/// The games of unfinished shards in the journals of an interrupted run, by shard, ascending by id.
///
/// A journal is not believed: what is not exactly the game that the plan has under its number, as far
/// as a replay can tell, is left out, and so is a second game of the same number. `missing` gives the
/// games of a shard that the dataset lacks.
///
/// # Errors
/// If a journal cannot be read.
pub(super) fn read<G: Registered>(
    journals: &Journals,
    plan: &Plan,
    starts: &Starts<G>,
    rules: &G,
    missing: impl Fn(u32) -> Range<u64>,
) -> Result<BTreeMap<u32, Vec<GameRecord>>, Error> {
    let replayer = Replayer::new(rules.clone());
    let mut shards = BTreeMap::new();
    for shard in journals.shards()? {
        let ids = missing(shard);
        if ids.is_empty() {
            continue;
        }
        let is_sound = |game: &GameRecord| {
            let id = game.game_id;
            ids.contains(&id) && differences(&replayer, Some((plan, starts)), id, game).is_empty()
        };
        let mut games = journals.read(shard)?;
        let sound = in_parallel(0..games.len(), &|at| Ok::<_, Error>(is_sound(&games[at])))?;
        let mut sound = sound.into_iter();
        games.retain(|_| sound.next() == Some(true));
        games.sort_by_key(|game| game.game_id);
        games.dedup_by_key(|game| game.game_id);
        if !games.is_empty() {
            shards.insert(shard, games);
        }
    }
    Ok(shards)
}

/// Games of a shard that have ended. The threads that play add them, and one thread keeps them.
#[derive(Debug, Default)]
pub(super) struct EndedGames {
    inbox: Mutex<Inbox>,
    closed: Condvar,
}

#[derive(Debug, Default)]
struct Inbox {
    games: Vec<GameRecord>,
    end: Option<End>,
}

/// How the play of a shard came to its end.
#[derive(Clone, Copy, PartialEq, Debug)]
enum End {
    /// All games were played.
    Complete,
    /// The shard will not be finished by this run.
    Interrupted,
}

impl EndedGames {
    /// Adds a game.
    pub(super) fn add(&self, game: GameRecord) {
        self.lock().games.push(game);
    }

    /// Collects all games until the end, and adds them to the shard's journal every [`INTERVAL`],
    /// if there are journals. The journal of a shard that is complete before that is not begun.
    ///
    /// If the journal cannot be written, play goes on without it: the shard can still be finished, and
    /// if its files cannot be written, the run fails with that error.
    pub(super) fn keep(&self, journals: Option<&Journals>, shard: u32) -> Vec<GameRecord> {
        let mut games = Vec::new();
        let mut journal = journals.map_or(ShardJournal::Off, ShardJournal::Closed);
        loop {
            let inbox = self.lock();
            let inbox =
                self.closed.wait_timeout_while(inbox, INTERVAL, |inbox| inbox.end.is_none());
            let (mut inbox, _) = inbox.unwrap_or_else(PoisonError::into_inner);
            let (mut new, end) = (mem::take(&mut inbox.games), inbox.end);
            drop(inbox);
            // A complete shard waits while the one before it is written.
            if end != Some(End::Complete) || matches!(journal, ShardJournal::Open(_)) {
                journal.append(shard, &new);
            }
            games.append(&mut new);
            if end.is_some() {
                return games;
            }
        }
    }

    /// What ends the play: when it is dropped, the shard is interrupted.
    pub(super) fn end_on_drop(&self) -> EndOnDrop<'_> {
        EndOnDrop(self)
    }

    fn end(&self, end: End) {
        self.lock().end.get_or_insert(end);
        self.closed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Inbox> {
        // Adding a game leaves no half-changed state.
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the play of a shard, also where a thread panics: its keeper must not wait for ever.
pub(super) struct EndOnDrop<'a>(&'a EndedGames);

impl EndOnDrop<'_> {
    /// All games were played.
    pub(super) fn complete(self) {
        self.0.end(End::Complete);
    }
}

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.end(End::Interrupted);
    }
}

/// The journal of the shard under way.
enum ShardJournal<'a> {
    Closed(&'a Journals),
    Open(Journal),
    /// It cannot be written, or is not wanted.
    Off,
}

impl ShardJournal<'_> {
    fn append(&mut self, shard: u32, games: &[GameRecord]) {
        if games.is_empty() {
            return;
        }
        if let Self::Closed(journals) = self {
            *self = journals.open(shard).map_or(Self::Off, Self::Open);
        }
        if let Self::Open(journal) = self
            && journal.append(games).is_err()
        {
            *self = Self::Off;
        }
    }
}
