//! How a batch is set up.

use super::mask::MaskFormat;
use crate::game::Format;

/// More threads than this are a slip: no machine has so many cores.
pub const MAX_THREADS: usize = 1024;

/// How a batch is set up.
#[derive(Clone, Debug)]
pub struct BatchConfig {
    /// Number of lanes.
    pub lanes: usize,
    /// The number of the first lane: the others follow it. Games and errors go by it; everything
    /// else that takes a lane counts from 0.
    pub first_lane: usize,
    /// The batch's seed.
    pub seed: u64,
    /// How observations are written.
    pub format: Format,
    /// How masks are written.
    pub mask: MaskFormat,
    /// When a lane whose game has ended deals its next one.
    pub autoreset: Autoreset,
    /// What becomes of an action that is not legal.
    pub illegal: Illegal,
    /// Number of threads with the caller's; `None` for the process-wide crew, one per core. In a
    /// process made by fork the caller works alone.
    pub threads: Option<usize>,
}

impl Default for BatchConfig {
    /// One lane of seed 0, planes and bool masks, all cores.
    fn default() -> Self {
        Self {
            lanes: 1,
            first_lane: 0,
            seed: 0,
            format: Format::default(),
            mask: MaskFormat::default(),
            autoreset: Autoreset::default(),
            illegal: Illegal::default(),
            threads: None,
        }
    }
}

/// When a lane whose game has ended deals its next one; Gymnasium's `AutoresetMode`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Autoreset {
    /// In the step that ends it: the rows show the next game already.
    #[default]
    SameStep,
    /// In the step after: the rows first show the last position with an empty mask, and whatever
    /// action comes next deals.
    NextStep,
    /// When it is reset. Until then no action can be played.
    Disabled,
}

/// What becomes of an action that is not legal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Illegal {
    /// An error: no lane is stepped.
    #[default]
    Refuse,
    /// It ends its lane's game where it stands: the mover loses 1, which the other seats share.
    Forfeit,
}

/// What a reset does to one lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reset {
    /// Leaves the game as it is.
    Keep,
    /// Deals the lane's next game.
    Next,
    /// From here on the lane plays the games that lane 0 of a new batch with this seed does.
    Seed(u64),
}
