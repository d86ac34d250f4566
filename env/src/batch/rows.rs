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

/// Calls a macro with all columns of a batch's rows, one entry each: its documentation, whether it is
/// `always` written or only if it is `asked` for, its name, its name in errors, the type of its elements
/// and how many of them a lane has. Buffers, checks and the arrays of Python's threads follow from this
/// list.
#[macro_export]
macro_rules! for_row_columns {
    ($apply:ident) => {
        $apply! {
            /// `lanes x observation` bytes, from the mover's side.
            always observation "observation": u8, |lengths| lengths.observation;
            /// `lanes x mask` bytes.
            always mask "action_mask": u8, |lengths| lengths.mask;
            /// The seat to move in each lane.
            always current_player "current_player": i8, |_| 1;
            /// `lanes x players`: what the step gave each seat.
            always reward "reward": f32, |lengths| lengths.players;
            /// Whether the step ended the lane's game by its rules.
            always terminated "terminated": bool, |_| 1;
            /// Whether the step ended the lane's game at its ply limit.
            always truncated "truncated": bool, |_| 1;
            /// Whether an illegal action ended the lane's game, which is then terminated.
            always forfeited "forfeited": bool, |_| 1;
            /// `lanes x observation` bytes: the last position of each game that ended in this step,
            /// from the side of the final player. Other rows are not written.
            asked final_observation "final_observation": u8, |lengths| lengths.observation;
            /// The seat that would be to move in each game that ended in this step; against
            /// opponents, the caller's. Other elements are not written.
            asked final_player "final_player": i8, |_| 1;
        }
    };
}

/// The form of a column that is `always` written or `asked` for, by its type or its slice.
macro_rules! column {
    (always type $type:ty) => { $type };
    (asked type $type:ty) => { Option<$type> };
    (always len $slice:expr) => { Some($slice.len()) };
    (asked len $slice:expr) => { $slice.as_ref().map(|slice| slice.len()) };
    (always split $slice:expr, $at:expr) => { $slice.split_at_mut($at) };
    (asked split $slice:expr, $at:expr) => { $slice.map(|slice| slice.split_at_mut($at)).unzip() };
    (always new $buffer:expr) => { $buffer };
    (asked new $buffer:expr) => { None };
    (always rows $buffer:expr) => { &mut $buffer };
    (asked rows $buffer:expr) => { $buffer.as_deref_mut() };
}

pub(super) use column;

macro_rules! define_rows {
    ($($(#[$doc:meta])* $when:ident $name:ident $label:literal: $type:ty, $width:expr;)*) => {
        /// The buffers that a step writes, each with one row per lane. They belong to the caller;
        /// [`Buffers`](super::Buffers) owns a set of them.
        #[derive(Debug)]
        pub struct Rows<'a> {
            $($(#[$doc])* pub $name: column!($when type &'a mut [$type]),)*
        }

        impl Rows<'_> {
            /// Checks that the buffers have exactly this many lanes.
            ///
            /// # Errors
            /// If a buffer has the wrong length.
            pub fn check(&self, lanes: usize, lengths: &RowLengths) -> Result<(), BatchError> {
                $(if let Some(found) = column!($when len self.$name) {
                    check_length($label, lanes * width(lengths, $width), found)?;
                })*
                Ok(())
            }

            /// The rows of the first `lanes` lanes, and the other rows.
            ///
            /// # Panics
            /// If a buffer has fewer than `lanes` lanes.
            pub fn split_at(self, lanes: usize, lengths: &RowLengths) -> (Self, Self) {
                $(let $name = column!($when split self.$name, lanes * width(lengths, $width));)*
                (Self { $($name: $name.0),* }, Self { $($name: $name.1),* })
            }
        }
    };
}

for_row_columns!(define_rows);

/// Elements of a lane in a column.
pub(super) fn width(lengths: &RowLengths, of: fn(&RowLengths) -> usize) -> usize {
    of(lengths)
}

impl<'a> Rows<'a> {
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
