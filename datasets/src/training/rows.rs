//! The caller's buffers for training rows.

use darkqi_env::RowLengths;

use crate::error::{Error, Result};

/// The shape of one observation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObservationShape {
    /// Channels, ranks, files.
    Planes([usize; 3]),
    /// The number of tokens, a byte each.
    Tokens(usize),
}

/// Training rows, one per ply, in the caller's buffers. [`TrainingBatch`](super::TrainingBatch) has
/// buffers of its own and shaped views.
#[derive(Debug)]
pub struct TrainingRows<'a> {
    /// `rows x observation` bytes: what the mover saw, from its perspective.
    pub observation: &'a mut [u8],
    /// `rows x mask` bytes: 1 for legal actions, 0 for all others.
    pub action_mask: &'a mut [u8],
    /// The index of the action played.
    pub action: &'a mut [i64],
    /// The mover's seat, from 0.
    pub player: &'a mut [i8],
    /// The mover's reward at the end of the game.
    pub reward: &'a mut [f32],
    /// The number of legal actions.
    pub legal_count: &'a mut [u16],
    /// The game's id.
    pub game_id: &'a mut [u64],
    /// The ply within the game, from 0.
    pub ply: &'a mut [u16],
    /// The agent's value and policy of the position, if [`SamplerConfig::targets`] is set.
    ///
    /// [`SamplerConfig::targets`]: super::SamplerConfig::targets
    pub targets: Option<Targets<'a>>,
}

/// Logged values and policies in the caller's buffers.
#[derive(Debug)]
pub struct Targets<'a> {
    /// `rows x players`: the expected result of each seat as the mover saw it; NaN where none is
    /// logged.
    pub value: &'a mut [f32],
    /// `rows x mask`: the probability of each action; all 0 where no policy is logged.
    pub policy: &'a mut [f32],
}

impl Targets<'_> {
    fn split_at(self, rows: usize, lengths: &RowLengths) -> (Self, Self) {
        let (value, values) = self.value.split_at_mut(rows * lengths.players);
        let (policy, policies) = self.policy.split_at_mut(rows * lengths.mask);
        (Self { value, policy }, Self { value: values, policy: policies })
    }
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

    /// Checks that all buffers hold the same number of rows.
    pub(super) fn check(&self, lengths: &RowLengths, targets: bool) -> Result<()> {
        let rows = self.len();
        if self.targets.is_some() != targets {
            let which = |given| if given { "buffers" } else { "no buffers" };
            let (expected, found) = (which(targets).into(), which(!targets).into());
            return Err(Error::Argument { name: "targets", expected, found });
        }
        let mut buffers = vec![
            ("observation", self.observation.len(), lengths.observation),
            ("action_mask", self.action_mask.len(), lengths.mask),
            ("player", self.player.len(), 1),
            ("reward", self.reward.len(), 1),
            ("legal_count", self.legal_count.len(), 1),
            ("game_id", self.game_id.len(), 1),
            ("ply", self.ply.len(), 1),
        ];
        if let Some(Targets { value, policy }) = &self.targets {
            buffers.push(("value", value.len(), lengths.players));
            buffers.push(("policy", policy.len(), lengths.mask));
        }
        for (name, found, length) in buffers {
            if found != rows * length {
                let expected = format!("{rows} rows of {length} as `action` has {rows}");
                return Err(Error::Argument { name, expected, found: found.to_string() });
            }
        }
        Ok(())
    }

    /// Splits off the first rows.
    pub(super) fn split_at(self, rows: usize, lengths: &RowLengths) -> (Self, Self) {
        let (observation, observations) = self.observation.split_at_mut(rows * lengths.observation);
        let (action_mask, action_masks) = self.action_mask.split_at_mut(rows * lengths.mask);
        let (action, actions) = self.action.split_at_mut(rows);
        let (player, players) = self.player.split_at_mut(rows);
        let (reward, rewards) = self.reward.split_at_mut(rows);
        let (legal_count, legal_counts) = self.legal_count.split_at_mut(rows);
        let (game_id, game_ids) = self.game_id.split_at_mut(rows);
        let (ply, plies) = self.ply.split_at_mut(rows);
        let (now, later) = self.targets.map(|all| all.split_at(rows, lengths)).unzip();
        (
            Self {
                observation,
                action_mask,
                action,
                player,
                reward,
                legal_count,
                game_id,
                ply,
                targets: now,
            },
            Self {
                observation: observations,
                action_mask: action_masks,
                action: actions,
                player: players,
                reward: rewards,
                legal_count: legal_counts,
                game_id: game_ids,
                ply: plies,
                targets: later,
            },
        )
    }

    /// Splits into chunks of at most `rows` rows.
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
