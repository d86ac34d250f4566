//! One run of a job: what its folder holds is kept, the other games are played, and all are handed in
//! order to a tally and to the files of their shards.
//!
//! Games that have ended, of shards that are not finished, are written as parts from time to time and
//! when the run ends early. A part is not believed: a resumed run takes from it what is exactly the game
//! that it has under its number, as far as a replay can tell.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use darkqi_env::Spec;
use darkqi_format::{Dataset, GameRecord, Pace};

use super::folder::{Folder, check_shareable, join};
use super::inspect::games_of;
use super::job::{Job, Seating};
use super::schedule::Schedule;
use super::workers::{Ended, Queue, STOP_INTERVAL, Table, play};
use crate::error::Error;
use crate::reporting::Progress;
use crate::threads::thread_pool;

/// The most games that a thread plays at a time.
const MAX_IN_FLIGHT: u64 = 1 << 16;

/// The count of a run's games, which decides whether it needs more.
pub(crate) trait Tally {
    /// Counts the games of a block. `in_order` is false for those of a run that ended early before all
    /// blocks before it were whole.
    ///
    /// # Errors
    /// If they cannot be counted.
    fn add(&mut self, schedule: &Schedule, block: &[Ended], in_order: bool) -> Result<(), Error>;

    /// All blocks of a shard were counted. These are its games.
    ///
    /// # Errors
    /// If they cannot be counted.
    fn end_shard(&mut self, _games: &[GameRecord]) -> Result<(), Error> {
        Ok(())
    }

    /// Whether no more games are needed. Asked after each block and each shard.
    fn is_decided(&self) -> bool;

