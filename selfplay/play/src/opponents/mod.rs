//! Agents in games that a caller steps: a session, or a batch.

mod adviser;
mod batch;

pub use adviser::{Adviser, choose};
pub use batch::{CallerSeat, batch_against};
