//! The caller's buffers, row by row.

use crate::error::BatchError;
use crate::simd;

/// Elements per lane of the buffers whose length depends on the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RowLengths {
    /// Bytes of an observation.
    pub observation: usize,
    /// Bytes of a mask.
    pub mask: usize,
    /// Rewards of a lane.
    pub players: usize,
}

/// One row per lane of everything a step tells; the buffers belong to the caller.
#[derive(Debug)]
pub struct Rows<'a> {
    /// `lanes x observation` bytes, from the mover's side.
    pub observation: &'a mut [u8],
    /// `lanes x mask` bytes.
    pub mask: &'a mut [u8],
    /// The seat to move in each lane.
    pub current_player: &'a mut [i8],
    /// `lanes x players`: what the step gave each seat.
    pub reward: &'a mut [f32],
    /// Whether the step ended the lane's game by its rules.
    pub terminated: &'a mut [bool],
    /// Whether the step ended the lane's game at its ply limit.
    pub truncated: &'a mut [bool],
    /// `lanes x observation` bytes: the last position of games that ended in this step, as the
    /// seat sees it that would be to move. Other rows are left alone.
    pub final_observation: Option<&'a mut [u8]>,
}

impl<'a> Rows<'a> {
    /// Checks that there is a row for each of so many lanes, and no more.
    ///
    /// # Errors
    /// If a buffer has the wrong length.
    pub fn check(&self, lanes: usize, lengths: &RowLengths) -> Result<(), BatchError> {
        check_length("observation", lanes * lengths.observation, self.observation.len())?;
        check_length("action_mask", lanes * lengths.mask, self.mask.len())?;
        check_length("current_player", lanes, self.current_player.len())?;
        check_length("reward", lanes * lengths.players, self.reward.len())?;
        check_length("terminated", lanes, self.terminated.len())?;
        check_length("truncated", lanes, self.truncated.len())?;
        if let Some(rows) = &self.final_observation {
            check_length("final_observation", lanes * lengths.observation, rows.len())?;
        }
        Ok(())
    }

    /// The rows of the first lanes, and the others.
    ///
    /// # Panics
    /// If a buffer is shorter than so many lanes.
    pub fn split_at(self, lanes: usize, lengths: &RowLengths) -> (Self, Self) {
        let (observation, observations) =
            self.observation.split_at_mut(lanes * lengths.observation);
        let (mask, masks) = self.mask.split_at_mut(lanes * lengths.mask);
        let (current_player, current_players) = self.current_player.split_at_mut(lanes);
        let (reward, rewards) = self.reward.split_at_mut(lanes * lengths.players);
        let (terminated, terminateds) = self.terminated.split_at_mut(lanes);
        let (truncated, truncateds) = self.truncated.split_at_mut(lanes);
        let (final_observation, final_observations) = self
            .final_observation
            .map(|rows| rows.split_at_mut(lanes * lengths.observation))
            .unzip();
        (
            Self {
                observation,
                mask,
                current_player,
                reward,
                terminated,
                truncated,
                final_observation,
            },
            Self {
                observation: observations,
                mask: masks,
                current_player: current_players,
                reward: rewards,
                terminated: terminateds,
                truncated: truncateds,
                final_observation: final_observations,
            },
        )
    }

    /// Lets `write` fill in the rows, with the observations and masks in `draft`, and streams these
    /// out.
    pub(super) fn stream(self, draft: &mut Vec<u8>, write: impl FnOnce(Rows<'_>)) {
        draft.resize(self.observation.len() + self.mask.len(), 0);
        let (observation, mask) = draft.split_at_mut(self.observation.len());
        write(Rows { observation: &mut *observation, mask: &mut *mask, ..self });
        simd::stream(observation, self.observation);
        simd::stream(mask, self.mask);
    }

    /// The rows one by one.
    pub(super) fn each(self, lengths: &RowLengths) -> impl Iterator<Item = Row<'a>> {
        let mut observation = self.observation.chunks_exact_mut(lengths.observation);
        let mut mask = self.mask.chunks_exact_mut(lengths.mask);
        let mut current_player = self.current_player.iter_mut();
        let mut reward = self.reward.chunks_exact_mut(lengths.players);
        let mut terminated = self.terminated.iter_mut();
        let mut truncated = self.truncated.iter_mut();
        let mut final_observation =
            self.final_observation.map(|rows| rows.chunks_exact_mut(lengths.observation));
        std::iter::from_fn(move || {
            Some(Row {
                observation: observation.next()?,
                mask: mask.next()?,
                current_player: current_player.next()?,
                reward: reward.next()?,
                terminated: terminated.next()?,
                truncated: truncated.next()?,
                final_observation: final_observation.as_mut().and_then(Iterator::next),
            })
        })
    }
}

/// One lane's row of [`Rows`].
pub(super) struct Row<'a> {
    pub(super) observation: &'a mut [u8],
    pub(super) mask: &'a mut [u8],
    pub(super) current_player: &'a mut i8,
    pub(super) reward: &'a mut [f32],
    pub(super) terminated: &'a mut bool,
    pub(super) truncated: &'a mut bool,
    pub(super) final_observation: Option<&'a mut [u8]>,
}

impl Row<'_> {
    /// Says that nothing has ended and nothing was won.
    pub(super) fn clear_results(&mut self) {
        self.reward.fill(0.0);
        *self.terminated = false;
        *self.truncated = false;
    }
}

pub(super) fn check_length(
    what: &'static str,
    expected: usize,
    got: usize,
) -> Result<(), BatchError> {
    if expected == got { Ok(()) } else { Err(BatchError::Length { what, expected, got }) }
}
