//! Numbers as text.

use darkqi_analysis::Estimate;
pub(super) use darkqi_analysis::count;

/// Stands for a missing number.
pub const NONE: &str = "-";

/// How an interval is written after its estimate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ends {
    /// `0.49 (0.47 to 0.51)`
    Beside,
    /// `0.49 (95 % interval 0.47 to 0.51)`
    Named,
}

/// An estimate with its interval, if it has one.
pub(super) fn figure(estimate: Estimate, places: usize, ends: Ends) -> String {
    let value = number(estimate.value, places);
    let name = if ends == Ends::Named { "95 % interval " } else { "" };
    match interval(estimate, |end| number(end, places)) {
        _ if estimate.low == estimate.high => value,
        Some(interval) => format!("{value} ({name}{interval})"),
        None => format!("{value} (unbounded)"),
    }
}

/// [`figure`] with signs.
pub(super) fn signed_figure(estimate: Estimate, places: usize) -> String {
    let value = signed(estimate.value, places);
    match interval(estimate, |end| signed(end, places)) {
        Some(interval) => format!("{value} ({interval})"),
        None => value,
    }
}

/// An interval, or its finite end.
fn interval(Estimate { low, high, .. }: Estimate, write: impl Fn(f64) -> String) -> Option<String> {
    match (low.is_finite(), high.is_finite()) {
        (true, true) => Some(format!("{} to {}", write(low), write(high))),
        (true, false) => Some(format!("above {}", write(low))),
        (false, true) => Some(format!("below {}", write(high))),
        (false, false) => None,
    }
}

/// A number with `places` decimals and a typographic minus.
pub(super) fn number(number: f64, places: usize) -> String {
    let text = format!("{number:.places$}");
    match text.strip_prefix('-') {
        // Zero is written without a sign.
        Some(rest) if rest.chars().all(|digit| digit == '0' || digit == '.') => rest.to_owned(),
        Some(rest) => format!("\u{2212}{rest}"),
        None => text,
    }
}

/// [`number`] with a plus sign for positive numbers.
pub(super) fn signed(value: f64, places: usize) -> String {
    let text = number(value, places);
    if value > 0.0 && text.contains(|digit: char| ('1'..='9').contains(&digit)) {
        format!("+{text}")
    } else {
        text
    }
}

/// A p-value.
pub(super) fn p_value(p: f64) -> String {
    if p < 1e-4 { "< 0.0001".to_owned() } else { number(p, 4) }
}

/// A proportion in percent.
pub(super) fn percent(share: f64) -> String {
    match 100.0 * share {
        percent if percent > 0.0 && percent < 0.05 => "< 0.1 %".to_owned(),
        percent => format!("{} %", number(percent, 1)),
    }
}

/// A proportion in percent with its interval.
pub(super) fn percent_figure(Estimate { value, low, high }: Estimate) -> String {
    let [value, low, high] = [value, low, high].map(|share| number(100.0 * share, 1));
    format!("{value} % ({low} to {high})")
}

/// A number of games.
pub(super) fn games(number: u64) -> String {
    let games = if number == 1 { "game" } else { "games" };
    format!("{} {games}", count(number))
}

#[cfg(test)]
mod tests {
    use super::{Ends, count, figure, number, percent, signed};
    use darkqi_analysis::Estimate;

    #[test]
    fn numbers_have_separators_signs_and_fixed_places() {
        assert_eq!([0, 999, 1000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([-0.001, -1.25, 3.0].map(|one| number(one, 2)), ["0.00", "−1.25", "3.00"]);
        assert_eq!([0.001, 0.5, -0.5].map(|one| signed(one, 1)), ["0.0", "+0.5", "−0.5"]);
        assert_eq!([0.1234, 0.0001, 0.0].map(percent), ["12.3 %", "< 0.1 %", "0.0 %"]);
    }

    #[test]
    fn infinite_ends_are_left_out() {
        let text = |low, high| figure(Estimate { value: 2.0, low, high }, 1, Ends::Beside);
        let infinite = f64::INFINITY;
        assert_eq!(text(1.0, 3.0), "2.0 (1.0 to 3.0)");
        assert_eq!(text(-infinite, 3.0), "2.0 (below 3.0)");
        assert_eq!(text(-infinite, infinite), "2.0 (unbounded)");
        assert_eq!(text(2.0, 2.0), "2.0");
    }
}
