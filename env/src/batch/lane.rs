//! One lane of a batch: a game and which game comes next, and apart from it what may be done.

use super::mask::{Mask, MaskFormat};
use super::rows::Row;
use crate::action::Action;
use crate::game::{Flow, GameExt, Outcome};
use crate::games::Registered;
use crate::hidden::Viewer;
use crate::observe::Format;
use crate::rng::{Rng, Stream, game_seed};

/// What may be done in a lane. Choosing and drawing actions touches no game: a batch keeps all its
/// choices together.
#[derive(Debug)]
pub(super) struct Choice {
    /// The legal actions of the lane's game, which is never a finished one.
    mask: Mask,
    /// The legal action to play next, once [`Choice::set`] has checked it.
    chosen: Action,
    /// Draws the game's random actions.
    sampler: Rng,
}

impl Choice {
    pub(super) fn new(actions: usize) -> Self {
        let sampler = Rng::new(0, Stream::Sample);
        Self { mask: Mask::new(actions), chosen: Action(0), sampler }
    }

    /// Chooses the action with this index, of any size, if it is legal.
    #[inline]
    pub(super) fn set(&mut self, index: i64) -> bool {
        let legal = usize::try_from(index).is_ok_and(|index| self.mask.contains(index));
        if legal {
            self.chosen = Action(index as u16);
        }
        legal
    }

    /// A uniformly random legal action.
    pub(super) fn sample(&mut self) -> i64 {
        self.mask.sample(&mut self.sampler).0.into()
    }
}

#[derive(Debug)]
pub(super) struct Lane<G: Registered> {
    pub(super) state: G::State,
    number: u32,
    /// Games that the lane has played before this one.
    played: u32,
}

impl<G: Registered> Lane<G> {
    /// The lane's first game.
    pub(super) fn new(rules: &G, batch_seed: u64, number: usize, choice: &mut Choice) -> Self {
        let number = number as u32;
        let seed = game_seed(batch_seed, number.into());
        let state = rules.deal(&mut Rng::new(seed, Stream::Deal));
        let lane = Self { state, number, played: 0 };
        lane.open(rules, seed, choice);
        lane
    }

    /// The seed of the lane's current game.
    pub(super) fn seed(&self, batch_seed: u64) -> u64 {
        game_seed(batch_seed, u64::from(self.played) << 32 | u64::from(self.number))
    }

    /// Deals the lane's first game of a new seed.
    pub(super) fn restart(&mut self, rules: &G, batch_seed: u64, choice: &mut Choice) {
        self.played = 0;
        self.deal(rules, batch_seed, choice);
    }

    /// Deals the lane's next game.
    pub(super) fn next_game(&mut self, rules: &G, batch_seed: u64, choice: &mut Choice) {
        self.played = self.played.wrapping_add(1);
        self.deal(rules, batch_seed, choice);
    }

    fn deal(&mut self, rules: &G, batch_seed: u64, choice: &mut Choice) {
        let seed = self.seed(batch_seed);
        rules.redeal(&mut self.state, &mut Rng::new(seed, Stream::Deal));
        self.open(rules, seed, choice);
    }

    /// Gets ready for the first ply of the game that has this seed.
    fn open(&self, rules: &G, seed: u64, choice: &mut Choice) {
        choice.sampler = Rng::new(seed, Stream::Sample);
        let dealt = self.look(rules, &mut choice.mask);
        debug_assert!(dealt.is_none(), "a deal is never over");
    }

    /// Lists the legal actions and says whether the game is over.
    #[inline]
    fn look(&self, rules: &G, mask: &mut Mask) -> Option<Outcome> {
        mask.clear();
        let mut has_action = false;
        let _ = rules.each_run(&self.state, |run| {
            mask.insert(run);
            has_action = true;
            Flow::Continue(())
        });
        rules.outcome_given(&self.state, has_action)
    }

    /// Plays the chosen action and says what it brought; deals the next game if this one is over.
    #[inline]
    pub(super) fn step(
        &mut self,
        rules: &G,
        batch_seed: u64,
        format: Format,
        choice: &mut Choice,
        row: &mut Row<'_>,
    ) {
        rules.play(&mut self.state, choice.chosen);
        let Some(outcome) = self.look(rules, &mut choice.mask) else {
            row.clear_results();
            return;
        };
        row.reward.copy_from_slice(outcome.rewards());
        *row.truncated = outcome.truncated();
        *row.terminated = !outcome.truncated();
        if let Some(observation) = &mut row.final_observation {
            let view = rules.view(&self.state, Viewer::Player(rules.to_move(&self.state)));
            format.write(rules, &view, observation);
        }
        self.next_game(rules, batch_seed, choice);
    }

    /// Writes what the mover sees and may do.
    #[inline]
    pub(super) fn write(
        &self,
        rules: &G,
        format: Format,
        mask: MaskFormat,
        choice: &Choice,
        row: &mut Row<'_>,
    ) {
        let mover = rules.to_move(&self.state);
        *row.current_player = mover as i8;
        format.write(rules, &rules.view(&self.state, Viewer::Player(mover)), row.observation);
        choice.mask.write(mask, row.mask);
    }
}
