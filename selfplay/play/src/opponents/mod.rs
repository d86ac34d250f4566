//! Agents in games that a caller steps: a session, or a batch.

mod adviser;
mod batch;
mod choose;

pub use adviser::Adviser;
pub use batch::{CallerSeat, batch_against};
pub use choose::choose;
