//! Checks and counts of each logged game, for both questions.

mod clusters;
mod counts;
#[cfg(test)]
pub(super) mod fixtures;
mod scores;
mod symmetry;

pub(super) use clusters::{Clusters, cluster_name};
pub use counts::Beginnings;
pub(super) use counts::{DealSet, DistinctGames, is_repetitive};
pub use scores::score;
pub(super) use scores::{check, checked, is_won, only_agent, revealer, seat};
pub(super) use symmetry::square_class;
