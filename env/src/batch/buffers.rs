//! Buffers of a batch's rows, and shaped views of them.

use bytemuck::checked::cast_slice;
use ndarray::{ArrayView2, ArrayView4};

use super::any_batch::AnyBatch;
use super::mask::MaskFormat;
use super::memory::zeroed;
use super::rows::{Rows, column, width};
use crate::for_row_columns;
use crate::game::Format;

macro_rules! define_buffers {
    ($($(#[$doc:meta])* $when:ident $name:ident $label:literal: $type:ty, $width:expr;)*) => {
        /// Buffers of a batch's rows, for callers that have none of their own. Each field is the buffer of
        /// the same name in [`Rows`]; methods give shaped views.
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
        ///
        /// let planes = buffers.planes().expect("observations are planes");
        /// assert_eq!(planes.dim(), (100, 39, 10, 9));
        /// let mask = buffers.mask().expect("masks are bools");
        /// let legal = mask.row(0).iter().filter(|&&legal| legal).count();
        /// assert!((20..60).contains(&legal));
        /// assert_eq!(buffers.reward().sum(), 0.0);
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        #[derive(Clone, PartialEq, Debug)]
        #[expect(missing_docs, reason = "the fields are those of `Rows`")]
        pub struct Buffers {
            $(pub $name: column!($when type Vec<$type>),)*
            format: Format,
            mask_format: MaskFormat,
            /// Channels, ranks and files.
            plane_shape: [usize; 3],
        }

        impl Buffers {
            /// Buffers for every lane of a batch, full of zeros, without final observations.
            pub fn new(batch: &dyn AnyBatch) -> Self {
                let (config, lengths) = (batch.config(), &batch.lengths());
                let lanes = config.lanes;
                Self {
                    $($name: column!($when new zeroed(lanes * width(lengths, $width))),)*
                    format: config.format,
                    mask_format: config.mask,
                    plane_shape: batch.spec().layout.plane_shape(),
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

/// The views panic if a field no longer has the length that it was made with.
const LENGTH: &str = "a buffer has as many elements as its lanes need";

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

    /// Observations as planes, `(lanes, channels, ranks, files)`; none if they are tokens.
    pub fn planes(&self) -> Option<ArrayView4<'_, u8>> {
        self.as_planes(&self.observation)
    }

    /// Observations as tokens, `(lanes, tokens)`; none if they are planes.
    pub fn tokens(&self) -> Option<ArrayView2<'_, u8>> {
        self.as_tokens(&self.observation)
    }

    /// Final observations as planes, `(lanes, channels, ranks, files)`; none if they are tokens or
    /// have no buffer. Rows of other lanes keep older content.
    pub fn final_planes(&self) -> Option<ArrayView4<'_, u8>> {
        self.as_planes(self.final_observation.as_deref()?)
    }

    /// Final observations as tokens, `(lanes, tokens)`; none if they are planes or have no buffer.
    /// Rows of other lanes keep older content.
    pub fn final_tokens(&self) -> Option<ArrayView2<'_, u8>> {
        self.as_tokens(self.final_observation.as_deref()?)
    }

    /// Which actions are legal, `(lanes, actions)`; none if masks are bits. Each call reads the
    /// buffer once to check that every byte is a bool.
    ///
    /// # Panics
    /// If the caller has written another byte than 0 or 1 to the buffer.
    pub fn mask(&self) -> Option<ArrayView2<'_, bool>> {
        let is_bool = self.mask_format == MaskFormat::Bool;
        is_bool.then(|| self.per_lane(cast_slice(&self.mask)))
    }

    /// Which actions are legal, `(lanes, bytes)`, eight actions in each byte from its lowest bit;
    /// none if masks are bools.
    pub fn mask_bits(&self) -> Option<ArrayView2<'_, u8>> {
        let is_bits = self.mask_format == MaskFormat::Bits;
        is_bits.then(|| self.per_lane(&self.mask))
    }

    /// The reward of each seat in the latest step, `(lanes, seats)`.
    pub fn reward(&self) -> ArrayView2<'_, f32> {
        self.per_lane(&self.reward)
    }

    fn as_planes<'a>(&self, bytes: &'a [u8]) -> Option<ArrayView4<'a, u8>> {
        let [channels, ranks, files] = self.plane_shape;
        let shape = (self.lanes(), channels, ranks, files);
        let is_planes = self.format == Format::Planes;
        is_planes.then(|| ArrayView4::from_shape(shape, bytes).expect(LENGTH))
    }

    fn as_tokens<'a>(&self, bytes: &'a [u8]) -> Option<ArrayView2<'a, u8>> {
        let is_tokens = self.format == Format::Tokens;
        is_tokens.then(|| self.per_lane(bytes))
    }

    /// The elements in a row per lane.
    fn per_lane<'a, T>(&self, elements: &'a [T]) -> ArrayView2<'a, T> {
        let lanes = self.lanes();
        ArrayView2::from_shape((lanes, elements.len() / lanes), elements).expect(LENGTH)
    }

    fn lanes(&self) -> usize {
        self.current_player.len()
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        BatchConfig, Format, Options,
        batch::{Buffers, MaskFormat},
        make,
    };

    /// Buffers after one step of three lanes.
    fn stepped(format: Format, mask: MaskFormat) -> Buffers {
        let config = BatchConfig { lanes: 3, format, mask, ..BatchConfig::default() };
        let mut batch = make("banqi", &Options::new(), config).expect("the game exists");
        let mut buffers = Buffers::new(&*batch).with_final_observation();
        let mut actions = [0; 3];
        batch.sample_actions(&mut actions).expect("the buffer fits");
        batch.step(&actions, buffers.rows()).expect("the actions are legal");
        buffers
    }

    #[test]
    fn views_have_the_shapes_of_the_batch() {
        let buffers = stepped(Format::Planes, MaskFormat::Bool);
        let planes = buffers.planes().expect("observations are planes");
        let (_, channels, ranks, files) = planes.dim();
        assert_eq!([ranks, files], [4, 8]);
        let flat = planes[[2, 1, 3, 7]];
        assert_eq!(flat, buffers.observation[((2 * channels + 1) * ranks + 3) * files + 7]);
        assert_eq!(buffers.final_planes().map(|view| view.dim()), Some(planes.dim()));
        let mask = buffers.mask().expect("masks are bools");
        assert_eq!(mask.len(), buffers.mask.len());
        assert!(mask.iter().zip(&buffers.mask).all(|(&legal, &byte)| u8::from(legal) == byte));
        assert_eq!(buffers.reward().dim(), (3, 2));
        assert!(buffers.tokens().is_none() && buffers.final_tokens().is_none());
        assert!(buffers.mask_bits().is_none());

        let small = stepped(Format::Tokens, MaskFormat::Bits);
        let tokens = small.tokens().expect("observations are tokens");
        assert_eq!(tokens.row(1).as_slice(), small.observation.chunks(tokens.ncols()).nth(1));
        assert_eq!(small.final_tokens().map(|view| view.dim()), Some(tokens.dim()));
        let bits = small.mask_bits().expect("masks are bits");
        for ((lane, action), &legal) in mask.indexed_iter() {
            assert_eq!(bits[[lane, action / 8]] >> (action % 8) & 1 == 1, legal);
        }
        assert!(small.planes().is_none() && small.final_planes().is_none());
        assert!(small.mask().is_none());
    }
}
