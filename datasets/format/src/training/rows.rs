//! The columns of training rows, and buffers for them.

use darkqi_env::batch::RowLengths;

use super::sampler::Sampler;
use crate::error::{Error, Result};

/// Elements of a row in each column that has several.
#[derive(Clone, Copy, Debug)]
pub(super) struct Widths {
    observation: usize,
    actions: usize,
    /// Elements of a logged value and of a logged policy; 0 unless rows have targets.
    value: usize,
    policy: usize,
}

impl Widths {
    pub(super) fn new(lengths: &RowLengths, targets: bool) -> Self {
        let (value, policy) = if targets { (lengths.players, lengths.mask) } else { (0, 0) };
        Self { observation: lengths.observation, actions: lengths.mask, value, policy }
    }
}

/// Calls a macro with all columns of training rows, one entry each: its documentation, its name, the
/// type of its elements, and how many of them a row has, `one` or `many` with their number. Buffers,
/// views, checks and Python's arrays follow from this list; what a row holds is written in one other
/// place, where games are replayed.
#[macro_export]
macro_rules! for_training_columns {
    ($apply:ident) => {
        $apply! {
            /// The mover's observation, from its perspective, of shape (rows, bytes).
            observation: u8, many |widths| widths.observation;
            /// 1 for the mover's legal actions and 0 for all others, of shape (rows, actions).
            action_mask: u8, many |widths| widths.actions;
            /// The index of the action played.
            action: i64, one;
            /// The mover's seat, from 0.
            player: i8, one;
            /// The mover's reward at the end of the game.
            reward: f32, one;
            /// The number of legal actions.
            legal_count: u16, one;
            /// The game's id.
            game_id: u64, one;
            /// The ply within the game, from 0.
            ply: u16, one;
            /// The expected result of each seat as the mover saw it, of shape (rows, players), NaN where
            /// none is logged. A row is empty unless
            /// [`SamplerConfig::targets`](crate::training::SamplerConfig::targets) is set.
            value: f32, many |widths| widths.value;
            /// The probability of each action in the logged policy, of shape (rows, actions), all 0
            /// where none is logged. A row is empty unless
            /// [`SamplerConfig::targets`](crate::training::SamplerConfig::targets) is set.
            policy: f32, many |widths| widths.policy;
        }
    };
}

/// The number of elements of a row.
macro_rules! width {
    ($widths:expr, one) => {
        1
    };
    ($widths:expr, many $width:expr) => {{
        let width: fn(&Widths) -> usize = $width;
        width($widths)
    }};
}

