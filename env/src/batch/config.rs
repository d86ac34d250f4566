//! The configuration of a batch.

use std::sync::Arc;

use super::log::GameSink;
use super::mask::MaskFormat;
use super::opponents::Opponents;
use crate::game::Format;
use crate::games::Registered;

/// The greatest number of threads of a batch; no machine has more cores.
pub const MAX_THREADS: usize = 1024;

/// The configuration of a batch.
#[derive(Clone, Debug)]
pub struct BatchConfig {
    /// Number of lanes.
    pub lanes: usize,
    /// The number of the first lane in the seed's sequence of games; the others follow it. Games
    /// and errors use these numbers. Methods that take a lane count from 0.
    pub first_lane: usize,
    /// The batch's seed.
    pub seed: u64,
    /// How observations are written.
    pub format: Format,
    /// How masks are written.
    pub mask: MaskFormat,
    /// When a lane whose game has ended deals its next game.
    pub autoreset: Autoreset,
    /// The effect of an illegal action.
    pub illegal: Illegal,
    /// Number of threads, the caller's included; `None` for the thread pool of the process, which
    /// has one per core. After a fork the calling thread of the child works alone.
    pub threads: Option<usize>,
    /// Takes the games that end.
    pub sink: Option<Arc<dyn GameSink>>,
    /// Play all seats but the caller's within the step: it is always the caller's turn, and rows show
    /// what the caller's seat sees. Without them the caller plays all seats.
    pub opponents: Option<Arc<dyn Opponents>>,
}

impl Default for BatchConfig {
    /// One lane of seed 0 with planes and bool masks, on all cores, without a log or opponents.
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
            sink: None,
            opponents: None,
        }
    }
}

/// When a lane whose game has ended deals its next game; Gymnasium's `AutoresetMode`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Autoreset {
    /// In the step that ends the game: the rows show the next game.
    #[default]
    SameStep,
    /// In the next step: the rows show the last position and an empty mask first, and any action
    /// then deals the next game.
    NextStep,
    /// In the next reset of the lane. Until then no action can be played.
    Disabled,
}

/// The effect of an illegal action.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Illegal {
    /// An error: no lane is stepped.
    #[default]
    Refuse,
    /// It ends the game of its lane: the mover's reward is -1, and the other seats share +1.
    Forfeit,
}

/// The effect of a reset on one lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reset {
    /// Keeps the game.
    Keep,
    /// Deals the lane's next game.
    Next,
    /// Deals the first game of lane 0 of a new batch with this seed; that lane's games follow.
    Seed(u64),
}

/// The common part of a batch's lanes.
#[derive(Debug)]
pub(super) struct BatchSetup<G: Registered> {
    pub(super) rules: G,
    pub(super) config: BatchConfig,
}
