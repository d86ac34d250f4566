//! Logs the games of batches as a dataset, whoever chooses the actions.
//!
//! The batch hands over the games that end; a thread makes records of them, keeps them in a journal,
//! and writes them as shards. Games that are left unfinished are not logged, nor are those that end
//! with an illegal action: their actions cannot be played again.

use std::error::Error as StdError;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

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

/// Steps whose games may wait for the thread. Then steps wait, so that memory does not grow.
const WAITING_STEPS: usize = 64;

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
    Open { sender: SyncSender<Vec<LoggedGame>>, thread: JoinHandle<Result<(), Error>> },
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
                let mut log = Log::open(rules, self.0)?;
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
    /// Taken at the end.
    writer: Option<DatasetWriter>,
    journals: Journals,
    journal: Journal,
    shard: u32,
    /// The games of the shard.
    games: Vec<GameRecord>,
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
        // Games of another version or of other agents are not read from the journal.
        let run = format!("recorder {} {:?}", metadata.software_version, metadata.agents);
        let writer = match DatasetWriter::open(dir) {
            Ok(writer) => reopened(dir, writer, &metadata)?,
            Err(datasets::Error::MissingFolder { .. } | datasets::Error::NotADataset { .. }) => {
                DatasetWriter::create(dir, metadata)?
            }
            Err(error) => return Err(error.into()),
        };
        let shard = writer.shards().last().map_or(0, |last| last.shard + 1);
        let next_id = writer.shards().iter().map(|shard| shard.last_game_id + 1).max().unwrap_or(0);
        let journals = Journals::new(dir, run);
        let mut log = Self {
            names: MoveNames::new(rules.table()),
            rules,
            journal: journals.open(shard)?,
            journals,
            recording,
            writer: Some(writer),
            shard,
            games: Vec::new(),
            next_id,
        };
        for game in log.journals.read(shard)? {
            if game.game_id == log.next_id {
                log.next_id += 1;
                log.games.push(game);
            }
        }
        Ok(log)
    }

    /// Logs games until there are no more, and ends the dataset.
    fn run(&mut self, games: &Receiver<Vec<LoggedGame>>) -> Result<(), Error> {
        for games in games {
            let first = self.games.len();
            for game in games {
                let record = self.record(game);
                self.games.push(record);
            }
            self.journal.append(&self.games[first..])?;
            if self.games.len() as u64 >= self.recording.shard_games {
                self.write_shard()?;
            }
        }
        if !self.games.is_empty() {
            self.write_shard()?;
        }
        self.journals.remove(self.shard)?;
        Ok(self.writer.take().map_or(Ok(()), DatasetWriter::finish)?)
    }

    fn write_shard(&mut self) -> Result<(), Error> {
        if let Some(writer) = &mut self.writer {
            writer.write_shard(self.shard, &self.games)?;
        }
        self.journals.remove(self.shard)?;
        self.games.clear();
        self.shard += 1;
        self.journal = self.journals.open(self.shard)?;
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

/// A dataset that more games are to be added to.
///
/// # Errors
/// If it is not a recorded one of this game, with these options and agents.
fn reopened(
    dir: &Path,
    mut writer: DatasetWriter,
    metadata: &Metadata,
) -> Result<DatasetWriter, Error> {
    use crate::reporting::Mismatch;

    if writer.run().is_some() {
        return Err(Error::NotRecorded { dir: dir.into() });
    }
    // The seed of each game is in its row.
    let asked = Metadata { seed: writer.metadata().seed, ..metadata.clone() };
    let mismatches = Mismatch::all(writer.metadata(), &asked);
    if !mismatches.is_empty() {
        return Err(Error::OtherRun { dir: dir.into(), mismatches });
    }
    // Checks the files before anything is added to them.
    Dataset::open(dir)?;
    writer.reopen()?;
    Ok(writer)
}
