//! The configuration of a measurement.

use std::time::Duration;

use darkqi_env::{Format, Options, batch::MaskFormat};

/// The measurement.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// The game's name in the registry.
    pub(crate) game: String,
    /// Its options, the rest at their defaults.
    pub(crate) options: Options,
    pub(crate) lanes: usize,
    pub(crate) threads: usize,
    pub(crate) format: Format,
    pub(crate) mask: MaskFormat,
    pub(crate) seed: u64,
    /// The least duration of a repeat.
    pub(crate) duration: Duration,
}
