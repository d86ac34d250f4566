//! One lane of a batch: a game, and which game comes next.

use super::config::{Autoreset, Reset};
use super::legal_actions::LegalActions;
use super::mask::Mask;
use super::opponents::Opponents;
use super::row_output::RowOutput;
use super::rows::Row;
use super::setup::BatchSetup;
use crate::board::{Action, Flow};
use crate::game::{GameExt, Outcome, Player, Viewer};
use crate::games::Registered;
use crate::rng::{Rng, Stream, game_seed};

/// Games of which the caller must get a turn in one: see [`caller_gets_turns`].
const TRIED_GAMES: usize = 100;

#[derive(Debug)]
pub(super) struct Lane<G: Registered> {
    pub(super) state: G::State,
    /// Games that the lane has played before this one.
    played: u32,
    /// The seed of the first of them.
    first_seed: u64,
}

/// What a step does in one lane.
#[derive(Clone, Copy, Debug)]
pub(super) enum LaneCommand {
    /// Plays a legal action.
    Play(Action),
    /// Ends the game with a loss for the mover.
    Forfeit,
    /// Resets the lane.
    Reset(Reset),
}

/// Whether the opponents let the caller have a turn in at least one of some games. With small limits
/// a game can end before the first ply of a late seat.
pub(super) fn caller_gets_turns<G: Registered>(setup: &BatchSetup<G>) -> bool {
    let mut legal = LegalActions::new(setup.rules.table().len());
    setup.opponents.is_none()
        || (0..TRIED_GAMES).any(|number| Lane::deal(setup, number).begin(setup, &mut legal))
}

impl<G: Registered> Lane<G> {
    /// The lane with its first game dealt; [`open`](Self::open) comes next.
    pub(super) fn deal(setup: &BatchSetup<G>, number: usize) -> Self {
        let first_seed = game_seed(setup.config.seed, number as u64);
        let state = setup.rules.deal(&mut Rng::new(first_seed, Stream::Deal));
        Self { state, played: 0, first_seed }
    }

    /// The seed of the lane's current game.
    pub(super) fn game_seed(&self) -> u64 {
        game_seed(self.first_seed, u64::from(self.played) << 32)
    }

    /// Deals and opens the game with this seed, which the lane's next games follow from.
    fn restart(&mut self, setup: &BatchSetup<G>, first_seed: u64, legal: &mut LegalActions) {
        (self.first_seed, self.played) = (first_seed, 0);
        self.redeal(setup);
        self.open(setup, legal);
    }

    /// Deals and opens the lane's next game.
    fn next_game(&mut self, setup: &BatchSetup<G>, legal: &mut LegalActions) {
        self.played = self.played.wrapping_add(1);
        self.redeal(setup);
        self.open(setup, legal);
    }

    fn redeal(&mut self, setup: &BatchSetup<G>) {
        let rng = &mut Rng::new(self.game_seed(), Stream::Deal);
        setup.rules.redeal(&mut self.state, rng);
    }

    /// Lets the opponents play until the caller's first turn. If the game ends before it, the lane
    /// takes its next game; [`caller_gets_turns`] has shown that this ends.
    pub(super) fn open(&mut self, setup: &BatchSetup<G>, legal: &mut LegalActions) {
        while !self.begin(setup, legal) {
            self.played = self.played.wrapping_add(1);
            self.redeal(setup);
        }
    }

    /// Lets the opponents begin a game just dealt; returns whether the caller gets a turn in it.
    fn begin(&mut self, setup: &BatchSetup<G>, legal: &mut LegalActions) -> bool {
        legal.seed(self.game_seed());
        self.play_opponents(setup, legal).is_none()
    }

    /// Lets the opponents play until it is the caller's turn or the game is over.
    #[inline]
    fn play_opponents(
        &mut self,
        setup: &BatchSetup<G>,
        legal: &mut LegalActions,
    ) -> Option<Outcome> {
        let outcome = self.update_legal_actions(&setup.rules, &mut legal.mask);
        match &setup.opponents {
            Some(opponents) if outcome.is_none() => {
                self.play_until_caller(&setup.rules, opponents.as_ref(), &mut legal.mask)
            }
            _ => outcome,
        }
    }

