//! Parallel passes over all blocks of rows.

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::rows::RowSource;
use crate::analysis::error::Result;

/// The number of blocks whose results are held at once, which limits the memory.
const BLOCKS_AT_ONCE: usize = 64;

/// Evaluates all blocks in parallel and passes on the results in the order of the blocks. Sums of
/// them are therefore equal bit by bit for any number of threads.
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
