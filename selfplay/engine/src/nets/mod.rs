//! Nets: functions from rows to a policy and values.
//!
//! - `block`: rows of a fixed number of positions;
//! - `net`: what a net is, and what its outputs mean;
//! - `onnx`: nets from files, computed by the library that `runtime` loads;
//! - `external_data`: what such a net has in other files.
//!
//! Here are the files that come with the program. `docs/nets.md` says how they were made.

mod block;
mod external_data;
mod net;
mod onnx;
mod runtime;

pub use block::Block;
pub(crate) use external_data::read_net;
pub(crate) use net::{Evaluations, Net, check_rows, policy, positions, seat_values};
pub(crate) use onnx::{OnnxError, OnnxNet, Provider};
pub use runtime::set_onnx_library;

/// ONNX files by game, in alphabetical order.
pub(crate) const BASELINE_NETS: &[(&str, &[u8])] = &[
    ("banqi", include_bytes!("../../data/baselines/banqi.onnx")),
    ("flipping", include_bytes!("../../data/baselines/flipping.onnx")),
    ("gaiqi", include_bytes!("../../data/baselines/gaiqi.onnx")),
    ("jieqi", include_bytes!("../../data/baselines/jieqi.onnx")),
    ("mystery", include_bytes!("../../data/baselines/mystery.onnx")),
];

/// The file of a game, if it has one.
pub(crate) fn baseline_bytes(game: &str) -> Option<&'static [u8]> {
    BASELINE_NETS.iter().find(|(name, _)| *name == game).map(|(_, bytes)| *bytes)
}
