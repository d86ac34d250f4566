//! Logged games, played again and compared with the log.

mod difference;
mod logged_game;
mod replayer;

pub use difference::Difference;
pub use logged_game::{ReplayedGame, ReplayedPly, ReplayedPosition, replay, replay_seen_by};
pub use replayer::Replayer;
