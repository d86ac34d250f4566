//! A batch of training rows in memory of its own, seen through shaped views.

use ndarray::{ArrayView1, ArrayView2, ArrayView4};

use super::rows::{ObservationShape, Targets, TrainingRows};
use super::sampler::Sampler;
use crate::error::Result;

/// A batch of training rows in memory of its own. Each view has one entry per filled row along its
/// first axis.
///
/// Callers with buffers of their own, such as numpy arrays, fill [`TrainingRows`] instead.
#[derive(Clone, Debug)]
pub struct TrainingBatch {
    shape: ObservationShape,
    actions: usize,
    players: usize,
    filled: usize,
    observation: Vec<u8>,
    action_mask: Vec<u8>,
    action: Vec<i64>,
    player: Vec<i8>,
    reward: Vec<f32>,
    legal_count: Vec<u16>,
    game_id: Vec<u64>,
    ply: Vec<u16>,
    targets: Option<[Vec<f32>; 2]>,
}

impl TrainingBatch {
    /// Room for at most `rows` rows of a sampler. No row is filled yet.
    pub fn new(sampler: &dyn Sampler, rows: usize) -> Self {
        let lengths = sampler.lengths();
        Self {
            shape: sampler.observation_shape(),
            actions: lengths.mask,
            players: lengths.players,
            filled: 0,
            observation: vec![0; rows * lengths.observation],
            action_mask: vec![0; rows * lengths.mask],
            action: vec![0; rows],
            player: vec![0; rows],
            reward: vec![0.0; rows],
            legal_count: vec![0; rows],
            game_id: vec![0; rows],
            ply: vec![0; rows],
            targets: sampler
                .has_targets()
                .then(|| [lengths.players, lengths.mask].map(|width| vec![0.0; rows * width])),
        }
    }

    /// Replaces the rows by the sampler's next ones and returns their number. It is smaller than
    /// the room only at the end of the epoch, and 0 after it.
    ///
    /// # Errors
    /// As [`Sampler::fill`]. No row is filled then.
    pub fn fill(&mut self, sampler: &mut dyn Sampler) -> Result<usize> {
        self.filled = 0;
        self.filled = sampler.fill(TrainingRows {
            observation: &mut self.observation,
            action_mask: &mut self.action_mask,
            action: &mut self.action,
            player: &mut self.player,
            reward: &mut self.reward,
            legal_count: &mut self.legal_count,
            game_id: &mut self.game_id,
            ply: &mut self.ply,
            targets: self.targets.as_mut().map(|[value, policy]| Targets { value, policy }),
        })?;
        Ok(self.filled)
    }

    /// The number of filled rows.
    pub fn len(&self) -> usize {
        self.filled
    }

    /// Whether no row is filled.
    pub fn is_empty(&self) -> bool {
        self.filled == 0
    }

    /// Observations as planes, of shape (rows, channels, ranks, files). None if the sampler gives
    /// tokens.
    pub fn planes(&self) -> Option<ArrayView4<'_, u8>> {
        let ObservationShape::Planes([channels, ranks, files]) = self.shape else { return None };
        let bytes = &self.observation[..self.filled * channels * ranks * files];
        let shape = (self.filled, channels, ranks, files);
        Some(ArrayView4::from_shape(shape, bytes).expect("the slice has these many bytes"))
    }

    /// Observations as tokens, of shape (rows, tokens). None if the sampler gives planes.
    pub fn tokens(&self) -> Option<ArrayView2<'_, u8>> {
        let ObservationShape::Tokens(tokens) = self.shape else { return None };
        Some(self.matrix(&self.observation, tokens))
    }

    /// 1 for the mover's legal actions and 0 for all others, of shape (rows, actions).
    pub fn action_mask(&self) -> ArrayView2<'_, u8> {
        self.matrix(&self.action_mask, self.actions)
    }

    /// The index of the action played.
    pub fn action(&self) -> ArrayView1<'_, i64> {
        self.column(&self.action)
    }

    /// The mover's seat, from 0.
    pub fn player(&self) -> ArrayView1<'_, i8> {
        self.column(&self.player)
    }

    /// The mover's reward at the end of the game.
    pub fn reward(&self) -> ArrayView1<'_, f32> {
        self.column(&self.reward)
    }

    /// The number of legal actions.
    pub fn legal_count(&self) -> ArrayView1<'_, u16> {
        self.column(&self.legal_count)
    }

    /// The game's id.
    pub fn game_id(&self) -> ArrayView1<'_, u64> {
        self.column(&self.game_id)
    }

    /// The ply within the game, from 0.
    pub fn ply(&self) -> ArrayView1<'_, u16> {
        self.column(&self.ply)
    }

    /// The expected result of each seat as the mover saw it, of shape (rows, players), NaN where
    /// none is logged. None if the sampler gives no targets.
    pub fn value(&self) -> Option<ArrayView2<'_, f32>> {
        self.targets.as_ref().map(|[value, _]| self.matrix(value, self.players))
    }

    /// The probability of each action in the logged policy, of shape (rows, actions), all 0 where none
    /// is logged. None if the sampler gives no targets.
    pub fn policy(&self) -> Option<ArrayView2<'_, f32>> {
        self.targets.as_ref().map(|[_, policy]| self.matrix(policy, self.actions))
    }

    fn column<'a, T>(&self, values: &'a [T]) -> ArrayView1<'a, T> {
        ArrayView1::from(&values[..self.filled])
    }

    fn matrix<'a, T>(&self, values: &'a [T], width: usize) -> ArrayView2<'a, T> {
        ArrayView2::from_shape((self.filled, width), &values[..self.filled * width])
            .expect("the slice has these many values")
    }
}
