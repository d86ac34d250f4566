//! The caller's buffers, row by row.

use crate::error::{Error, Result};

/// Bytes of the buffers whose rows differ by game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RowLengths {
    /// Bytes of an observation.
    pub observation: usize,
    /// Bytes of a mask: the number of actions.
    pub mask: usize,
}

/// Rows to train on, one per ply; the buffers belong to the caller.
#[derive(Debug)]
pub struct TrainingRows<'a> {
    /// `rows x observation` bytes: what the mover saw, turned to its side.
    pub observation: &'a mut [u8],
    /// `rows x mask` bytes: 1 for its legal actions, 0 for others.
    pub action_mask: &'a mut [u8],
    /// The index of the action it played.
    pub action: &'a mut [i64],
    /// Its seat.
    pub player: &'a mut [i8],
    /// What it got at the end of the game.
    pub reward: &'a mut [f32],
    /// How many legal actions it had.
    pub legal_count: &'a mut [u16],
    /// The game.
    pub game_id: &'a mut [u64],
    /// The ply within the game, from 0.
    pub ply: &'a mut [u16],
}

impl<'a> TrainingRows<'a> {
    /// The number of rows: the length of [`TrainingRows::action`].
    pub fn len(&self) -> usize {
        self.action.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.action.is_empty()
    }

    /// Checks that all buffers hold as many rows.
    pub(super) fn check(&self, lengths: &RowLengths) -> Result<()> {
        let rows = self.len();
        let buffers = [
            ("observation", self.observation.len(), lengths.observation),
            ("action_mask", self.action_mask.len(), lengths.mask),
            ("player", self.player.len(), 1),
            ("reward", self.reward.len(), 1),
            ("legal_count", self.legal_count.len(), 1),
            ("game_id", self.game_id.len(), 1),
            ("ply", self.ply.len(), 1),
        ];
        for (name, found, length) in buffers {
            if found != rows * length {
                let expected = format!("{rows} rows of {length} as `action` has {rows}");
                return Err(Error::Argument { name, expected, found: found.to_string() });
            }
        }
        Ok(())
    }

    /// The first rows, and the others.
    pub(super) fn split_at(self, rows: usize, lengths: &RowLengths) -> (Self, Self) {
        let (observation, observations) = self.observation.split_at_mut(rows * lengths.observation);
        let (action_mask, action_masks) = self.action_mask.split_at_mut(rows * lengths.mask);
        let (action, actions) = self.action.split_at_mut(rows);
        let (player, players) = self.player.split_at_mut(rows);
        let (reward, rewards) = self.reward.split_at_mut(rows);
        let (legal_count, legal_counts) = self.legal_count.split_at_mut(rows);
        let (game_id, game_ids) = self.game_id.split_at_mut(rows);
        let (ply, plies) = self.ply.split_at_mut(rows);
        (
            Self { observation, action_mask, action, player, reward, legal_count, game_id, ply },
            Self {
                observation: observations,
                action_mask: action_masks,
                action: actions,
                player: players,
                reward: rewards,
                legal_count: legal_counts,
                game_id: game_ids,
                ply: plies,
            },
        )
    }

    /// Runs of at most so many rows.
    pub(super) fn chunks(self, rows: usize, lengths: &RowLengths) -> Vec<Self> {
        let mut chunks = Vec::with_capacity(self.len().div_ceil(rows));
        let mut rest = self;
        while !rest.is_empty() {
            let count = rows.min(rest.len());
            let (chunk, others) = rest.split_at(count, lengths);
            chunks.push(chunk);
            rest = others;
        }
        chunks
    }
}
