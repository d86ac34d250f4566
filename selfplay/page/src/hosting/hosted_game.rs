//! A game under way, shared by requests and by the agents that play in it.

use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use darkqi_engine::agent::Decision;
use darkqi_engine::agents::AgentError;
use darkqi_env::Player;
use darkqi_play::Error;
use darkqi_play::opponents::Adviser;
use tokio::sync::watch;
use tokio::task::{self, AbortHandle};
use tokio::time::{sleep, sleep_until, timeout};

use super::clock::Clock;
use super::position::{Look, Position};
use super::record::{KeyOfSeats, Record};
use super::store::GameFile;
use super::table::{NamedAgent, Table};
use crate::answer::Refusal;
use crate::log::log;
use crate::work::{LONGEST, lock};

/// How long a ply is shown before an agent's next, so that each can be followed. The movement on the
/// page takes as long.
const PACE: Duration = Duration::from_millis(600);

/// A game under way and its keys.
pub(crate) struct HostedGame {
    table: Mutex<Table>,
    /// Agents that have played or advised, with what they keep between decisions. An agent that
    /// decides is taken out. Empty once the game is over.
    advisers: Mutex<Vec<(String, Adviser)>>,
    /// The number of the version, for those who wait for another one.
    turn: watch::Sender<u64>,
    /// The flags that end decisions on this position. Taken only while the table is locked.
    decisions: Mutex<Vec<Arc<AtomicBool>>>,
    /// Ends the game when the time is up of the seat whose clock runs.
    timer: Mutex<Option<AbortHandle>>,
    /// Whether it takes no more changes. Changed only while the table is locked.
    is_closed: AtomicBool,
    keys: Vec<KeyOfSeats>,
    /// Where it is kept.
    file: Option<Arc<GameFile>>,
}

impl HostedGame {
    /// A game with its keys.
    pub(super) fn new(
        table: Table,
        keys: Vec<KeyOfSeats>,
        file: Option<Arc<GameFile>>,
    ) -> Arc<Self> {
        Arc::new(Self {
            turn: watch::Sender::new(table.turn()),
            table: Mutex::new(table),
            advisers: Mutex::default(),
            decisions: Mutex::default(),
            timer: Mutex::default(),
            is_closed: AtomicBool::new(false),
            keys,
            file,
        })
    }

    /// Writes the game to its file, as at its beginning.
    pub(super) fn keep(&self) {
        self.write(&self.table());
    }

    fn write(&self, table: &Table) {
        if let Some(file) = &self.file {
            file.write(&Record::of(table, &self.keys));
        }
    }

    /// What no other game is called. It is secret: a key.
    pub(crate) fn name(&self) -> &str {
        &self.keys[0].key
    }

    /// The seats of each key.
    pub(crate) fn groups(&self) -> impl Iterator<Item = &[Player]> {
        self.keys.iter().map(|key| &*key.seats)
    }

    pub(super) fn file(&self) -> Option<Arc<GameFile>> {
        self.file.clone()
    }

    /// The game as the holder of these seats may know it, with what is new since a version.
    pub(crate) fn position(&self, seats: &[Player], since: Option<u64>) -> Position {
        Position::new(&self.table(), seats, since)
    }

    /// Whether somebody waits for a change.
    pub(crate) fn is_watched(&self) -> bool {
        self.turn.receiver_count() > 0
    }

    /// A position of the past as the holder of these seats may know it.
    ///
    /// # Errors
    /// If fewer plies have been played.
    pub(crate) fn look(&self, seats: &[Player], ply: usize) -> Result<Look, Refusal> {
        Look::new(&self.table(), seats, ply).ok_or_else(|| {
            Refusal::missing(format!("ply: the game has had fewer plies than {ply}"))
        })
    }