/// What a batch tells of a column: the elements of all rows, or those of one.
macro_rules! view {
    ($(#[$doc:meta])* $name:ident: $type:ty, one) => {
        $(#[$doc])*
        pub fn $name(&self) -> &[$type] {
            &self.buffers.$name[..self.filled]
        }
    };
    ($(#[$doc:meta])* $name:ident: $type:ty, many $width:expr) => {
        $(#[$doc])*
        ///
        /// Returns one row of it.
        ///
        /// # Panics
        /// If the row is not filled.
        pub fn $name(&self, row: usize) -> &[$type] {
            assert!(row < self.filled, "row {row} of {}", self.filled);
            let width = width!(&self.widths, many $width);
            &self.buffers.$name[row * width..][..width]
        }
    };
}

macro_rules! define_rows {
    ($($(#[$doc:meta])* $name:ident: $type:ty, $arity:ident $($width:expr)?;)*) => {
        /// Training rows, one per ply, in the caller's buffers, each with the elements of all rows.
        /// [`TrainingBatch`] has buffers of its own.
        #[derive(Debug)]
        pub struct TrainingRows<'a> {
            $($(#[$doc])* pub $name: &'a mut [$type],)*
        }

        impl TrainingRows<'_> {
            /// Checks that all buffers hold the same number of rows.
            pub(super) fn check(&self, widths: &Widths) -> Result<()> {
                let rows = self.len();
                for (name, found, width) in
                    [$((stringify!($name), self.$name.len(), width!(widths, $arity $($width)?))),*]
                {
                    if found != rows * width {
                        let expected = format!("{rows} rows of {width} as `action` has {rows}");
                        return Err(Error::Argument { name, expected, found: found.to_string() });
                    }
                }
                Ok(())
            }

            /// Splits off the first rows.
            pub(super) fn split_at(self, rows: usize, widths: &Widths) -> (Self, Self) {
                $(let $name = self.$name.split_at_mut(rows * width!(widths, $arity $($width)?));)*
                (Self { $($name: $name.0),* }, Self { $($name: $name.1),* })
            }
        }

        /// The buffers of a batch.
        #[derive(Clone, Debug)]
        struct Buffers {
            $($name: Vec<$type>,)*
        }

        impl Buffers {
            fn new(rows: usize, widths: &Widths) -> Self {
                Self {
                    $($name: vec![<$type>::default(); rows * width!(widths, $arity $($width)?)],)*
                }
            }

            fn rows(&mut self) -> TrainingRows<'_> {
                TrainingRows { $($name: &mut self.$name),* }
            }
        }

        /// The columns of the filled rows.
        impl TrainingBatch {
            $(view!($(#[$doc])* $name: $type, $arity $($width)?);)*
        }
    };
}

for_training_columns!(define_rows);

impl TrainingRows<'_> {
    /// The number of rows: the length of [`TrainingRows::action`].
    pub fn len(&self) -> usize {
        self.action.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.action.is_empty()
    }

    /// Parts of at most `rows` rows, in order.
    pub(super) fn chunks(self, rows: usize, widths: &Widths) -> Vec<Self> {
        let mut chunks = Vec::with_capacity(self.len().div_ceil(rows));
        let mut rest = self;
        while !rest.is_empty() {
            let count = rows.min(rest.len());
            let (chunk, others) = rest.split_at(count, widths);
            chunks.push(chunk);
            rest = others;
        }
        chunks
    }
}

/// A batch of training rows in memory of its own.
///
/// Callers with buffers of their own, such as numpy arrays, fill [`TrainingRows`] instead.
#[derive(Clone, Debug)]
pub struct TrainingBatch {
    widths: Widths,
    filled: usize,
    buffers: Buffers,
}

impl TrainingBatch {
    /// Room for at most `rows` rows of a sampler. No row is filled yet.
    pub fn new(sampler: &Sampler, rows: usize) -> Self {
        let widths = Widths::new(&sampler.lengths(), sampler.targets);
        let buffers = Buffers::new(rows, &widths);
        Self { widths, filled: 0, buffers }
    }

    /// Replaces the rows by the sampler's next ones and returns their number. It is smaller than
    /// the room only at the end of the epoch, and 0 after it.
    ///
    /// # Errors
    /// As [`Sampler::fill`]. No row is filled then.
    pub fn fill(&mut self, sampler: &mut Sampler) -> Result<usize> {
        self.filled = 0;
        self.filled = sampler.fill(self.buffers.rows())?;
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
}

#[cfg(test)]
mod tests {
    use darkqi_env::batch::RowLengths;

    use super::{Buffers, Widths};

    #[test]
    fn each_column_is_checked_and_split_by_its_width() {
        let lengths = RowLengths { observation: 7, mask: 5, players: 2 };
        for targets in [false, true] {
            let widths = Widths::new(&lengths, targets);
            let mut buffers = Buffers::new(3, &widths);
            let rows = buffers.rows();
            rows.check(&widths).expect("they have the same number of rows");
            let (first, others) = rows.split_at(1, &widths);
            assert_eq!([first.observation.len(), others.observation.len()], [7, 14]);
            assert_eq!([first.ply.len(), others.ply.len()], [1, 2]);
            let policy = if targets { [5, 10] } else { [0, 0] };
            assert_eq!([first.policy.len(), others.policy.len()], policy);
            let chunks = others.chunks(1, &widths);
            assert_eq!(chunks.len(), 2);
            chunks.iter().for_each(|chunk| chunk.check(&widths).expect("it is one row"));
        }
        let widths = Widths::new(&lengths, true);
        let mut buffers = Buffers::new(3, &widths);
        buffers.value.pop();
        let error = buffers.rows().check(&widths).expect_err("a value is short").to_string();
        assert!(error.contains("value") && error.contains("3 rows of 2"), "{error}");
    }
}