    /// The decision in words, such as "until: 0.01 is reached"; and what can be asked of a run that holds
    /// more games.
    fn decision(&self) -> (String, &'static str);

    /// How far it is, in words.
    fn standing(&self) -> Option<String>;
}

/// The end of a run.
pub(crate) struct Ran {
    /// Whether there are as many games as are needed: not if it was stopped. An error if it failed.
    pub(crate) end: Result<bool, Error>,
    /// Games that were there before.
    pub(crate) kept: u64,
    /// Why shards were played again: what was wrong with their files.
    pub(crate) damages: Vec<String>,
    /// How often engines were started again, by agent.
    pub(crate) restarts: BTreeMap<String, u64>,
    /// Time from the first game to the last file.
    pub(crate) elapsed: Duration,
    /// Size of the tables of its shards.
    pub(crate) bytes: u64,
}

/// Plays what is missing of a job.
///
/// # Errors
/// If the job is faulty, its folder belongs to another one or cannot be read (nothing is changed then);
/// [`Error::Stopped`] when `stop` becomes true while shards are checked.
pub(crate) fn run<T: Tally>(
    job: &Job,
    seating: Seating,
    make_tally: impl FnOnce(&Spec, &Schedule) -> Result<T, Error>,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<(T, Ran), Error> {
    let table = Table::new(job, seating)?;
    let Table { spec, schedule, .. } = &table;
    let mut tally = make_tally(spec, schedule)?;
    let shards = match &job.shards {
        Some(range) => range.clone(),
        None => 0..schedule.shards(),
    };
    let mut folder = match &job.dir {
        Some(dir) => {
            let open = || Folder::open(&table, job, dir, shards.clone(), stop);
            Some(thread_pool(job.threads)?.install(open)?)
        }
        None => None,
    };
    let (first, end) = (schedule.shard(shards.start).start, schedule.shard(shards.end - 1).end);
    let ended = folder.as_mut().map(|folder| mem::take(&mut folder.ended)).unwrap_or_default();
    let held: BTreeMap<u64, u64> = folder
        .iter()
        .flat_map(|folder| &folder.sound)
        .map(|(&number, shard)| (number.into(), shard.games))
        .collect();
    let kept = held.values().sum::<u64>() + ended.len() as u64;
    progress.begin(end - first, kept);

    let has_ended: BTreeSet<u64> = ended.keys().copied().collect();
    let lacked = |number| {
        let ids = schedule.shard(number);
        ids.start + held.get(&number).unwrap_or(&0)..ids.end
    };
    let missing = shards.clone().flat_map(lacked).filter(|id| !has_ended.contains(id));
    let left = (end - first).saturating_sub(kept);
    let threads = (job.threads.get() as u64).min(left) as usize;
    let most = left.div_ceil(threads.max(1) as u64).min(MAX_IN_FLIGHT) as usize;
    // Nothing begins before its shard does.
    let queue = Queue::new(missing, first, stop);
    // Every thread can begin as many games as its agents gain by.
    let in_flight = table.batch_size().min(most) * threads;
    let mut collector = Collector {
        table: &table,
        tally: &mut tally,
        folder: folder.as_mut(),
        queue: &queue,
        progress,
        stop,
        ahead: 2 * schedule.shard_games.max(in_flight as u64),
        end,
        next: first,
        waiting: ended
            .into_iter()
            .map(|(id, record)| (id, Ended { record, times: None }))
            .collect(),
        first: None,
        shard: Vec::new(),
        unsaved: BTreeSet::new(),
        pace: Pace::start(),
    };
    let started = Instant::now();
    let (collected, played) =
        play(&table, &queue, threads, most, progress, |ended| collector.collect(&ended));
    let is_whole = collector.is_whole();
    // Of games that are not needed any more nothing is asked.
    let mut result = if is_whole { collected } else { collected.and(played) };
    if !is_whole || result.is_err() {
        let saved = collector.rest();
        result = result.and(saved);
    }
    let is_complete = is_whole && result.is_ok();
    let (mut damages, mut bytes) = (Vec::new(), 0);
    if let Some(mut folder) = folder {
        damages = mem::take(&mut folder.damages);
        match folder.close(job, is_complete, shards) {
            Ok(size) => bytes = size,
            Err(error) => result = result.and(Err(error)),
        }
    }
    let ran = Ran {
        end: result.map(|()| is_complete),
        kept,
        damages,
        restarts: table.restarts(),
        elapsed: started.elapsed(),
        bytes,
    };
    Ok((tally, ran))
}

/// Makes the folder of a run ready for processes that play some of its shards each, and gives the
/// number of all its shards.
///
/// # Errors
/// As [`run`] before it plays.
pub(crate) fn prepare(job: &Job, dir: &Path) -> Result<u64, Error> {
    let table = Table::new(job, Seating::Seats)?;
    let shards = table.schedule.shards();
    check_shareable(&Job { shards: None, ..job.clone() }, &table.schedule)?;
    join(job, dir, &table)?;
    Ok(shards)
}

/// Takes the games that have ended, in any order, and hands them on in the order of their numbers.
struct Collector<'a, 'q, T> {
    table: &'a Table,
    tally: &'a mut T,
    folder: Option<&'a mut Folder>,
    queue: &'a Queue<'q>,
    progress: &'a dyn Progress,
    stop: &'a AtomicBool,
    /// How many games after the first of the shard under way may begin.
    ahead: u64,
    /// The game after the last.
    end: u64,
    /// The next game to be counted.
    next: u64,
    /// Games that are not counted yet.
    waiting: BTreeMap<u64, Ended>,
    /// The first game of the shard under way, once that is begun.
    first: Option<u64>,
    /// Its games that are counted.
    shard: Vec<GameRecord>,
    /// Games that this run has played and that are in no file.
    unsaved: BTreeSet<u64>,
    pace: Pace,
}

impl<T: Tally> Collector<'_, '_, T> {
    /// Whether there are as many games as are needed.
    fn is_whole(&self) -> bool {
        self.next >= self.end || self.tally.is_decided()
    }

    /// Takes games until no thread plays.
    ///
    /// # Errors
    /// If a file cannot be written or read.
    fn collect(&mut self, ended: &Receiver<Ended>) -> Result<(), Error> {
        let collected = self.take_until_whole(ended);
        self.queue.halt();
        ended.iter().for_each(|game| self.take(game));
        collected.and_then(|()| self.advance())
    }

    fn take_until_whole(&mut self, ended: &Receiver<Ended>) -> Result<(), Error> {
        loop {
            self.advance()?;
            if self.is_whole() || self.stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            if let Some(text) = self.tally.standing() {
                self.progress.standing(&text);
            }
            match ended.recv_timeout(STOP_INTERVAL) {
                Ok(game) => {
                    self.take(game);
                    ended.try_iter().for_each(|game| self.take(game));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            if self.pace.is_due() {
                // If it fails, the shard can still be written, or that fails, too.
                let _ = self.save();
            }
        }
    }

    fn take(&mut self, game: Ended) {
        if self.folder.is_some() {
            self.unsaved.insert(game.record.game_id);
        }
        self.waiting.insert(game.record.game_id, game);
    }

    /// Hands on all games whose turn it is.
    fn advance(&mut self) -> Result<(), Error> {
        let schedule = &self.table.schedule;
        while !self.is_whole() {
            let number = (self.next / schedule.shard_games) as u32;
            let ids = schedule.shard(number.into());
            if self.first != Some(ids.start) && !self.begin_shard(number, &ids)? {
                break;
            }
            let block = self.next..self.next + schedule.block_games;
            if !block.clone().all(|id| self.waiting.contains_key(&id)) {
                break;
            }
            let block: Vec<Ended> = block.filter_map(|id| self.waiting.remove(&id)).collect();
            self.tally.add(schedule, &block, true)?;
            self.next += schedule.block_games;
            self.shard.extend(block.into_iter().map(|game| game.record));
            if self.next == ids.end {
                self.tally.end_shard(&self.shard)?;
            }
            if self.next == ids.end || self.tally.is_decided() {
                self.end_shard(number, &ids)?;
            }
        }
        Ok(())
    }

    /// Reads what there is of a shard. False if the run is stopped before that.
    fn begin_shard(&mut self, number: u32, ids: &Range<u64>) -> Result<bool, Error> {
        if let Some(folder) = &mut self.folder {
            let shard = folder.sound.get(&number);
            let is_whole = shard.is_some_and(|shard| shard.games == ids.end - ids.start);
            if is_whole && self.stop.load(Ordering::Relaxed) {
                return Ok(false);
            }
            if let Some(shard) = shard {
                let dataset = Dataset::open_unchecked(&folder.dir)?;
                let games = games_of(&dataset, shard, ids.start, self.table.schedule.seats())?;
                let kept = |record: GameRecord| (record.game_id, Ended { record, times: None });
                self.waiting.extend(games.into_iter().map(kept));
            }
            if !is_whole {
                folder.begin()?;
            }
        }
        self.first = Some(ids.start);
        self.queue.allow(ids.start.saturating_add(self.ahead));
        Ok(true)
    }

    fn end_shard(&mut self, number: u32, ids: &Range<u64>) -> Result<(), Error> {
        if let Some(folder) = &mut self.folder {
            let (held, games) = (folder.held(number), self.shard.len() as u64);
            let is_last = folder.sound.keys().all(|&other| other <= number);
            let is_loose = folder.loose.contains(&number);
            if self.tally.is_decided() && (held > games && !is_loose || !is_last) {
                let (what, expected) = self.tally.decision();
                let (dir, last) = (folder.dir.clone(), self.next - 1);
                return Err(Error::Beyond { dir, what, expected, last });
            }
            if held != games {
                folder.write(self.table, number, &self.shard)?;
            }
        }
        self.unsaved = self.unsaved.split_off(&ids.end);
        self.shard.clear();
        Ok(())
    }

    /// Writes the games that are in no file as parts of their shards.
    fn save(&mut self) -> Result<(), Error> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let shard_games = self.table.schedule.shard_games;
        while let Some(&first) = self.unsaved.first() {
            let number = first / shard_games;
            let others = self.unsaved.split_off(&((number + 1) * shard_games));
            let record = |id: &u64| match self.waiting.get(id) {
                Some(game) => &game.record,
                None => &self.shard[(id - self.first.unwrap_or_default()) as usize],
            };
            let games: Vec<&GameRecord> = self.unsaved.iter().map(record).collect();
            let written = folder.parts.write(number as u32, first, &games);
            if let Err(error) = written {
                self.unsaved.extend(others);
                return Err(error.into());
            }
            self.unsaved = others;
        }
        Ok(())
    }

    /// Saves and counts the games of a run that ended early.
    fn rest(&mut self) -> Result<(), Error> {
        let saved = self.save();
        let schedule = &self.table.schedule;
        let waiting: Vec<Ended> = mem::take(&mut self.waiting).into_values().collect();
        let block = |game: &Ended| game.record.game_id / schedule.block_games;
        for games in waiting.chunk_by(|one, other| block(one) == block(other)) {
            if games.len() as u64 == schedule.block_games {
                self.tally.add(schedule, games, false)?;
            }
        }
        saved
    }
}
