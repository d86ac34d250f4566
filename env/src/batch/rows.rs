//! The buffers that a step writes, one row per lane.

use std::slice;

use super::row_writer::{RowWriter, StreamBuffer};
use crate::error::BatchError;

/// Elements per row of the buffers whose length depends on the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RowLengths {
    /// Bytes of an observation.
    pub observation: usize,
    /// Bytes of a mask.
    pub mask: usize,
    /// Rewards: the number of seats.
    pub players: usize,
}

/// The buffers that a step writes, each with one row per lane. They belong to the caller;
/// [`Buffers`](super::Buffers) owns a set of them.
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
    /// Whether an illegal action ended the lane's game, which is then terminated.
    pub forfeited: &'a mut [bool],
    /// `lanes x observation` bytes: the last position of each game that ended in this step, from
    /// the side of [`final_player`](Self::final_player). Other rows are not written.
    pub final_observation: Option<&'a mut [u8]>,
    /// The seat that would be to move in each game that ended in this step; against opponents, the
    /// caller's. Other elements are not written.
    pub final_player: Option<&'a mut [i8]>,
}

impl<'a> Rows<'a> {
    /// Checks that the buffers have exactly this many lanes.
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
        check_length("forfeited", lanes, self.forfeited.len())?;
        if let Some(rows) = &self.final_observation {
            check_length("final_observation", lanes * lengths.observation, rows.len())?;
        }
        if let Some(players) = &self.final_player {
            check_length("final_player", lanes, players.len())?;
        }
        Ok(())
    }

    /// The rows of the first `lanes` lanes, and the other rows.
    ///
    /// # Panics
    /// If a buffer has fewer than `lanes` lanes.
    pub fn split_at(self, lanes: usize, lengths: &RowLengths) -> (Self, Self) {
        let (observation, observations) =
            self.observation.split_at_mut(lanes * lengths.observation);
        let (mask, masks) = self.mask.split_at_mut(lanes * lengths.mask);
        let (current_player, current_players) = self.current_player.split_at_mut(lanes);
        let (reward, rewards) = self.reward.split_at_mut(lanes * lengths.players);
        let (terminated, terminateds) = self.terminated.split_at_mut(lanes);
        let (truncated, truncateds) = self.truncated.split_at_mut(lanes);
        let (forfeited, forfeiteds) = self.forfeited.split_at_mut(lanes);
        let (final_observation, final_observations) = self
            .final_observation
            .map(|rows| rows.split_at_mut(lanes * lengths.observation))
            .unzip();
        let (final_player, final_players) =
            self.final_player.map(|players| players.split_at_mut(lanes)).unzip();
        (
            Self {
                observation,
                mask,
                current_player,
                reward,
                terminated,
                truncated,
                forfeited,
                final_observation,
                final_player,
            },
            Self {
                observation: observations,
                mask: masks,
                current_player: current_players,
                reward: rewards,
                terminated: terminateds,
                truncated: truncateds,
                forfeited: forfeiteds,
                final_observation: final_observations,
                final_player: final_players,
            },
        )
    }

    /// Writers of the rows one by one, which stream observations and masks if there are buffers for
    /// it.
    pub(super) fn writers(
        self,
        lengths: &RowLengths,
        buffers: Option<&'a mut [StreamBuffer; 2]>,
    ) -> RowWriters<'a> {
        let [observation, mask] = match buffers {
            Some(buffers) => buffers.each_mut().map(Some),
            None => [None, None],
        };
        RowWriters {
            observation: RowWriter::new(self.observation, observation),
            mask: RowWriter::new(self.mask, mask),
            current_player: self.current_player.iter_mut(),
            results: ResultRows {
                reward: self.reward.chunks_exact_mut(lengths.players),
                terminated: self.terminated.iter_mut(),
                truncated: self.truncated.iter_mut(),
                forfeited: self.forfeited.iter_mut(),
                final_observation: self
                    .final_observation
                    .map(|rows| rows.chunks_exact_mut(lengths.observation)),
                final_player: self.final_player.map(<[i8]>::iter_mut),
            },
        }
    }
}

/// The rows that are not written yet.
pub(super) struct RowWriters<'a> {
    observation: RowWriter<'a>,
    mask: RowWriter<'a>,
    current_player: slice::IterMut<'a, i8>,
    pub(super) results: ResultRows<'a>,
}

/// The results that are not written yet.
pub(super) struct ResultRows<'a> {
    reward: slice::ChunksExactMut<'a, f32>,
    terminated: slice::IterMut<'a, bool>,
    truncated: slice::IterMut<'a, bool>,
    forfeited: slice::IterMut<'a, bool>,
    final_observation: Option<slice::ChunksExactMut<'a, u8>>,
    final_player: Option<slice::IterMut<'a, i8>>,
}

impl<'a> Iterator for ResultRows<'a> {
    type Item = Results<'a>;

    #[inline]
    fn next(&mut self) -> Option<Results<'a>> {
        Some(Results {
            reward: self.reward.next()?,
            terminated: self.terminated.next()?,
            truncated: self.truncated.next()?,
            forfeited: self.forfeited.next()?,
            final_observation: self.final_observation.as_mut().and_then(Iterator::next),
            final_player: self.final_player.as_mut().and_then(Iterator::next),
        })
    }
}

impl<'a> RowWriters<'a> {
    /// The next row, if there is one.
    #[inline]
    pub(super) fn next(&mut self) -> Option<Row<'_, 'a>> {
        Some(Row {
            current_player: self.current_player.next()?,
            observation: &mut self.observation,
            mask: &mut self.mask,
        })
    }

    /// Writes what is still buffered. All rows must have been written.
    pub(super) fn finish(self) {
        self.observation.finish();
        self.mask.finish();
    }
}

/// The row of one lane of [`Rows`] that shows a position.
pub(super) struct Row<'a, 'c> {
    /// Writes the observation.
    pub(super) observation: &'a mut RowWriter<'c>,
    /// Writes the mask.
    pub(super) mask: &'a mut RowWriter<'c>,
    pub(super) current_player: &'a mut i8,
}

/// The row of one lane of [`Rows`] that says what the last step did.
pub(super) struct Results<'a> {
    pub(super) reward: &'a mut [f32],
    pub(super) terminated: &'a mut bool,
    pub(super) truncated: &'a mut bool,
    pub(super) forfeited: &'a mut bool,
    pub(super) final_observation: Option<&'a mut [u8]>,
    pub(super) final_player: Option<&'a mut i8>,
}

impl Results<'_> {
    /// Writes that the game goes on: no reward and no end.
    pub(super) fn clear(&mut self) {
        self.reward.fill(0.0);
        *self.terminated = false;
        *self.truncated = false;
        *self.forfeited = false;
    }
}

pub(super) fn check_length(
    what: &'static str,
    expected: usize,
    got: usize,
) -> Result<(), BatchError> {
    if expected == got { Ok(()) } else { Err(BatchError::Length { what, expected, got }) }
}
