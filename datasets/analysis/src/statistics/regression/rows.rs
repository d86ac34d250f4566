//! Rows of a regression, streamed.

use std::io;

/// The number of blocks whose results are held at once, which limits the memory.
pub(super) const BLOCKS_AT_ONCE: usize = 64;

/// One row of a regression.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The columns. A constant is a column of ones, except in models that have one.
    pub x: &'a [f64],
    /// The outcome: 0 for a loss, 1/2 for a draw, 1 for a win.
    pub y: f64,
    /// The weight, a number above 0.
    pub weight: f64,
    /// The cluster. Rows of a cluster may depend on one another and are adjacent; clusters are
    /// independent.
    pub cluster: u64,
}

/// Rows that can be visited repeatedly and from several threads, in blocks that never split a
/// cluster.
///
/// Blocks are the unit of parallel work. Results do not depend on the threads, and on the blocks by
/// rounding only.
pub trait RowSource: Sync {
    /// The number of columns.
    fn width(&self) -> usize;

    /// The number of blocks.
    fn blocks(&self) -> usize;

    /// Visits the rows of a block, in the same order each time.
    ///
    /// # Errors
    /// If they cannot be read.
    fn visit(&self, block: usize, each: &mut dyn FnMut(Row<'_>)) -> io::Result<()>;
}
