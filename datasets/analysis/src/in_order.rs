//! Parallel work whose results are taken in order.

use std::ops::Range;

use super::error::Result;
use darkqi_format::each_in_parallel;

/// Evaluates parts in parallel and passes on the results in the order of the parts. Sums of them are
/// therefore equal bit by bit for any number of threads. At most `at_once` results are held at once,
/// which limits the memory.
pub(super) fn in_order<T: Send>(
    parts: Range<usize>,
    at_once: usize,
    evaluate: &(dyn Fn(usize) -> Result<T> + Sync),
    mut take: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    for first in parts.clone().step_by(at_once) {
        let some = first..parts.end.min(first + at_once);
        let results = each_in_parallel(some, evaluate);
        for result in results {
            take(result?)?;
        }
    }
    Ok(())
}
