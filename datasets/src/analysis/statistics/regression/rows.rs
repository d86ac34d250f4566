//! RowSource of a regression, streamed.

use std::io;

/// One row of a regression.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The columns. There is no constant but the one that a model is said to have.
    pub x: &'a [f64],
    /// The outcome: 0 for a loss, 1/2 for a draw, 1 for a win.
    pub y: f64,
    /// How many observations it counts for, a number above 0.
    pub weight: f64,
    /// RowSource with the same number are not independent of one another; others are. RowSource of a cluster are adjacent.
    pub cluster: u64,
}

/// RowSource that can be visited many times and from several threads, as blocks that never split a cluster.
///
/// Blocks are what threads share out among themselves. Figures do not depend on the threads, and on the blocks only by
/// rounding.
pub trait RowSource: Sync {
    /// The number of columns.
    fn width(&self) -> usize;

    /// The number of blocks.
    fn blocks(&self) -> usize;

    /// Hands out the rows of a block, the same ones in the same order each time.
    ///
    /// # Errors
    /// If they cannot be read.
    fn visit(&self, block: usize, each: &mut dyn FnMut(Row<'_>)) -> io::Result<()>;
}
