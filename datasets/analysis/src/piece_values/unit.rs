//! The unit of values.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use darkqi_env::Spec;

use super::feature::Feature;
use crate::statistics::regression::Fit;
use crate::{Error, Result};

/// The mean value of these kinds is this number.
#[derive(Clone, PartialEq, Debug)]
pub struct Unit {
    /// The letters of the kinds, at least one, all different.
    pub kinds: Vec<char>,
    /// The number, above 0 and finite.
    pub value: f64,
}

impl Unit {
    /// Checks that these kinds are among those that are counted in a game.
    pub(super) fn check(&self, game: &Spec, counted: &BTreeSet<char>) -> Result<()> {
        let Some(&kind) = self.kinds.iter().find(|kind| !counted.contains(kind)) else {
            return Ok(());
        };
        let kinds = game.kinds.iter().filter(|kind| counted.contains(kind)).collect();
        Err(Error::UnknownKind { kind, game: game.name, kinds })
    }

    /// The unit as a combination of columns, of which the first is at `start`; None unless it is
    /// significantly above 0.
    pub(super) fn measured(
        &self,
        columns: &[Feature],
        start: usize,
        fit: &Fit,
    ) -> Option<Vec<(usize, f64)>> {
        let unit = mean_of(columns, start, &self.kinds, 1.0 / self.value);
        fit.contrast(&unit).filter(|unit| unit.estimate().low > 0.0)?;
        Some(unit)
    }
}

/// The mean of the coefficients of some kinds times a factor, as a combination of columns. The first of
/// `columns` is at `start`.
pub(super) fn mean_of(
    columns: &[Feature],
    start: usize,
    kinds: &[char],
    factor: f64,
) -> Vec<(usize, f64)> {
    let place = |kind| columns.iter().position(|&column| column == Feature::Kind(kind));
    let factor = factor / kinds.len() as f64;
    kinds.iter().filter_map(|&kind| Some((start + place(kind)?, factor))).collect()
}

impl Display for Unit {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let kinds: Vec<String> = self.kinds.iter().map(char::to_string).collect();
        write!(f, "{}={}", kinds.join("+"), self.value)
    }
}

impl FromStr for Unit {
    type Err = String;

    /// Reads text such as `R=9`, or `C+H=3` for the mean of two kinds.
    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let refuse = || format!("expected a unit such as R=9, or C+H=3 for a mean, got {text:?}");
        let (kinds, value) = text.split_once('=').ok_or_else(refuse)?;
        let value = value.parse().ok().filter(|&value: &f64| value > 0.0 && value.is_finite());
        let letter = |kind: &str| {
            let mut letters = kind.chars();
            letters.next().filter(|letter| letter.is_ascii_uppercase() && letters.next().is_none())
        };
        let kinds: Option<Vec<char>> = kinds.split('+').map(letter).collect();
        let kinds = kinds.ok_or_else(refuse)?;
        let is_twice = |at: usize| kinds[..at].contains(&kinds[at]);
        if (0..kinds.len()).any(is_twice) {
            return Err(refuse());
        }
        Ok(Self { kinds, value: value.ok_or_else(refuse)? })
    }
}

#[cfg(test)]
mod tests {
    use super::Unit;

    #[test]
    fn units_are_read_and_written() {
        for (text, kinds, value) in [("R=9", "R", 9.0), ("C+H=3", "CH", 3.0), ("P=0.5", "P", 0.5)] {
            let unit: Unit = text.parse().expect("it is a unit");
            assert_eq!((unit.kinds.iter().collect(), unit.value), (kinds.to_owned(), value));
            assert_eq!(unit.to_string(), text);
        }
        for text in ["", "R", "R=", "=9", "r=9", "RR=9", "R+R=9", "R=0", "R=-1", "R=inf", "R=nan"] {
            let fault = text.parse::<Unit>().expect_err("it is none");
            assert!(fault.contains(&format!("{text:?}")), "{fault}");
        }
    }
}
