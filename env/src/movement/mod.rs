//! How pieces move on any board, what attacks a general, and tables that answer both quickly.

mod check;
mod lines;
mod shapes;
mod tables;

pub use check::{Attackers, CheckInfo, KingSafety, Origins};
pub(crate) use lines::{Lines, Way};
pub(crate) use shapes::Shapes;
pub use tables::{Between, Leaps, MoveTables};
