//! Logs the games of batches as a dataset, whoever chooses the actions.
//!
//! The batch hands over the games that end; a thread makes records of them, keeps them in a journal,
//! and writes them as shards. Games that are left unfinished are not logged, nor are those that end
//! with an illegal action: their actions cannot be played again.

use std::error::Error as StdError;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use darkqi_datasets::{
    self as datasets, Dataset, DatasetWriter, GameRecord, Journal, Journals, Metadata,
    options_to_json,
};
use darkqi_env::{
    Cause, GameSink, LoggedGame, Options, Registered, Rng, Spec, Stream, Visitor, games,
};

use crate::driver::{GameLabel, MoveNames, Transcript};
use crate::error::Error;
use crate::generation::SHARD_GAMES;
use crate::reporting::Mismatch;

/// Steps whose games may wait for the thread. Then steps wait, so that memory does not grow.
const WAITING_STEPS: usize = 64;

/// How often finished games are added to the journal.
const INTERVAL: Duration = Duration::from_secs(1);

/// What is logged, and where.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The game's name in the registry.
    pub game: String,
    /// Its options, the rest at their defaults.
    pub options: Options,
    /// The dataset's folder. It is created, or must hold a dataset of the same game, options and
    /// agents that was recorded, too; its games stay.
    pub dir: PathBuf,
    /// The seed of the batch.
    pub seed: u64,
    /// What the caller's agent is called.
    pub caller: String,
    /// The agent of all other seats, if the caller has one seat.
    pub opponent: Option<String>,
    /// Number of games in a shard, at least 1.
    pub shard_games: u64,
}

impl Recording {
    /// A recording of all seats.
    pub fn new(game: impl Into<String>, dir: impl Into<PathBuf>) -> Self {
        Self {
            game: game.into(),
            options: Options::new(),
            dir: dir.into(),
            seed: 0,
            caller: "caller".to_owned(),
            opponent: None,
            shard_games: SHARD_GAMES,
        }
    }
}

/// Logs the games of batches. Dropping it closes it.
#[derive(Debug)]
pub struct Recorder(Mutex<State>);

#[derive(Debug)]
enum State {
    Open {
        sender: SyncSender<Vec<LoggedGame>>,
        thread: JoinHandle<Result<(), Error>>,
    },
    /// Without games that could not be written.
    Closed,
    Failed(Cause),
}

impl Recorder {
    /// Opens a dataset and starts the thread that writes it.
    ///
    /// # Errors
    /// If there is no such game or option, the dataset cannot be written, or it is another one.
    pub fn start(recording: Recording) -> Result<Arc<Self>, Error> {
        struct Start(Recording);
        impl Visitor for Start {
            type Output = Result<Arc<Recorder>, Error>;
            fn visit<G: Registered>(self, rules: G) -> Self::Output {
                let log = Log::open(rules, self.0)?;
                let (sender, receiver) = sync_channel(WAITING_STEPS);
                let work = move || log.run(&receiver);
                let thread = thread::Builder::new().name("darkqi-log".into()).spawn(work);
                let thread = thread
                    .map_err(|cause| Error::Threads { threads: 1, cause: cause.to_string() })?;
                Ok(Arc::new(Recorder(Mutex::new(State::Open { sender, thread }))))
            }
        }
        let (game, options) = (recording.game.clone(), recording.options.clone());
        games::with(&game, &options, Start(recording))?
    }

    /// Writes the games that are still to be written, and marks the dataset as complete. Games that
    /// end later are an error of their step.
    ///
    /// # Errors
    /// If games cannot be written.
    pub fn close(&self) -> Result<(), Cause> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match std::mem::replace(&mut *state, State::Closed) {
            State::Closed => Ok(()),
            State::Failed(cause) => Err(cause),
            State::Open { sender, thread } => {
                drop(sender);
                join(thread)
            }
        }
    }
}

/// Waits for the thread. Returns what it failed with.
fn join(thread: JoinHandle<Result<(), Error>>) -> Result<(), Cause> {
    let cause: Box<dyn StdError + Send + Sync> = match thread.join() {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(error)) => error.into(),
        Err(_) => "internal error: the thread that writes the log panicked".into(),
    };
    Err(Cause(cause.into()))
}

impl GameSink for Recorder {
    fn take(&self, games: Vec<LoggedGame>) -> Result<(), Cause> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match std::mem::replace(&mut *state, State::Closed) {
            State::Open { sender, thread } => {
                let sent = sender.send(games).is_ok();
                if sent {
                    *state = State::Open { sender, thread };
                    return Ok(());
                }
                // The thread has ended, since it could not write.
                let cause = join(thread).expect_err("the thread only ends early by an error");
                *state = State::Failed(cause.clone());
                Err(cause)
            }
            State::Failed(cause) => {
                *state = State::Failed(cause.clone());
                Err(cause)
            }
            State::Closed => {
                let cause: Box<dyn StdError + Send + Sync> = "it is closed".into();
                Err(Cause(cause.into()))
            }
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        // Nobody is left to tell. The journal has what could not be written.
        let _ = self.close();
    }
}

/// The dataset that is being written.
struct Log<G: Registered> {
    rules: G,
    names: MoveNames,
    recording: Recording,
    writer: DatasetWriter,
    journals: Journals,
    /// That of the shard, once it has games.
    journal: Option<Journal>,
    shard: u32,
    /// The games of the shard.
    games: Vec<GameRecord>,
    /// How many of them the journal has, and since when.
    journaled: usize,
    since_journal: Instant,
    next_id: u64,
}

