//! How a run tells what it has done so far.

/// Takes note of games as they end. Called from all playing threads.
pub trait Progress: Sync {
    /// A game of this many plies has ended.
    fn played(&self, plies: u16);
}

/// Nobody watches.
impl Progress for () {
    fn played(&self, _: u16) {}
}
