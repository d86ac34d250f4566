//! How pieces move on any board, what attacks a general, and lookup tables for both.
//!
//! This room knows movement, not games: no turn, no result, no option. It uses `board`.

mod check;
mod lines;
mod shapes;
mod tables;

pub use check::{AttackOrigins, Attackers, CheckInfo, KingSafety};
pub(crate) use lines::{LineMovement, Lines};
pub(crate) use shapes::Shapes;
pub(crate) use tables::origins;
pub use tables::{Between, Leaps, MoveTables};