impl<G: Registered> Log<G> {
    fn open(rules: G, recording: Recording) -> Result<Self, Error> {
        if recording.shard_games == 0 {
            let expected = "at least 1".to_owned();
            return Err(Error::Config { field: "shard_games", found: 0, expected });
        }
        let mut agents = vec![recording.caller.clone(); rules.players()];
        if let Some(opponent) = &recording.opponent {
            agents[1..].fill(opponent.clone());
        }
        let metadata = Metadata {
            game: G::NAME.into(),
            options: options_to_json(&Spec::of(&rules).options_in_force()),
            seed: recording.seed,
            agents,
            software_version: env!("CARGO_PKG_VERSION").into(),
        };
        let dir = &recording.dir;
        let journals = Journals::new(dir, format!("recorder {:?}", metadata.agents));
        let mut games = Vec::new();
        let writer = match DatasetWriter::open(dir) {
            Ok(writer) => {
                let writer = reopened(dir, writer, &metadata)?;
                games = journals.read(next_shard(&writer))?;
                writer
            }
            Err(datasets::Error::MissingFolder { .. } | datasets::Error::NotADataset { .. }) => {
                DatasetWriter::create(dir, metadata)?
            }
            Err(error) => return Err(error.into()),
        };
        let first_id = writer.shards().iter().map(|shard| shard.last_game_id + 1).max();
        let first_id = first_id.unwrap_or(0);
        // What follows a gap is of another recording.
        let in_order = (first_id..).zip(&games).take_while(|(id, game)| game.game_id == *id);
        games.truncate(in_order.count());
        Ok(Self {
            names: MoveNames::new(rules.table()),
            rules,
            shard: next_shard(&writer),
            writer,
            journals,
            journal: None,
            journaled: games.len(),
            since_journal: Instant::now(),
            next_id: first_id + games.len() as u64,
            games,
            recording,
        })
    }

    /// Logs games until there are no more, and ends the dataset.
    fn run(mut self, finished: &Receiver<Vec<LoggedGame>>) -> Result<(), Error> {
        loop {
            match finished.recv_timeout(INTERVAL) {
                Ok(games) => {
                    for game in games {
                        let record = self.record(game);
                        self.games.push(record);
                        if self.games.len() as u64 >= self.recording.shard_games {
                            self.write_shard()?;
                        }
                    }
                    if self.since_journal.elapsed() >= INTERVAL {
                        self.write_journal();
                    }
                }
                Err(RecvTimeoutError::Timeout) => self.write_journal(),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        if !self.games.is_empty() {
            self.write_shard()?;
        }
        Ok(self.writer.finish()?)
    }

    /// Adds the newest games to the journal. Without a journal the shard can still be written; if it
    /// cannot, that error is reported.
    fn write_journal(&mut self) {
        self.since_journal = Instant::now();
        let new = &self.games[self.journaled..];
        if new.is_empty() {
            return;
        }
        if self.journal.is_none() {
            self.journal = self.journals.open(self.shard).ok();
        }
        if let Some(journal) = &mut self.journal
            && journal.append(new).is_ok()
        {
            self.journaled = self.games.len();
        }
    }

    fn write_shard(&mut self) -> Result<(), Error> {
        self.writer.write_shard(self.shard, &self.games)?;
        self.games.clear();
        (self.journal, self.journaled) = (None, 0);
        self.shard += 1;
        Ok(())
    }

    fn record(&mut self, game: LoggedGame) -> GameRecord {
        let Self { rules, names, recording, next_id, .. } = self;
        let deal = rules.deal(&mut Rng::new(game.seed, Stream::Deal));
        let agent = |seat| match (&recording.opponent, game.caller) {
            (Some(opponent), Some(caller)) if seat != caller => opponent.clone(),
            _ => recording.caller.clone(),
        };
        let label = GameLabel {
            game_id: *next_id,
            seed: game.seed,
            pair_id: *next_id,
            agents: (0..rules.players()).map(agent).collect(),
        };
        *next_id += 1;
        let mut transcript = Transcript::new(names, rules, &deal);
        let mut decisions = game.decisions.into_iter().peekable();
        for (number, ply) in (0..).zip(&game.plies) {
            let decision = decisions.next_if(|decision| decision.ply == number);
            let (value, policy) =
                decision.map_or((None, None), |decision| (decision.value, decision.policy));
            transcript.add(rules, ply, value, policy);
        }
        transcript.finish(label, &game.outcome)
    }
}

/// The number of the shard after those that are written.
fn next_shard(writer: &DatasetWriter) -> u32 {
    writer.shards().last().map_or(0, |last| last.shard + 1)
}

/// A dataset that more games are to be added to.
///
/// # Errors
/// If it is not a recorded one of this game, with these options and agents, or its files are not those
/// that were written.
fn reopened(
    dir: &Path,
    mut writer: DatasetWriter,
    metadata: &Metadata,
) -> Result<DatasetWriter, Error> {
    if writer.run().is_some() {
        return Err(Error::NotRecorded { dir: dir.into() });
    }
    // The seed of each game is in its row.
    let asked = Metadata { seed: writer.metadata().seed, ..metadata.clone() };
    let mismatches = Mismatch::all(writer.metadata(), &asked);
    if !mismatches.is_empty() {
        return Err(Error::OtherRun { dir: dir.into(), mismatches });
    }
    Dataset::open(dir)?;
    writer.resume(None)?;
    Ok(writer)
}
