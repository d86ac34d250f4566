//! One lane of a batch: a game, and which game comes next.

use std::collections::TryReserveError;

use super::config::{Autoreset, BatchSetup, Reset};
use super::legal_actions::LegalActions;
use super::log::Logging;
use super::mask::Mask;
use super::row_writer::RowOutput;
use super::rows::{Results, Row};
use crate::board::{Action, Flow};
use crate::game::{GameExt, Outcome, Player, Viewer};
use crate::games::Registered;
use crate::rng::{Rng, Stream, game_seed};

#[derive(Debug)]
pub(super) struct Lane<G: Registered> {
    pub(super) state: G::State,
    /// Games that the lane has played before this one.
    played: u32,
    /// The seed of the first of them.
    first_seed: u64,
}

/// The effect of a step in one lane.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum LaneCommand {
    /// Plays a legal action.
    Play(Action),
    /// Ends the game with a loss for the mover.
    Forfeit,
    /// Resets the lane.
    Reset(Reset),
}

impl<G: Registered> Lane<G> {
    /// The lane with its first game dealt; [`open`](Self::open) comes next.
    ///
    /// # Errors
    /// If there is no memory.
    pub(super) fn deal(setup: &BatchSetup<G>, number: usize) -> Result<Self, TryReserveError> {
        let first_seed = game_seed(setup.config.seed, number as u64);
        let mut state = setup.rules.deal(&mut Rng::new(first_seed, Stream::Deal));
        setup.rules.reserve(&mut state)?;
        Ok(Self { state, played: 0, first_seed })
    }

    /// The seed of the lane's current game.
    pub(super) fn game_seed(&self) -> u64 {
        game_seed(self.first_seed, u64::from(self.played) << 32)
    }

    /// Deals the game with this seed, which the lane's next games follow from.
    fn restart(&mut self, setup: &BatchSetup<G>, first_seed: u64, legal: &mut LegalActions) {
        (self.first_seed, self.played) = (first_seed, 0);
        self.redeal(setup, legal);
    }

    /// Deals the lane's next game.
    pub(super) fn next_game(&mut self, setup: &BatchSetup<G>, legal: &mut LegalActions) {
        self.played = self.played.wrapping_add(1);
        self.redeal(setup, legal);
    }

    fn redeal(&mut self, setup: &BatchSetup<G>, legal: &mut LegalActions) {
        let rng = &mut Rng::new(self.game_seed(), Stream::Deal);
        setup.rules.redeal(&mut self.state, rng);
        self.open(setup, legal);
    }

    /// Lists the legal actions of a game that was just dealt.
    pub(super) fn open(&self, setup: &BatchSetup<G>, legal: &mut LegalActions) {
        legal.seed(self.game_seed());
        let outcome = self.update_legal_actions(&setup.rules, &mut legal.mask);
        debug_assert!(outcome.is_none(), "no game is over when it is dealt");
    }

    /// Generates the legal actions; the outcome, if the game is over.
    #[inline]
    pub(super) fn update_legal_actions(&self, rules: &G, mask: &mut Mask) -> Option<Outcome> {
        mask.clear();
        let mut has_action = false;
        let _ = rules.generate_actions(&self.state, |actions| {
            mask.insert(actions);
            has_action |= actions.bits != 0;
            Flow::Continue(())
        });
        rules.outcome_given(&self.state, has_action)
    }

    /// Executes a command and writes its rewards and flags. Returns whether a game has been dealt.
    #[inline]
    pub(super) fn step(
        &mut self,
        setup: &BatchSetup<G>,
        command: LaneCommand,
        legal: &mut LegalActions,
        results: &mut Results<'_>,
        mut logging: Option<Logging<'_>>,
    ) -> bool {
        let LaneCommand::Play(action) = command else {
            return self.forfeit_or_reset(setup, command, legal, results, logging);
        };
        if let Some(logging) = &mut logging {
            logging.log.push(action);
        }
        setup.rules.play(&mut self.state, action);
        let Some(outcome) = self.update_legal_actions(&setup.rules, &mut legal.mask) else {
            results.clear();
            return false;
        };
        self.end(setup, &outcome, legal, results, logging)
    }

