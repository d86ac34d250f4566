//! Game-tree searches.
//!
//! - `star_minimax`: alpha-beta with chance nodes, with its `transposition_table`, `ordering` of
//!   actions and `limits`;
//! - `expectimax`: that search by iterative deepening;
//! - `tree`: the tree of a search over information sets; `ismcts`: Monte-Carlo tree search by it;
//! - `net_search`: such searches of several games at once, guided by a net; `gumbel`: a root for them.

mod expectimax;
mod gumbel;
mod ismcts;
mod limits;
mod net_search;
mod ordering;
mod star_minimax;
mod transposition_table;
mod tree;

pub use expectimax::{Expectimax, SearchResult};
pub(crate) use gumbel::{Gumbel, Improved};
pub use ismcts::Ismcts;
pub use limits::Limits;
pub(crate) use net_search::{Found, NetSearch, Root};
pub use tree::Visits;
