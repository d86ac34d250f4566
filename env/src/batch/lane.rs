//! One lane of a batch: a game and which game comes next.

use super::choice::{Choice, Plan};
use super::config::{Autoreset, Reset};
use super::course::Course;
use super::mask::Mask;
use super::opponents::Opponents;
use super::rows::Row;
use crate::board::Flow;
use crate::game::{GameExt, Outcome, Player, Viewer};
use crate::games::Registered;
use crate::rng::{Rng, Stream, game_seed};
use crate::sink::Sink;

#[derive(Debug)]
pub(super) struct Lane<G: Registered> {
    pub(super) state: G::State,
    /// Games that the lane has played before this one.
    played: u32,
    /// The seed of the first of them.
    first_seed: u64,
}

impl<G: Registered> Lane<G> {
    /// The lane with its first game, which is to be opened.
    pub(super) fn dealt(course: &Course<G>, number: usize) -> Self {
        let first_seed = game_seed(course.config.seed, number as u64);
        let state = course.rules.deal(&mut Rng::new(first_seed, Stream::Deal));
        Self { state, played: 0, first_seed }
    }

    /// The seed of the lane's current game.
    pub(super) fn game_seed(&self) -> u64 {
        game_seed(self.first_seed, u64::from(self.played) << 32)
    }

    /// Deals the game that has this seed, from which the lane's next ones follow.
    fn restart(&mut self, course: &Course<G>, first_seed: u64, choice: &mut Choice) {
        (self.first_seed, self.played) = (first_seed, 0);
        self.deal(course, choice);
    }

    /// Deals the lane's next game.
    pub(super) fn next_game(&mut self, course: &Course<G>, choice: &mut Choice) {
        self.played = self.played.wrapping_add(1);
        self.deal(course, choice);
    }

    fn deal(&mut self, course: &Course<G>, choice: &mut Choice) {
        self.shuffle(course);
        self.open(course, choice);
    }

    fn shuffle(&mut self, course: &Course<G>) {
        let deal = &mut Rng::new(self.game_seed(), Stream::Deal);
        course.rules.redeal(&mut self.state, deal);
    }

    /// Gets ready for the caller's first action in a game just dealt, or in the first of the next
    /// ones that opponents do not end before it. [`Course::gives_turns`] has seen that there is one.
    pub(super) fn open(&mut self, course: &Course<G>, choice: &mut Choice) {
        while !self.begin(course, choice) {
            self.played = self.played.wrapping_add(1);
            self.shuffle(course);
        }
    }

    /// Has the opponents open a game just dealt, and says whether the caller has a turn in it.
    pub(super) fn begin(&mut self, course: &Course<G>, choice: &mut Choice) -> bool {
        choice.begin(self.game_seed());
        self.settle(course, choice).is_none()
    }

    /// Has the opponents play until it is the caller's turn, and says whether the game is over.
    #[inline]
    fn settle(&mut self, course: &Course<G>, choice: &mut Choice) -> Option<Outcome> {
        let outcome = self.look(&course.rules, &mut choice.mask);
        match &course.opponents {
            Some(opponents) if outcome.is_none() => {
                self.answer(&course.rules, opponents.as_ref(), &mut choice.mask)
            }
            _ => outcome,
        }
    }

    #[inline(never)]
    fn answer(
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
            let outcome = self.look(rules, mask);
            if outcome.is_some() {
                return outcome;
            }
        }
        None
    }

    /// Lists the legal actions and says whether the game is over.
    #[inline]
    fn look(&self, rules: &G, mask: &mut Mask) -> Option<Outcome> {
        mask.clear();
        let mut has_action = false;
        let _ = rules.generate_actions(&self.state, |run| {
            mask.insert(run);
            has_action |= run.bits != 0;
            Flow::Continue(())
        });
        rules.outcome_given(&self.state, has_action)
    }

    /// Does what is planned and says what it brought.
    #[inline]
    pub(super) fn step(
        &mut self,
        course: &Course<G>,
        plan: Plan,
        choice: &mut Choice,
        row: &mut Row<'_, '_>,
    ) {
        let Plan::Play(action) = plan else {
            return self.step_otherwise(course, plan, choice, row);
        };
        course.rules.play(&mut self.state, action);
        let Some(outcome) = self.settle(course, choice) else {
            row.clear_results();
            return;
        };
        row.reward.copy_from_slice(outcome.rewards());
        *row.truncated = outcome.truncated();
        *row.terminated = !outcome.truncated();
        self.end(course, choice, row);
    }

    /// Does what is planned, which is no action.
    #[cold]
    fn step_otherwise(
        &mut self,
        course: &Course<G>,
        plan: Plan,
        choice: &mut Choice,
        row: &mut Row<'_, '_>,
    ) {
        match plan {
            Plan::Forfeit => {
                let others = course.rules.players() - 1;
                row.reward.fill(1.0 / others as f32);
                row.reward[course.rules.to_move(&self.state)] = -1.0;
                (*row.terminated, *row.truncated) = (true, false);
                return self.end(course, choice, row);
            }
            Plan::Reset(Reset::Next) => self.next_game(course, choice),
            Plan::Reset(Reset::Seed(seed)) => self.restart(course, seed, choice),
            // Its results stand, too.
            Plan::Reset(Reset::Keep) | Plan::Play(_) => return,
        }
        row.clear_results();
    }

    /// Shows the last position of a game if that is asked for, and goes on as the batch is told.
    fn end(&mut self, course: &Course<G>, choice: &mut Choice, row: &mut Row<'_, '_>) {
        if let Some(observation) = &mut row.final_observation {
            self.observe(course, self.viewer(course), observation);
        }
        match course.config.autoreset {
            Autoreset::SameStep => self.next_game(course, choice),
            Autoreset::NextStep | Autoreset::Disabled => choice.mask.clear(),
        }
    }

    /// Whose rows these are: the mover's, who is the caller where there are opponents. Once a game
    /// is over these may be another's turn.
    #[inline]
    fn viewer(&self, course: &Course<G>) -> Player {
        match &course.opponents {
            None => course.rules.to_move(&self.state),
            Some(opponents) => opponents.caller(&course.rules, self.game_seed()),
        }
    }

    #[inline]
    fn observe(&self, course: &Course<G>, viewer: Player, out: &mut [u8]) {
        let view = course.rules.view(&self.state, Viewer::Player(viewer));
        course.config.format.write(&course.rules, &view, out);
    }

    /// Writes what the mover sees and may do.
    #[inline]
    pub(super) fn write(&self, course: &Course<G>, choice: &Choice, row: &mut Row<'_, '_>) {
        let viewer = self.viewer(course);
        *row.current_player = viewer as i8;
        let length = course.config.format.len(&G::LAYOUT);
        row.observation.bytes(length, |out| self.observe(course, viewer, out));
        let actions = course.rules.table().len();
        choice.mask.write_to(course.config.mask, actions, row.mask);
    }
}
