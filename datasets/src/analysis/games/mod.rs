//! Checks and counts of each logged game, for both questions.

mod beginnings;
mod clusters;
mod deal_set;
mod distinct_games;
#[cfg(test)]
pub(super) mod fixtures;
mod scores;
mod symmetry;

pub use beginnings::Beginnings;
pub(super) use beginnings::is_repetitive;
pub(super) use clusters::Clusters;
pub(super) use deal_set::DealSet;
pub(super) use distinct_games::DistinctGames;
pub(super) use scores::{check, is_won, only_agent, score, seat};
pub(super) use symmetry::square_class;
