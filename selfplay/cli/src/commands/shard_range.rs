//! Ranges of shards on the command line: `3..7`.

use std::ops::Range;

/// How many ranges a message names.
const MAX_NAMED: usize = 20;

/// A range, as `--shards` takes it.
pub(super) fn text(range: &Range<u64>) -> String {
    format!("{}..{}", range.start, range.end)
}

/// Several in one line.
pub(super) fn list(ranges: &[Range<u64>]) -> String {
    let named: Vec<String> = ranges.iter().take(MAX_NAMED).map(text).collect();
    let named = named.join(", ");
    match ranges.len().saturating_sub(MAX_NAMED) {
        0 => named,
        others => format!("{named} and {others} more ranges"),
    }
}
