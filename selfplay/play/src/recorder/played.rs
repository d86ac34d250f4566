//! A game that was played apart from a batch.

use darkqi_engine::agent::Decision;
use darkqi_env::Player;

/// A game that was played to its end.
#[derive(Clone, Debug)]
pub struct PlayedGame {
    /// Its seed, which dealt it unless it began with another position.
    pub(crate) seed: u64,
    /// The full FEN of the position it began with.
    pub(crate) deal: String,
    /// The caller's seat, where the opponent played the others.
    pub(crate) caller: Option<Player>,
    /// What was played, in order.
    pub(crate) decisions: Vec<Decision>,
}
