//! The plies of opponents within a step.

use std::error::Error;

use super::config::BatchSetup;
use super::lane::Lane;
use super::legal_actions::LegalActions;
use super::log::Logs;
use super::opponents::{OpponentTurn, Opponents};
use super::rows::Results;
use crate::board::Action;
use crate::games::Registered;

/// Games of one lane in which the caller's seat may get no turn. With small limits a game can end
/// before the first ply of a late seat.
const TRIED_GAMES: u32 = 1000;

/// Why the opponents did not play on, and the number of the lane.
#[derive(Debug)]
pub(super) struct Stuck {
    pub(super) lane: usize,
    pub(super) reason: StuckReason,
}

#[derive(Debug)]
pub(super) enum StuckReason {
    /// They could not choose, or chose an action that is not legal.
    Failed(Box<dyn Error + Send + Sync>),
    /// Games end before the caller's seat is to move.
    NoTurn,
}

/// Where a lane stands while opponents play.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stage {
    /// The caller has played in the game: its end is reported.
    Under,
    /// The game has been dealt since, this many in a row: the caller knows nothing of it.
    Dealt(u32),
}

/// Lanes in which opponents play within one step.
pub(super) struct Round<'a, 'l, G: Registered> {
    pub(super) setup: &'a BatchSetup<G>,
    pub(super) opponents: &'a dyn Opponents,
    pub(super) lanes: &'a mut [Lane<G>],
    pub(super) legal: &'a mut [LegalActions],
    pub(super) stages: Vec<Stage>,
    pub(super) logs: &'a mut Logs<'l>,
}

impl<G: Registered> Round<'_, '_, G> {
    /// Lets the opponents play in all lanes until it is the caller's turn or, where nothing is dealt by
    /// itself, the game is over. A game that ends before the caller's first turn is followed by the
    /// lane's next game. There are no `results` where no game has been under way.
    ///
    /// # Errors
    /// If they do not play on. The lanes are then at different points of the step.
    pub(super) fn play(&mut self, mut results: Option<&mut [Results<'_>]>) -> Result<(), Stuck> {
        let rules = &self.setup.rules;
        let mut waiting: Vec<usize> = (0..self.lanes.len()).collect();
        let mut actions = Vec::with_capacity(waiting.len());
        loop {
            waiting.retain(|&number| self.is_opponents_turn(number));
            if waiting.is_empty() {
                return Ok(());
            }
            let turn = |&number: &usize| {
                let lane = &self.lanes[number];
                let legal = self.legal[number].mask.actions().collect();
                let (ply, seed) = (rules.ply(&lane.state), lane.game_seed());
                OpponentTurn { state: &lane.state, legal, ply, seed }
            };
            let turns: Vec<_> = waiting.iter().map(turn).collect();
            actions.clear();
            let chosen = self.opponents.choose(&turns, &mut actions);
            drop(turns);
            let stuck = |lane: usize, cause| Stuck { lane, reason: StuckReason::Failed(cause) };
            chosen.map_err(|failure| stuck(waiting[failure.position], failure.cause))?;
            assert_eq!(actions.len(), waiting.len(), "opponents give one action per position");
            for (&number, &action) in waiting.iter().zip(&actions) {
                if !self.legal[number].mask.contains(action.index()) {
                    let ply = rules.ply(&self.lanes[number].state);
                    let message = format!("ply {ply}: action {} is not legal", action.0);
                    return Err(stuck(number, message.into()));
                }
                let results = results.as_deref_mut().map(|results| &mut results[number]);
                self.play_action(number, action, results)?;
            }
        }
    }

    fn is_opponents_turn(&self, number: usize) -> bool {
        let (rules, lane) = (&self.setup.rules, &self.lanes[number]);
        !self.legal[number].is_over()
            && rules.to_move(&lane.state) != self.opponents.caller(lane.game_seed())
    }

    /// Plays a legal action of an opponent in a lane.
    fn play_action(
        &mut self,
        number: usize,
        action: Action,
        results: Option<&mut Results<'_>>,
    ) -> Result<(), Stuck> {
        let Self { setup, lanes, legal, stages, logs, .. } = self;
        let (lane, legal, stage) = (&mut lanes[number], &mut legal[number], &mut stages[number]);
        let mut logging = logs.lane(number);
        if let Some(logging) = &mut logging {
            logging.log.push(action);
        }
        setup.rules.play(&mut lane.state, action);
        let Some(outcome) = lane.update_legal_actions(&setup.rules, &mut legal.mask) else {
            return Ok(());
        };
        match stage {
            Stage::Under => {
                let results = results.expect("a game was under way");
                if lane.end(setup, &outcome, legal, results, logging) {
                    *stage = Stage::Dealt(1);
                }
            }
            Stage::Dealt(TRIED_GAMES) => {
                return Err(Stuck { lane: number, reason: StuckReason::NoTurn });
            }
            Stage::Dealt(games) => {
                *games += 1;
                if let Some(logging) = logging {
                    logging.log.clear();
                }
                lane.next_game(setup, legal);
            }
        }
        Ok(())
    }
}
