//! Game-tree searches.
//!
//! - `star_minimax`: alpha-beta with chance nodes, with its `transposition_table` and `limits`;
//! - `expectimax`: that search by iterative deepening;
//! - `ismcts`: information-set Monte-Carlo tree search.

mod expectimax;
mod ismcts;
mod limits;
mod star_minimax;
mod transposition_table;

pub use expectimax::{Expectimax, SearchResult};
pub use ismcts::{Ismcts, Visits};
pub use limits::Limits;
