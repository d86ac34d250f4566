//! A game under way, shared by requests and by the agents that play in it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use darkqi_datasets::spawn_scoped;
use darkqi_env::Player;
use tokio::sync::watch;
use tokio::task;
use tokio::time::{sleep, timeout};

use super::look::Look;
use super::position::Position;
use super::table::Table;
use crate::agents::AgentSpec;
use crate::driver::Decision;
use crate::error::Error;
use crate::opponents::Adviser;
use crate::serve::answer::Refusal;

/// How long a ply is shown before an agent's next, so that each can be followed. The movement on the
/// page takes as long.
const PACE: Duration = Duration::from_millis(600);

/// How long a hint may take.
const HINT_TIMEOUT: Duration = Duration::from_secs(60);

/// How often it is asked whether a hint is still waited for.
const WATCH: Duration = Duration::from_millis(50);

/// A game under way and its keys.
pub(in crate::serve) struct HostedGame {
    table: Mutex<Table>,
    /// Agents that have played or advised, with what they keep between decisions. An agent that
    /// decides is taken out.
    advisers: Mutex<Vec<(String, Adviser)>>,
    /// The number of the version, for those who wait for another one.
    turn: watch::Sender<u64>,
    /// Ends decisions on this version. Taken only while the table is locked.
    stop: Mutex<Arc<AtomicBool>>,
}

impl HostedGame {
    /// A game at its beginning. If an agent is to move, it begins to think.
    pub(in crate::serve) fn begin(table: Table) -> Arc<Self> {
        let game = Arc::new(Self {
            turn: watch::Sender::new(table.turn),
            table: Mutex::new(table),
            advisers: Mutex::default(),
            stop: Mutex::default(),
        });
        game.clone().let_agents_play();
        game
    }

    /// The game as the holder of these seats may know it.
    pub(in crate::serve) fn position(&self, seats: &[Player]) -> Position {
        Position::new(&self.table(), seats)
    }

    /// A position of the past as the holder of these seats may know it.
    ///
    /// # Errors
    /// If fewer plies have been played.
    pub(in crate::serve) fn look(&self, seats: &[Player], ply: usize) -> Result<Look, Refusal> {
        Look::new(&self.table(), seats, ply).ok_or_else(|| {
            Refusal::missing(format!("ply: the game has had fewer plies than {ply}"))
        })
    }

    pub(in crate::serve) fn table(&self) -> MutexGuard<'_, Table> {
        // A panic leaves the game as it was before the change.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the version is another one. Returns whether it is.
    pub(in crate::serve) async fn wait(&self, turn: u64, patience: Duration) -> bool {
        let mut watched = self.turn.subscribe();
        let changed = watched.wait_for(|now| *now != turn);
        matches!(timeout(patience, changed).await, Ok(Ok(_)))
    }

    /// Changes the game, if it is still of this version, and lets agents go on.
    ///
    /// # Errors
    /// If it is of another version, or the change is refused. Nothing has changed then.
    pub(in crate::serve) fn change<T>(
        self: &Arc<Self>,
        turn: u64,
        change: impl FnOnce(&mut Table) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let mut table = self.table();
        if table.turn != turn {
            return Err(Refusal::outdated());
        }
        let done = change(&mut table)?;
        self.renew(&mut table);
        drop(table);
        self.clone().let_agents_play();
        Ok(done)
    }

    /// Gives the game its next version, and ends decisions on the one before.
    fn renew(&self, table: &mut Table) {
        table.turn += 1;
        let mut stop = self.stop.lock().unwrap_or_else(PoisonError::into_inner);
        stop.store(true, Ordering::Relaxed);
        *stop = Arc::default();
        self.turn.send_replace(table.turn);
    }

    /// Ends decisions on this version, if it is still that.
    fn end_decisions(&self, turn: u64) {
        let table = self.table();
        if table.turn == turn {
            let mut stop = self.stop.lock().unwrap_or_else(PoisonError::into_inner);
            stop.store(true, Ordering::Relaxed);
            *stop = Arc::default();
        }
    }

