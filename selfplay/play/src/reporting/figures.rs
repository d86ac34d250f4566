//! Figures as commands and pages write them.

use darkqi_analysis::Estimate;

/// The text of a missing value.
pub use darkqi_report::NONE;

/// A value, if there is one.
pub fn text<T>(figure: Option<T>, write: impl FnOnce(T) -> String) -> String {
    figure.map_or_else(|| NONE.to_owned(), write)
}

/// An Elo difference.
pub fn elo_text(elo: f64) -> String {
    // Rounded first, so that nothing is written as -0.0.
    let elo = (10.0 * elo).round() / 10.0 + 0.0;
    format!("{elo:+.1}")
}

/// An interval, or its finite end.
pub fn interval(estimate: Estimate) -> String {
    let Estimate { low, high, .. } = estimate;
    match (low.is_finite(), high.is_finite()) {
        (true, true) => format!("{} to {}", elo_text(low), elo_text(high)),
        (true, false) => format!("> {}", elo_text(low)),
        (false, true) => format!("< {}", elo_text(high)),
        (false, false) => NONE.to_owned(),
    }
}

/// A proportion or score with its interval.
pub fn share(estimate: Estimate) -> String {
    let Estimate { value, low, high } = estimate;
    format!("{value:.4} ({low:.4} to {high:.4})")
}

/// A p-value. One that would round to 0 is given as a bound.
pub fn p_value(p: f64) -> String {
    if p < 1e-4 { "< 0.0001".to_owned() } else { format!("{p:.4}") }
}
