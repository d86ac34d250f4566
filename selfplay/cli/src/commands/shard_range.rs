//! Ranges of shards on the command line: `3..7`.

use std::ops::Range;

/// How many ranges a message names.
const MAX_NAMED: usize = 20;

/// Reads a range such as `0..10`, without its end.
///
/// # Errors
/// If it is none.
pub(super) fn parse(text: &str) -> Result<Range<u64>, String> {
    let ends = text
        .split_once("..")
        .and_then(|(start, end)| Some(start.parse::<u64>().ok()?..end.parse::<u64>().ok()?));
    ends.ok_or_else(|| "expected A..B, such as 0..10 for the first ten shards".to_owned())
}

/// A range, as [`parse`] reads it.
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