    #[cold]
    fn forfeit_or_reset(
        &mut self,
        setup: &BatchSetup<G>,
        command: LaneCommand,
        legal: &mut LegalActions,
        results: &mut Results<'_>,
        logging: Option<Logging<'_>>,
    ) -> bool {
        // A game that ends by a fault or is left cannot be played again from its actions.
        if command != LaneCommand::Reset(Reset::Keep)
            && let Some(logging) = logging
        {
            logging.log.clear();
        }
        match command {
            LaneCommand::Forfeit => {
                let others = setup.rules.players() - 1;
                results.reward.fill(1.0 / others as f32);
                results.reward[setup.rules.to_move(&self.state)] = -1.0;
                (*results.terminated, *results.truncated) = (true, false);
                *results.forfeited = true;
                return self.leave(setup, legal, results);
            }
            LaneCommand::Reset(Reset::Next) => self.next_game(setup, legal),
            LaneCommand::Reset(Reset::Seed(seed)) => self.restart(setup, seed, legal),
            // The rewards and flags stay, too.
            LaneCommand::Reset(Reset::Keep) | LaneCommand::Play(_) => return false,
        }
        results.clear();
        true
    }

    /// Ends a game with this outcome. Returns whether the next one has been dealt.
    pub(super) fn end(
        &mut self,
        setup: &BatchSetup<G>,
        outcome: &Outcome,
        legal: &mut LegalActions,
        results: &mut Results<'_>,
        logging: Option<Logging<'_>>,
    ) -> bool {
        if let Some(mut logging) = logging {
            let opponents = setup.config.opponents.as_deref();
            let caller = opponents.map(|by| by.caller(self.game_seed()));
            logging.finish(self.game_seed(), caller);
        }
        results.reward.copy_from_slice(outcome.rewards());
        *results.truncated = outcome.truncated();
        *results.terminated = !outcome.truncated();
        *results.forfeited = false;
        self.leave(setup, legal, results)
    }

    /// Leaves a game that is over: writes its last position if there is a buffer for it, and deals the
    /// next one where [`Autoreset`] says so. Returns whether it did.
    fn leave(
        &mut self,
        setup: &BatchSetup<G>,
        legal: &mut LegalActions,
        results: &mut Results<'_>,
    ) -> bool {
        let viewer = self.viewer(setup);
        if let Some(observation) = &mut results.final_observation {
            self.observe(setup, viewer, observation);
        }
        if let Some(player) = &mut results.final_player {
            **player = viewer as i8;
        }
        match setup.config.autoreset {
            Autoreset::SameStep => {
                self.next_game(setup, legal);
                true
            }
            Autoreset::NextStep | Autoreset::Disabled => {
                legal.mask.clear();
                false
            }
        }
    }

    /// The seat whose observation the row shows: the caller's where there are opponents, else the
    /// mover's. These can differ only once the game is over.
    #[inline]
    pub(super) fn viewer(&self, setup: &BatchSetup<G>) -> Player {
        match &setup.config.opponents {
            None => setup.rules.to_move(&self.state),
            Some(opponents) => opponents.caller(self.game_seed()),
        }
    }

    #[inline]
    fn observe(&self, setup: &BatchSetup<G>, viewer: Player, out: &mut [u8]) {
        let view = setup.rules.view(&self.state, Viewer::Player(viewer));
        setup.config.format.write(&setup.rules, &view, out);
    }

    /// Writes the seat, the observation and the mask.
    #[inline]
    pub(super) fn write(&self, setup: &BatchSetup<G>, legal: &LegalActions, row: &mut Row<'_, '_>) {
        let viewer = self.viewer(setup);
        *row.current_player = viewer as i8;
        let length = setup.config.format.len(&G::LAYOUT);
        row.observation.bytes(length, |out| self.observe(setup, viewer, out));
        let actions = setup.rules.table().len();
        legal.mask.write_to(setup.config.mask, actions, row.mask);
    }
}
