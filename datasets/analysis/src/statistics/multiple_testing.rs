//! Tests of many hypotheses at once.

use crate::error::{Error, Result};

/// The level of significance: a result is told of whose p-value, adjusted where there are several, is below.
pub const SIGNIFICANT: f64 = 0.05;

/// P-values adjusted for multiple testing by Holm's step-down method: Holm, "A simple sequentially
/// rejective multiple test procedure" (1979). Rejecting adjusted p-values of at most 5 % limits the
/// probability of any false rejection to 5 %, for any dependence between the tests.
///
/// # Errors
/// If a p-value is not between 0 and 1.
pub fn holm(p_values: &[f64]) -> Result<Vec<f64>> {
    for &found in p_values {
        if !(0.0..=1.0).contains(&found) {
            let (what, expected) = ("p-value", "a number from 0 to 1");
            return Err(Error::Value { what, expected, found });
        }
    }
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&one, &other| p_values[one].total_cmp(&p_values[other]));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut greatest: f64 = 0.0;
    for (rank, &index) in order.iter().enumerate() {
        let left = (p_values.len() - rank) as f64;
        greatest = greatest.max((left * p_values[index]).min(1.0));
        adjusted[index] = greatest;
    }
    Ok(adjusted)
}

/// [`holm`] of those tests that have a p-value.
pub(crate) fn holm_known<T>(
    tests: &mut [T],
    p_value: impl Fn(&T) -> Option<f64>,
    set: impl Fn(&mut T, f64),
) -> Result<()> {
    let p_values: Vec<f64> = tests.iter().filter_map(&p_value).collect();
    let known = tests.iter_mut().filter(|test| p_value(test).is_some());
    known.zip(holm(&p_values)?).for_each(|(test, p_holm)| set(test, p_holm));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::holm;

    #[test]
    fn holm_agrees_with_r() {
        // p.adjust(c(0.01, 0.04, 0.03, 0.005, 0.8), "holm")
        let found = holm(&[0.01, 0.04, 0.03, 0.005, 0.8]).expect("they are p-values");
        for (found, expected) in found.into_iter().zip([0.04, 0.09, 0.09, 0.025, 0.8]) {
            assert!((found - expected).abs() < 1e-15, "{found}, expected {expected}");
        }
        assert!(holm(&[0.1, f64::NAN]).is_err() && holm(&[1.1]).is_err());
        assert!(holm(&[]).is_ok_and(|adjusted| adjusted.is_empty()));
    }
}