    pub(crate) fn table(&self) -> MutexGuard<'_, Table> {
        // A panic leaves the game as it was before the change.
        lock(&self.table)
    }

    /// Waits until the version is another one. Returns whether it is.
    pub(crate) async fn wait(&self, turn: u64, patience: Duration) -> bool {
        let mut watched = self.turn.subscribe();
        let changed = watched.wait_for(|now| *now != turn);
        matches!(timeout(patience, changed).await, Ok(Ok(_)))
    }

    /// Changes the game, if no ply was played since this version, and lets it go on.
    ///
    /// # Errors
    /// If there was one, the time of a seat is up, or the change is refused.
    pub(crate) fn change<T>(
        self: &Arc<Self>,
        turn: u64,
        change: impl FnOnce(&mut Table) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let mut table = self.table();
        table.check_version(turn)?;
        if self.is_closed() {
            return Err(Refusal::outdated());
        }
        // Before the task that waits for it has noticed.
        if table.strike(Instant::now()) {
            self.renew(&mut table);
            return Err(Refusal::outdated());
        }
        let done = change(&mut table)?;
        self.renew(&mut table);
        drop(table);
        self.let_agents_play();
        Ok(done)
    }

    /// Changes the game whatever has happened meanwhile.
    pub(crate) fn amend(self: &Arc<Self>, change: impl FnOnce(&mut Table)) {
        let mut table = self.table();
        if !self.is_closed() {
            change(&mut table);
            self.renew(&mut table);
        }
    }

    /// Lets the clock run on and agents play, where the game has begun or is opened again.
    pub(crate) fn go_on(self: &Arc<Self>) {
        let mut table = self.table();
        self.watch_clock(&mut table);
        drop(table);
        self.let_agents_play();
    }

    /// Gives the game its next version, which is kept before anybody is told of it, and ends decisions
    /// on another position. An offer ends none.
    fn renew(self: &Arc<Self>, table: &mut Table) {
        let plies = table.game.past().len();
        if table.versions.last() != Some(&plies) || table.game.end().is_some() {
            self.end_decisions();
        }
        if table.game.end().is_some() {
            // Nobody asks them any more; the end of an engine may take a moment.
            let advisers = mem::take(&mut *lock(&self.advisers));
            task::spawn_blocking(|| drop(advisers));
        }
        table.versions.push(plies);
        self.watch_clock(table);
        self.write(table);
        self.turn.send_replace(table.turn());
    }

    /// Lets the clock of the seat to move run, and ends the game when its time is up.
    fn watch_clock(self: &Arc<Self>, table: &mut Table) {
        table.renew_clock(Instant::now());
        self.stop_timer();
        let Some(deadline) = table.clock.as_ref().and_then(Clock::deadline) else { return };
        let game = self.clone();
        let timer = task::spawn(async move {
            sleep_until(deadline.into()).await;
            let mut table = game.table();
            if !game.is_closed() && table.strike(Instant::now()) {
                game.renew(&mut table);
            }
        });
        *lock(&self.timer) = Some(timer.abort_handle());
    }

    fn stop_timer(&self) {
        if let Some(timer) = lock(&self.timer).take() {
            timer.abort();
        }
    }

    fn end_decisions(&self) {
        lock(&self.decisions).drain(..).for_each(|stop| stop.store(true, Ordering::Relaxed));
    }

    /// Ends decisions and takes no more changes. Returns the game as data, to go on with later.
    pub(super) fn close(&self) -> Record {
        let table = self.table();
        self.is_closed.store(true, Ordering::Relaxed);
        self.end_decisions();
        self.stop_timer();
        if table.clock.as_ref().is_some_and(Clock::is_running) {
            // What it shows now.
            self.write(&table);
        }
        Record::of(&table, &self.keys)
    }

    fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    /// An agent's choice for the seat to move, until `stop` is set or the game goes on.
    ///
    /// # Errors
    /// If it cannot be made, the game is over or has gone on, or it cannot decide.
    pub(crate) fn advise(
        &self,
        agent: &NamedAgent,
        turn: u64,
        stop: &Arc<AtomicBool>,
    ) -> Result<Decision, Refusal> {
        let (state, spec, seed) = {
            let table = self.table();
            table.check_version(turn)?;
            if self.is_closed() {
                return Err(Refusal::outdated());
            }
            // While nobody can change the game, so that the flag is of this position. Those of decisions
            // that have ended are dropped.
            let mut decisions = lock(&self.decisions);
            decisions.retain(|stop| Arc::strong_count(stop) > 1);
            decisions.push(stop.clone());
            (table.state().boxed_clone(), table.game.spec().clone(), table.game.seed())
        };
        let NamedAgent { name, spec: agent } = agent;
        let kept = {
            let mut advisers = lock(&self.advisers);
            let place = advisers.iter().position(|(known, _)| known == name);
            place.map(|place| advisers.swap_remove(place).1)
        };
        let mut adviser = match kept {
            Some(adviser) => adviser,
            None => Adviser::new(&spec, agent).map_err(|error| refusal(name, error))?,
        };
        let decided = adviser.decide(&*state, seed, stop);
        let table = self.table();
        let mut advisers = lock(&self.advisers);
        // One of a kind is kept, of those that decide at the same time.
        if table.game.end().is_none() && advisers.iter().all(|(known, _)| known != name) {
            advisers.push((name.clone(), adviser));
        }
        drop((advisers, table));
        decided.map_err(|error| refusal(name, error))
    }

    /// Lets agents play until a person is to move.
    fn let_agents_play(self: &Arc<Self>) {
        let is_to_move = |game: &Self| {
            let table = game.table();
            let (_, agent) = table.agent_to_move().filter(|_| !game.is_closed())?;
            Some((agent.clone(), table.turn()))
        };
        if is_to_move(self).is_none() {
            return;
        }
        let game = self.clone();
        task::spawn(async move {
            while let Some((agent, turn)) = is_to_move(&game) {
                let (begun, asked) = (Instant::now(), game.clone());
                let (name, stop) = (agent.name.clone(), Arc::new(AtomicBool::new(false)));
                let flag = stop.clone();
                let deciding = task::spawn_blocking(move || asked.advise(&agent, turn, &flag));
                let decided = timeout(LONGEST, deciding).await;
                stop.store(true, Ordering::Relaxed);
                sleep(PACE.saturating_sub(begun.elapsed())).await;
                let mut table = game.table();
                if table.turn() != turn || game.is_closed() {
                    // What has changed the game, or opens it again, asks the agents itself.
                    return;
                }
                match decided {
                    Ok(Ok(Ok(decision))) => {
                        let played = table.play(decision, Instant::now());
                        played.expect("agents decide on legal actions");
                    }
                    Ok(Ok(Err(refusal))) => table.failure = Some(refusal.to_string()),
                    Ok(Err(panic)) => {
                        log(panic);
                        table.failure = Some(failure(&name));
                    }
                    Err(_) => {
                        let limit = LONGEST.as_secs();
                        table.failure = Some(format!("{name} has not moved within {limit} s"));
                    }
                }
                game.renew(&mut table);
            }
        });
    }
}

/// The message to everybody about an agent's failure.
fn failure(name: &str) -> String {
    format!("{name} has failed; the log of the server says why")
}

/// The refusal for an agent that cannot be made, or that could not decide. What an engine, a net or a
/// file is told or says is for the log alone: a position that one seat may know, a command, a path.
pub(crate) fn refusal(name: &str, error: Error) -> Refusal {
    match error {
        Error::Stopped => Refusal::outdated(),
        Error::Agent(
            AgentError::File { .. }
            | AgentError::Onnx(_)
            | AgentError::Net { .. }
            | AgentError::Table(_)
            | AgentError::Endgames(_),
        )
        | Error::Undecided { .. } => {
            log(error);
            Refusal::impossible(failure(name))
        }
        Error::Agent(_) => Refusal::faulty(error),
        error => Refusal::impossible(error),
    }
}
