//! Buffers of a batch's rows.

use super::any_batch::AnyBatch;
use super::memory::zeroed;
use super::rows::{Rows, column, width};
use crate::for_row_columns;

macro_rules! define_buffers {
    ($($(#[$doc:meta])* $when:ident $name:ident $label:literal: $type:ty, $width:expr;)*) => {
        /// Buffers of a batch's rows, for callers that have none of their own. Each field is the buffer of
        /// the same name in [`Rows`].
        ///
        /// ```
        /// use darkqi_env::{BatchConfig, Options, batch::Buffers};
        ///
        /// let config = BatchConfig { lanes: 100, ..BatchConfig::default() };
        /// let mut batch = darkqi_env::make("jieqi", &Options::new(), config)?;
        /// let mut buffers = Buffers::new(&*batch);
        /// let mut actions = [0; 100];
        /// batch.reset(None, buffers.rows())?;
        /// batch.sample_actions(&mut actions)?;
        /// batch.step(&actions, buffers.rows())?;
        /// assert_eq!(buffers.current_player, [1; 100]);
        /// assert_eq!(buffers.observation.len(), 100 * 39 * 10 * 9);
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        #[derive(Clone, PartialEq, Debug)]
        #[expect(missing_docs, reason = "the fields are those of `Rows`")]
        pub struct Buffers {
            $(pub $name: column!($when type Vec<$type>),)*
        }

        impl Buffers {
            /// Buffers for every lane of a batch, full of zeros, without final observations.
            pub fn new(batch: &dyn AnyBatch) -> Self {
                let (lanes, lengths) = (batch.config().lanes, &batch.lengths());
                Self {
                    $($name: column!($when new zeroed(lanes * width(lengths, $width))),)*
                }
            }

            /// The buffers as arguments of a batch's methods.
            pub fn rows(&mut self) -> Rows<'_> {
                Rows { $($name: column!($when rows self.$name)),* }
            }
        }
    };
}

for_row_columns!(define_buffers);

impl Buffers {
    /// The buffers, and those for final observations and their seats.
    #[must_use]
    pub fn with_final_observation(self) -> Self {
        Self {
            final_observation: Some(zeroed(self.observation.len())),
            final_player: Some(zeroed(self.current_player.len())),
            ..self
        }
    }

    /// Whether the latest step ended the game of a lane, counted from 0.
    #[inline]
    pub fn ended(&self, lane: usize) -> bool {
        self.terminated[lane] || self.truncated[lane]
    }
}
