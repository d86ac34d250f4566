//! The games of a batch, for those who keep them.

use std::fmt::Debug;
use std::mem;
use std::sync::{Mutex, PoisonError};

use crate::board::Action;
use crate::error::Cause;
use crate::game::Player;
use crate::simd;
use crate::trajectory::{LoggedDecision, PolicyEntry, Trajectory};

/// Logs are prefetched this many lanes ahead, and where they go on half as many.
const LOGS_AHEAD: usize = 16;

/// Takes the games that end in a batch.
pub trait GameSink: Debug + Send + Sync {
    /// Takes the games that ended within a step, in the order of their lanes. Called after each such
    /// step, by the thread that steps.
    ///
    /// # Errors
    /// If games cannot be kept. The step is then done, and so are those that follow.
    fn take(&self, games: Vec<Trajectory>) -> Result<(), Cause>;
}

/// The game of one lane so far.
#[derive(Clone, Debug, Default)]
pub(super) struct LaneLog {
    actions: Vec<Action>,
    decisions: Vec<LoggedDecision>,
}

impl LaneLog {
    /// A legal action is played.
    #[inline]
    pub(super) fn push(&mut self, action: Action) {
        self.actions.push(action);
    }

    /// The caller's decision about the next ply.
    pub(super) fn decide(&mut self, value: Option<Box<[f32]>>, policy: Option<Box<[PolicyEntry]>>) {
        let ply = self.actions.len() as u16;
        self.decisions.push(LoggedDecision { ply, value, policy });
    }

    /// Forgets the game.
    pub(super) fn clear(&mut self) {
        self.actions.clear();
        self.decisions.clear();
    }

    fn finish(&mut self, seed: u64, caller: Option<Player>) -> Trajectory {
        // The next game may have as many plies.
        let next = Vec::with_capacity(self.actions.len());
        Trajectory {
            seed,
            opening: None,
            caller,
            actions: mem::replace(&mut self.actions, next),
            decisions: mem::take(&mut self.decisions),
        }
    }
}

/// Where a lane's game is logged.
pub(super) struct Logging<'a> {
    /// The lane, counted like those of errors.
    pub(super) lane: usize,
    pub(super) log: &'a mut LaneLog,
    pub(super) finished: &'a FinishedGames,
}

impl Logging<'_> {
    /// The game is over.
    #[cold]
    pub(super) fn finish(&mut self, seed: u64, caller: Option<Player>) {
        let game = (self.lane, self.log.finish(seed, caller));
        self.finished.0.lock().unwrap_or_else(PoisonError::into_inner).push(game);
    }
}

/// The logs of neighbouring lanes; none if the batch logs no games.
pub(super) struct Logs<'a> {
    /// The first lane, counted like those of errors.
    first: usize,
    logs: Option<&'a mut [LaneLog]>,
    finished: &'a FinishedGames,
}

impl<'a> Logs<'a> {
    pub(super) fn new(first: usize, logs: &'a mut [LaneLog], finished: &'a FinishedGames) -> Self {
        let logs = Some(logs).filter(|logs| !logs.is_empty());
        Self { first, logs, finished }
    }

    /// The log of a lane, counted from the first.
    #[inline]
    pub(super) fn lane(&mut self, number: usize) -> Option<Logging<'_>> {
        let log = &mut self.logs.as_deref_mut()?[number];
        Some(Logging { lane: self.first + number, log, finished: self.finished })
    }

    /// Prefetches where the next ply of a lane will be written, and the log of a lane further on.
    #[inline]
    pub(super) fn prefetch(&mut self, number: usize) {
        let Some(logs) = self.logs.as_deref_mut() else { return };
        if let Some(far) = logs.get(number + LOGS_AHEAD) {
            simd::prefetch(far);
        }
        if let Some(near) = logs.get_mut(number + LOGS_AHEAD / 2)
            && let Some(place) = near.actions.spare_capacity_mut().first()
        {
            simd::prefetch(place);
        }
    }

    pub(super) fn split_at(self, lanes: usize) -> (Self, Self) {
        let (logs, others) = self.logs.map(|logs| logs.split_at_mut(lanes)).unzip();
        let next = self.first + lanes;
        (Self { logs, ..self }, Self { first: next, logs: others, ..self })
    }
}

/// The games that have ended within a step, of all threads, with their lanes.
#[derive(Debug, Default)]
pub(super) struct FinishedGames(Mutex<Vec<(usize, Trajectory)>>);

impl FinishedGames {
    /// The games in the order of their lanes, and of one lane in that of play.
    pub(super) fn into_sorted(self) -> Vec<Trajectory> {
        let mut games = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        games.sort_by_key(|&(lane, _)| lane);
        games.into_iter().map(|(_, game)| game).collect()
    }
}
