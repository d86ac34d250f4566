//! Nets: functions from rows to a policy and values.
//!
//! - `block`: rows of a fixed number of positions;
//! - `net`: what a net is, and what its outputs mean;
//! - `onnx`: nets from files, computed by the library that `runtime` loads;
//! - `external_data`: what such a net has in other files;
//! - `baselines`: the files that come with the program.

mod baselines;
mod block;
mod external_data;
mod net;
mod onnx;
mod runtime;

pub(crate) use baselines::{BASELINE_NETS, baseline_bytes};
pub use block::Block;
pub(crate) use external_data::read_net;
pub(crate) use net::{Evaluations, Net, check_rows, policy, seat_values};
pub(crate) use onnx::{OnnxError, OnnxNet, Provider};
pub use runtime::set_onnx_library;
