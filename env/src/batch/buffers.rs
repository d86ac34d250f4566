//! Rows of a batch in memory of their own.

use super::{AnyBatch, Rows, zeroed};

/// Rows of a batch in memory of their own, for callers that have none; each field is that of
/// [`Rows`].
///
/// ```
/// use darkqi_env::{BatchConfig, Buffers, Options, make};
///
/// let config = BatchConfig { lanes: 100, ..BatchConfig::default() };
/// let mut batch = make("jieqi", &Options::new(), config)?;
/// let mut buffers = Buffers::new(&*batch);
/// let mut actions = [0; 100];
/// batch.reset(None, buffers.rows())?;
/// batch.sample_actions(&mut actions)?;
/// batch.step(&actions, buffers.rows())?;
/// assert_eq!(buffers.current_player, [1; 100]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "the fields are those of `Rows`")]
pub struct Buffers {
    pub observation: Vec<u8>,
    pub mask: Vec<u8>,
    pub current_player: Vec<i8>,
    pub reward: Vec<f32>,
    pub terminated: Vec<bool>,
    pub truncated: Vec<bool>,
    pub final_observation: Option<Vec<u8>>,
}

impl Buffers {
    /// Zeros for every lane of this batch, without last positions.
    pub fn new(batch: &dyn AnyBatch) -> Self {
        let (lanes, lengths) = (batch.config().lanes, batch.lengths());
        Self {
            observation: zeroed(lanes * lengths.observation),
            mask: zeroed(lanes * lengths.mask),
            current_player: vec![0; lanes],
            reward: vec![0.0; lanes * lengths.players],
            terminated: vec![false; lanes],
            truncated: vec![false; lanes],
            final_observation: None,
        }
    }

    /// The same with room for last positions.
    #[must_use]
    pub fn with_final_observation(self) -> Self {
        Self { final_observation: Some(zeroed(self.observation.len())), ..self }
    }

    /// Whether the latest step ended the game of a lane, counted from 0.
    #[inline]
    pub fn ended(&self, lane: usize) -> bool {
        self.terminated[lane] || self.truncated[lane]
    }

    /// The rows, for a call of the batch.
    pub fn rows(&mut self) -> Rows<'_> {
        Rows {
            observation: &mut self.observation,
            mask: &mut self.mask,
            current_player: &mut self.current_player,
            reward: &mut self.reward,
            terminated: &mut self.terminated,
            truncated: &mut self.truncated,
            final_observation: self.final_observation.as_deref_mut(),
        }
    }
}
