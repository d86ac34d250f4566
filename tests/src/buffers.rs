//! Memory for the rows of a batch.

use darkqi_env::{AnyBatch, Rows};

/// Buffers for the rows of a batch.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "the fields are those of `Rows`")]
pub struct Buffers {
    pub observation: Vec<u8>,
    pub mask: Vec<u8>,
    pub current_player: Vec<i8>,
    pub reward: Vec<f32>,
    pub terminated: Vec<bool>,
    pub truncated: Vec<bool>,
    pub final_observation: Vec<u8>,
}

impl Buffers {
    /// For this batch.
    pub fn new(batch: &dyn AnyBatch) -> Self {
        let (lanes, lengths) = (batch.config().lanes, batch.lengths());
        Self {
            observation: vec![0; lanes * lengths.observation],
            mask: vec![0; lanes * lengths.mask],
            current_player: vec![0; lanes],
            reward: vec![0.0; lanes * lengths.players],
            terminated: vec![false; lanes],
            truncated: vec![false; lanes],
            final_observation: vec![0; lanes * lengths.observation],
        }
    }

    /// For a call of the batch.
    pub fn rows(&mut self) -> Rows<'_> {
        Rows {
            observation: &mut self.observation,
            mask: &mut self.mask,
            current_player: &mut self.current_player,
            reward: &mut self.reward,
            terminated: &mut self.terminated,
            truncated: &mut self.truncated,
            final_observation: Some(&mut self.final_observation),
        }
    }

    /// Lane `lane` of every buffer.
    pub fn row(&self, lane: usize) -> (&[u8], &[u8], i8, &[f32], bool, bool) {
        let lanes = self.current_player.len();
        (
            part(&self.observation, lane, lanes),
            part(&self.mask, lane, lanes),
            self.current_player[lane],
            part(&self.reward, lane, lanes),
            self.terminated[lane],
            self.truncated[lane],
        )
    }
}

/// One of so many equal parts of a buffer.
pub fn part<T>(buffer: &[T], lane: usize, lanes: usize) -> &[T] {
    let row = buffer.len() / lanes;
    &buffer[lane * row..(lane + 1) * row]
}
