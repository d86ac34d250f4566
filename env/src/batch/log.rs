//! What happens in the games of a batch, for those who keep it.

use std::fmt::Debug;
use std::mem;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::decision::PolicyEntry;
use super::legal_actions::LegalActions;
use crate::board::{Action, Perspective};
use crate::error::Cause;
use crate::game::{Event, Outcome, Player};
use crate::games::Registered;
use crate::simd;

/// Logs are prefetched this many lanes ahead, and where they go on half as many.
const LOGS_AHEAD: usize = 16;

/// Takes the games that end in a batch.
pub trait GameSink: Debug + Send + Sync {
    /// Takes the games that ended within a step, in the order of their lanes. Called after each such
    /// step, by the thread that steps.
    ///
    /// # Errors
    /// If games cannot be kept. The step is then done, and so are those that follow.
    fn take(&self, games: Vec<LoggedGame>) -> Result<(), Cause>;
}

/// A game that has ended by the rules or at the ply limit.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LoggedGame {
    /// The lane, counted like those of errors.
    pub lane: usize,
    /// The seed that dealt it.
    pub seed: u64,
    /// The caller's seat, where opponents play the others.
    pub caller: Option<Player>,
    /// The plies in order.
    pub plies: Vec<LoggedPly>,
    /// What was said of some plies, ascending.
    pub decisions: Vec<LoggedDecision>,
    /// How it ended.
    pub outcome: Outcome,
}

/// One ply.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LoggedPly {
    /// The action.
    pub action: Action,
    /// Number of legal actions.
    pub legal_count: u16,
    /// The seat that moved.
    pub player: u8,
    /// From which side the action is counted.
    pub perspective: Perspective,
    /// What it turned over and took.
    pub event: Event,
}

/// What the caller said of one ply.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LoggedDecision {
    /// The ply's number in its game.
    pub ply: u16,
    /// The expected result of each seat, in seat order.
    pub value: Option<Box<[f32]>>,
    /// Actions and their probabilities, ascending by action.
    pub policy: Option<Box<[PolicyEntry]>>,
}

/// The game of one lane so far.
#[derive(Clone, Debug, Default)]
pub(super) struct LaneLog {
    plies: Vec<LoggedPly>,
    decisions: Vec<LoggedDecision>,
}

impl LaneLog {
    /// A legal action is about to be played.
    pub(super) fn push<G: Registered>(
        &mut self,
        rules: &G,
        state: &G::State,
        action: Action,
        legal: &LegalActions,
    ) {
        self.plies.push(LoggedPly {
            action,
            legal_count: legal.count() as u16,
            player: rules.to_move(state) as u8,
            perspective: rules.perspective(rules.to_move(state)),
            event: rules.event(state, action),
        });
    }

    /// Says something of the ply that comes next.
    pub(super) fn annotate(
        &mut self,
        value: Option<Box<[f32]>>,
        policy: Option<Box<[PolicyEntry]>>,
    ) {
        self.retract();
        let ply = self.plies.len() as u16;
        self.decisions.push(LoggedDecision { ply, value, policy });
    }

    /// Takes back what was said of the ply that comes next.
    pub(super) fn retract(&mut self) {
        let ply = self.plies.len() as u16;
        self.decisions.pop_if(|last| last.ply == ply);
    }

    /// Forgets the game.
    pub(super) fn clear(&mut self) {
        self.plies.clear();
        self.decisions.clear();
    }

    fn finish(
        &mut self,
        lane: usize,
        seed: u64,
        caller: Option<Player>,
        outcome: &Outcome,
    ) -> LoggedGame {
        // The next game may have as many plies.
        let next = Vec::with_capacity(self.plies.len());
        LoggedGame {
            lane,
            seed,
            caller,
            plies: mem::replace(&mut self.plies, next),
            decisions: mem::take(&mut self.decisions),
            outcome: *outcome,
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
    pub(super) fn finish(&mut self, seed: u64, caller: Option<Player>, outcome: &Outcome) {
        let game = self.log.finish(self.lane, seed, caller, outcome);
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
            && let Some(place) = near.plies.spare_capacity_mut().first()
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

/// The games that have ended within a step, of all threads.
#[derive(Debug, Default)]
pub(super) struct FinishedGames(Mutex<Vec<LoggedGame>>);

impl FinishedGames {
    /// The games in the order of their lanes, and of one lane in that of play.
    pub(super) fn into_sorted(self) -> Vec<LoggedGame> {
        let mut games = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        games.sort_by_key(|game| game.lane);
        games
    }
}
