//! Logged games, played again and compared with the log.

mod difference;
mod replayer;

pub use difference::Difference;
pub use replayer::Replayer;