    #[inline(never)]
    fn play_until_caller(
        &mut self,
        rules: &G,
        opponents: &dyn Opponents<G>,
        mask: &mut Mask,
    ) -> Option<Outcome> {
        let seed = self.game_seed();
        let caller = opponents.caller(rules, seed);
        while rules.to_move(&self.state) != caller {
            let action = opponents.choose(rules, &self.state, seed);
            assert!(mask.contains(action.index()), "an opponent plays by the rules");
            rules.play(&mut self.state, action);
            let outcome = self.update_legal_actions(rules, mask);
            if outcome.is_some() {
                return outcome;
            }
        }
        None
    }

    /// Generates the legal actions; the outcome, if the game is over.
    #[inline]
    fn update_legal_actions(&self, rules: &G, mask: &mut Mask) -> Option<Outcome> {
        mask.clear();
        let mut has_action = false;
        let _ = rules.generate_actions(&self.state, |actions| {
            mask.insert(actions);
            has_action |= actions.bits != 0;
            Flow::Continue(())
        });
        rules.outcome_given(&self.state, has_action)
    }

    /// Executes a command and writes its rewards and flags.
    #[inline]
    pub(super) fn step(
        &mut self,
        setup: &BatchSetup<G>,
        command: LaneCommand,
        legal: &mut LegalActions,
        row: &mut Row<'_, '_>,
    ) {
        let LaneCommand::Play(action) = command else {
            return self.forfeit_or_reset(setup, command, legal, row);
        };
        setup.rules.play(&mut self.state, action);
        let Some(outcome) = self.play_opponents(setup, legal) else {
            row.clear_results();
            return;
        };
        row.reward.copy_from_slice(outcome.rewards());
        *row.truncated = outcome.truncated();
        *row.terminated = !outcome.truncated();
        self.end(setup, legal, row);
    }

    #[cold]
    fn forfeit_or_reset(
        &mut self,
        setup: &BatchSetup<G>,
        command: LaneCommand,
        legal: &mut LegalActions,
        row: &mut Row<'_, '_>,
    ) {
        match command {
            LaneCommand::Forfeit => {
                let others = setup.rules.players() - 1;
                row.reward.fill(1.0 / others as f32);
                row.reward[setup.rules.to_move(&self.state)] = -1.0;
                (*row.terminated, *row.truncated) = (true, false);
                return self.end(setup, legal, row);
            }
            LaneCommand::Reset(Reset::Next) => self.next_game(setup, legal),
            LaneCommand::Reset(Reset::Seed(seed)) => self.restart(setup, seed, legal),
            // The rewards and flags stay, too.
            LaneCommand::Reset(Reset::Keep) | LaneCommand::Play(_) => return,
        }
        row.clear_results();
    }

    /// Ends a game: writes its last position if there is a buffer for it, and resets the lane where
    /// [`Autoreset`] says so.
    fn end(&mut self, setup: &BatchSetup<G>, legal: &mut LegalActions, row: &mut Row<'_, '_>) {
        if let Some(observation) = &mut row.final_observation {
            self.observe(setup, self.viewer(setup), observation);
        }
        match setup.config.autoreset {
            Autoreset::SameStep => self.next_game(setup, legal),
            Autoreset::NextStep | Autoreset::Disabled => legal.mask.clear(),
        }
    }

    /// The seat whose observation the row shows: the caller's where there are opponents, else the
    /// mover's. These can differ only once the game is over.
    #[inline]
    fn viewer(&self, setup: &BatchSetup<G>) -> Player {
        match &setup.opponents {
            None => setup.rules.to_move(&self.state),
            Some(opponents) => opponents.caller(&setup.rules, self.game_seed()),
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