    /// Ends the game for good: no agent plays on in it.
    pub(in crate::serve) fn give_up(&self) {
        let mut table = self.table();
        table.failure = Some("the server has given this game up".to_owned());
        self.renew(&mut table);
    }

    /// What an agent would play for the seat to move.
    ///
    /// # Errors
    /// If it cannot be made, the game is over, or it cannot decide.
    pub(in crate::serve) fn advise(
        &self,
        agent: &AgentSpec,
        turn: u64,
    ) -> Result<Decision, Refusal> {
        let (state, spec, seed, stop) = {
            let table = self.table();
            if table.turn != turn {
                return Err(Refusal::outdated());
            }
            // While nobody can change the game, so that the flag is of this version.
            let stop = self.stop.lock().unwrap_or_else(PoisonError::into_inner).clone();
            (table.state().boxed_clone(), table.game.spec().clone(), table.game.seed(), stop)
        };
        let name = agent.to_string();
        let kept = {
            let mut advisers = self.advisers.lock().unwrap_or_else(PoisonError::into_inner);
            let place = advisers.iter().position(|(known, _)| *known == name);
            place.map(|place| advisers.swap_remove(place).1)
        };
        let mut adviser = match kept {
            Some(adviser) => adviser,
            None => Adviser::new(&spec, agent).map_err(Refusal::faulty)?,
        };
        let decided = adviser.decide(&*state, seed, &stop);
        let mut advisers = self.advisers.lock().unwrap_or_else(PoisonError::into_inner);
        advisers.push((name, adviser));
        decided.map_err(|error| match error {
            Error::Stopped => Refusal::outdated(),
            error => Refusal::impossible(error),
        })
    }

    /// What an agent would play for the seat to move, unless it takes too long or `stop` is set.
    ///
    /// # Errors
    /// As [`HostedGame::advise`], or if there is no time left.
    pub(in crate::serve) fn hint(
        &self,
        agent: &AgentSpec,
        turn: u64,
        stop: &AtomicBool,
    ) -> Result<Decision, Refusal> {
        let (begun, is_found) = (Instant::now(), AtomicBool::new(false));
        thread::scope(|scope| {
            let watcher = spawn_scoped(scope, || {
                let mut is_late = false;
                while !is_found.load(Ordering::Relaxed) {
                    is_late = begun.elapsed() > HINT_TIMEOUT;
                    if is_late || stop.load(Ordering::Relaxed) {
                        self.end_decisions(turn);
                    }
                    thread::park_timeout(WATCH);
                }
                is_late
            })
            .map_err(Refusal::impossible)?;
            let found = self.advise(agent, turn);
            is_found.store(true, Ordering::Relaxed);
            watcher.thread().unpark();
            match watcher.join() {
                Ok(true) if found.is_err() => {
                    let limit = HINT_TIMEOUT.as_secs();
                    Err(Refusal::impossible(format!("hint: {agent} found none within {limit} s")))
                }
                _ => found,
            }
        })
    }

    /// Lets agents play until a person is to move.
    fn let_agents_play(self: Arc<Self>) {
        let is_to_move = |game: &Self| {
            let table = game.table();
            table.agent_to_move().map(|(_, agent)| (agent.clone(), table.turn))
        };
        if is_to_move(&self).is_none() {
            return;
        }
        task::spawn(async move {
            while let Some((agent, turn)) = is_to_move(&self) {
                let (begun, asked) = (Instant::now(), self.clone());
                let decided = task::spawn_blocking(move || asked.advise(&agent, turn)).await;
                sleep(PACE.saturating_sub(begun.elapsed())).await;
                let mut table = self.table();
                if table.turn != turn {
                    // What has changed the game asks the agents itself.
                    return;
                }
                match decided {
                    Ok(Ok(decision)) => {
                        table.game.play(decision).expect("agents decide on legal actions");
                    }
                    Ok(Err(refusal)) => table.failure = Some(refusal.to_string()),
                    Err(panic) => table.failure = Some(panic.to_string()),
                }
                self.renew(&mut table);
            }
        });
    }
}
