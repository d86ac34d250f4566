//! Numbers and facts as the commands print them.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;

pub(super) use darkqi_analysis::counted;
use darkqi_analysis::{Doubt, Settled};
use darkqi_play::Error;
pub(super) use darkqi_play::reporting::figures::{NONE, elo_text, interval, p_value, share, text};
use indicatif::HumanCount;

/// How many files, or ranges of shards, a message names.
pub(super) const MAX_NAMED: usize = 20;

/// What else would have kept a run or a match going.
pub(super) fn another_way(cause: &Error) -> &'static str {
    match cause {
        Error::Match(failed) => another_way(&failed.cause),
        Error::AgentFailed { agent, .. } if agent.starts_with("uci:") => {
            "; `restart=N` in the agent starts an engine that fails again, N times at most"
        }
        _ => "",
    }
}

/// A sentence with a capital at its beginning and a full stop at its end.
pub(super) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}

/// A number per second, of things that may take long.
pub(super) fn rate(per_second: f64) -> String {
    match per_second {
        slow if slow < 10.0 => format!("{slow:.1}"),
        fast => HumanCount(fast as u64).to_string(),
    }
}

/// A probability. One that would round to 0 or 1 is given as a bound.
pub(super) fn percent(probability: f64) -> String {
    match 100.0 * probability {
        percent if percent < 0.01 => "< 0.01 %".to_owned(),
        percent if percent > 99.99 => "> 99.99 %".to_owned(),
        percent => format!("{percent:.2} %"),
    }
}

/// The score that `until` asks for.
pub(super) fn settled_text(settled: &Settled) -> String {
    let Settled { score, half_width, is_reached, is_luck_adjusted, .. } = *settled;
    let what = if is_luck_adjusted { "luck-adjusted score" } else { "score" };
    let reached = if is_reached { "reached" } else { "not reached" };
    let warnings: String =
        settled.warnings().iter().map(|doubt| format!("\n{}", warning(doubt))).collect();
    format!(
        "anytime-valid {what} of the first revealer (where nothing is covered, of the first mover): {}; half-width \
         {half_width} {reached} with {}{warnings}",
        share(score),
        counted(settled.deals, "deal")
    )
}

/// A reason to doubt figures.
pub(super) fn warning(doubt: &Doubt) -> String {
    format!("WARNING: {doubt}")
}

/// Writes why figures may mislead, a line each. `of`: whose figures they are, if that must be said.
pub(super) fn write_warnings(
    out: &mut dyn Write,
    of: Option<&str>,
    doubts: &[Doubt],
) -> io::Result<()> {
    for doubt in doubts {
        let of = of.map_or_else(String::new, |of| format!("{of}: "));
        writeln!(out, "{of}{}", warning(doubt))?;
    }
    Ok(())
}

/// A range of shards, as `--shards` takes it: `3..7`.
pub(super) fn shards_text(range: &Range<u64>) -> String {
    format!("{}..{}", range.start, range.end)
}

/// Several in one line.
pub(super) fn shards_list(ranges: &[Range<u64>]) -> String {
    let named: Vec<String> = ranges.iter().take(MAX_NAMED).map(shards_text).collect();
    let named = named.join(", ");
    match ranges.len().saturating_sub(MAX_NAMED) {
        0 => named,
        others => format!("{named} and {others} more ranges"),
    }
}

/// Writes a line for each agent whose engine was started again.
pub(super) fn write_restarts(
    out: &mut dyn Write,
    restarts: &BTreeMap<String, u64>,
) -> io::Result<()> {
    for (agent, &number) in restarts {
        writeln!(out, "{agent} failed and was started again: {}", counted(number, "time"))?;
    }
    Ok(())
}
