//! Logged games, played again and compared with the log.

mod difference;
mod logged_game;
mod replayer;

pub use difference::Difference;
pub use logged_game::{ReplayedGame, ReplayedPly, ReplayedPosition, replay};
pub use replayer::Replayer;
