//! Events that the loop of the engine waits for.

use darkqi_engine::search::Expectimax;

/// An event that the loop waits for.
#[derive(Debug)]
pub(super) enum Event {
    /// A line was read.
    Line(String),
    /// There are no more lines.
    End,
    /// A depth was searched.
    Info(String),
    /// A search is over.
    Found {
        /// The search, for the next position.
        search: Box<Expectimax>,
        /// The name of the move.
        best: String,
    },
    /// A search panicked.
    Failed,
}
