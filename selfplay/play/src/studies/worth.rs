//! The worth of pieces under some rules, and of one army beside the other.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use darkqi_analysis::{Estimate, PieceValues};
use darkqi_env::{Spec, game::Words};
use darkqi_format::Dataset;
use serde::Serialize;

use crate::error::Error;
use crate::report::values_of;

/// Deals whose armies are counted: where more pieces are dealt than lie on the board, they differ.
const DEALS: u64 = 200;

/// The worth of pieces under some rules, by the games of an agent.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Worth {
    /// The names of the kinds, where the game has names.
    pub names: BTreeMap<char, &'static Words>,
    /// The kinds whose mean value is the unit.
    pub unit: Vec<char>,
    /// The value of each kind that has one, in units.
    pub values: Vec<(char, Estimate)>,
    /// The names of the armies, and the worth of the second less that of the first as they are dealt. Nothing
    /// where they are equal. The interval holds however the values are correlated.
    pub balance: Option<(Estimate, [&'static str; 2])>,
}

/// The worth of the pieces in the games of a dataset, or why the games do not tell it.
///
/// # Errors
/// If the dataset cannot be read; [`Error::Stopped`] when `stop` becomes true.
pub fn worth(dataset: &Dataset, stop: &AtomicBool) -> Result<Result<Worth, String>, Error> {
    let values = match values_of(dataset, stop)? {
        Ok(values) => values,
        Err(why) => return Ok(Err(why)),
    };
    Ok(Ok(Worth::new(&values, &dataset.metadata().spec()?)))
}

impl Worth {
    fn new(fitted: &PieceValues, spec: &Spec) -> Self {
        let value = |kind: &char| {
            let term = fitted.terms.iter().find(|term| term.kind == Some(*kind))?;
            Some((*kind, term.value?))
        };
        let values: Vec<(char, Estimate)> = spec.kinds.iter().filter_map(value).collect();
        let names = spec.names.iter().map(|(kind, name)| (*kind, name)).collect();
        Self { balance: balance(&values, spec), names, unit: fitted.basis.unit.clone(), values }
    }
}

/// The worth of the second of two armies less that of the first; nothing if they are equal, or differ by a kind
/// without a value.
fn balance(values: &[(char, Estimate)], spec: &Spec) -> Option<(Estimate, [&'static str; 2])> {
    let [first, second] = spec.armies else { return None };
    let values: BTreeMap<char, Estimate> = values.iter().copied().collect();
    let mut sum = Estimate { value: 0.0, low: 0.0, high: 0.0 };
    for (kind, more) in surplus(spec) {
        let one = values.get(&kind)?;
        let ends = [more * one.low, more * one.high];
        sum.value += more * one.value;
        sum.low += ends[0].min(ends[1]);
        sum.high += ends[0].max(ends[1]);
    }
    (sum != Estimate { value: 0.0, low: 0.0, high: 0.0 })
        .then_some((sum, [first.name, second.name]))
}

/// By kind, how many more pieces the second of two armies has than the first, in the mean of some deals. Kinds
/// with equal numbers are left out.
fn surplus(spec: &Spec) -> BTreeMap<char, f64> {
    // By kind, the sum of the differences, and that of their squares.
    let mut found: BTreeMap<char, [f64; 2]> = BTreeMap::new();
    for seed in 0..DEALS {
        let mut more: BTreeMap<char, f64> = BTreeMap::new();
        for piece in spec.deal(seed).picture(None).pieces.iter().flatten() {
            if let (Some(army), Some(glyph)) = (piece.army, piece.glyph) {
                *more.entry(glyph.letter).or_default() += if army == 0 { -1.0 } else { 1.0 };
            }
        }
        for (kind, count) in more {
            let [sum, squares] = found.entry(kind).or_default();
            *sum += count;
            *squares += count * count;
        }
    }
    // Where pieces stay out of the game, deals of equal pools differ by chance.
    let is_more = |[sum, squares]: &[f64; 2]| sum.abs() > 4.0 * squares.sqrt();
    let found = found.into_iter().filter(|(_, sums)| is_more(sums));
    found.map(|(kind, [sum, _])| (kind, sum / DEALS as f64)).collect()
}

#[cfg(test)]
mod tests {
    use darkqi_env::game::texts;

    use super::{Estimate, Spec, balance, surplus};

    fn banqi(options: &[(&str, &str)]) -> Spec {
        Spec::new("banqi", &texts(options)).expect("such rules can be played")
    }

    #[test]
    fn armies_are_weighed_as_they_are_dealt() {
        let values = ['R', 'C'].map(|kind| {
            let value = if kind == 'R' { 1.0 } else { 0.5 };
            (kind, Estimate { value, low: value - 0.1, high: value + 0.2 })
        });
        assert!(surplus(&banqi(&[])).is_empty());
        assert_eq!(balance(&values, &banqi(&[])), None);
        // Black has two chariots less, and a cannon more.
        let spec = banqi(&[("army.R", "2/0"), ("army.C", "1/2")]);
        let (found, names) = balance(&values, &spec).expect("the armies differ");
        assert_eq!(names, ["red", "black"]);
        let close = |found: f64, expected: f64| (found - expected).abs() < 1e-9;
        assert!(close(found.value, -1.5), "{found:?}");
        assert!(close(found.low, -2.4 + 0.4) && close(found.high, -1.8 + 0.7), "{found:?}");
        // The values do not say what a soldier is worth.
        assert_eq!(balance(&values, &banqi(&[("army.P", "5/4")])), None);
    }
}
