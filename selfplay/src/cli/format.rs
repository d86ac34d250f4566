//! Numbers as the commands print them.

use darkqi_datasets::analysis::{Estimate, FirstRevealValue, MIN_OPENINGS, Settled};
use indicatif::HumanCount;

/// The text of a missing value.
pub(super) const NONE: &str = "-";

/// A value, if there is one.
pub(super) fn text<T>(figure: Option<T>, write: impl FnOnce(T) -> String) -> String {
    figure.map_or_else(|| NONE.to_owned(), write)
}

/// A number of things: `1 shard`, `2,000 shards`.
pub(super) fn counted(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", HumanCount(number), if number == 1 { "" } else { "s" })
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

/// An Elo difference.
pub(super) fn elo_text(elo: f64) -> String {
    // Rounded first, so that nothing is written as -0.0.
    let elo = (10.0 * elo).round() / 10.0 + 0.0;
    format!("{elo:+.1}")
}

/// A probability. One that would round to 0 or 1 is given as a bound.
pub(super) fn percent(probability: f64) -> String {
    match 100.0 * probability {
        percent if percent < 0.01 => "< 0.01 %".to_owned(),
        percent if percent > 99.99 => "> 99.99 %".to_owned(),
        percent => format!("{percent:.2} %"),
    }
}

/// An interval, or its finite end.
pub(super) fn interval(estimate: Estimate) -> String {
    let Estimate { low, high, .. } = estimate;
    match (low.is_finite(), high.is_finite()) {
        (true, true) => format!("{} to {}", elo_text(low), elo_text(high)),
        (true, false) => format!("> {}", elo_text(low)),
        (false, true) => format!("< {}", elo_text(high)),
        (false, false) => NONE.to_owned(),
    }
}

/// A proportion or score with its interval.
pub(super) fn share(estimate: Estimate) -> String {
    let Estimate { value, low, high } = estimate;
    format!("{value:.4} ({low:.4} to {high:.4})")
}

/// The score that `until` asks for.
pub(super) fn settled_text(settled: &Settled) -> String {
    let Settled { score, half_width, is_reached, is_luck_adjusted, .. } = *settled;
    let Settled { deals, effective_deals, is_repetitive, .. } = *settled;
    let what = if is_luck_adjusted { "luck-adjusted score" } else { "score" };
    let reached = if is_reached { "reached" } else { "not reached" };
    let warning = if is_repetitive {
        format!("\n{}", repetition_warning(deals, effective_deals))
    } else {
        String::new()
    };
    format!(
        "anytime-valid {what} of the first revealer (where nothing is covered, of the first mover): {}; half-width \
         {half_width} {reached} with {} deals{warning}",
        share(score),
        HumanCount(deals)
    )
}

/// What is said of games that begin alike.
pub(super) fn repetition_warning(deals: u64, effective: u64) -> String {
    format!(
        "WARNING: {} begin as if there were only {}, so the figures are those of few openings; \
         expected different ones, as by --random-plies",
        counted(deals, "deal"),
        HumanCount(effective)
    )
}

/// What is said of games that begin with few openings.
pub(super) fn few_openings_warning(openings: u64) -> String {
    let openings = counted(openings, "opening");
    format!("WARNING: {openings} only, so intervals and tests are rough; {MIN_OPENINGS} are enough")
}

/// What is said of values that are fitted to few deals.
pub(super) fn few_deals_warning(deals: u64, needed: u64) -> String {
    format!(
        "WARNING: {} only, so intervals are too narrow; {} are enough for these coefficients",
        counted(deals, "deal"),
        HumanCount(needed)
    )
}

/// Why the figures of a dataset may mislead.
pub(super) fn warnings(one: &FirstRevealValue) -> Vec<String> {
    let repetitive =
        one.is_repetitive().then(|| repetition_warning(one.deals, one.effective_deals));
    let few = one.has_few_openings().then(|| few_openings_warning(one.clusters));
    repetitive.into_iter().chain(few).collect()
}

/// A p-value. One that would round to 0 is given as a bound.
pub(super) fn p_value(p: f64) -> String {
    if p < 1e-4 { "< 0.0001".to_owned() } else { format!("{p:.4}") }
}
