//! Passes over all blocks of rows, shared out among threads.

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::rows::RowSource;
use crate::analysis::error::Result;

/// The blocks whose results are held at once, so that memory does not grow with their number.
const BLOCKS_AT_ONCE: usize = 64;

/// Evaluates each block and hands on the results in the order of blocks, whatever the threads do: sums of them are the
/// same bit by bit.
pub(super) fn in_order<T: Send>(
    rows: &dyn RowSource,
    evaluate: impl Fn(usize) -> Result<T> + Sync,
    mut take: impl FnMut(T),
) -> Result<()> {
    for first in (0..rows.blocks()).step_by(BLOCKS_AT_ONCE) {
        let blocks = first..rows.blocks().min(first + BLOCKS_AT_ONCE);
        let results: Vec<Result<T>> = blocks.into_par_iter().map(&evaluate).collect();
        for result in results {
            take(result?);
        }
    }
    Ok(())
}
