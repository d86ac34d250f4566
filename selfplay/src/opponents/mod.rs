//! Agents in games that a caller steps: a session, or a batch.

mod batch;
mod choose;
mod ply;

pub use batch::{CallerSeat, batch_against};
pub use choose::choose;
