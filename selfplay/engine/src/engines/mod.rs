//! Programs that speak UCI, the protocol of chess engines.
//!
//! - `process`: a program under way, and what it is asked; `fault`: what may go wrong with it;
//! - `descendants`: what such a program has started;
//! - `answer`: what it says of a position;
//! - `dialect`: how it wants positions and moves written; `fairy` and `pikafish`: such ways.

mod answer;
mod descendants;
mod dialect;
mod fairy;
mod fault;
pub mod pikafish;
mod process;

pub(crate) use answer::Answer;
pub use dialect::Dialect;
pub(crate) use fault::{EngineError, EngineFault};
pub(crate) use process::Engine;
