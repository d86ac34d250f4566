//! A player's policy and values of a decision.

use crate::trajectory::PolicyEntry;

/// Probabilities may add up to 1 with this error.
const ROUNDING: f32 = 1e-3;

/// A mean of results may exceed 1 by this.
const RESULT_ROUNDING: f32 = 1e-6;

/// Whether a number can be a probability: finite, from 0 to 1.
pub fn is_probability(found: f32) -> bool {
    (0.0..=1.0 + ROUNDING).contains(&found)
}

/// Whether a number can be an expected result: finite, from -1 to 1 but for rounding.
pub fn is_result(found: f32) -> bool {
    found.abs() <= 1.0 + RESULT_ROUNDING
}

/// The sum of probabilities, if it is not 1.
fn wrong_sum(probabilities: impl Iterator<Item = f32>) -> Option<f32> {
    let sum = probabilities.fold(0.0, |sum: f32, probability| sum + probability);
    ((sum - 1.0).abs() > ROUNDING).then_some(sum)
}

/// The entries of a row of probabilities of all actions, those above 0.
///
/// # Errors
/// If they are no probabilities of legal actions.
pub fn policy_entries(
    row: &[f32],
    is_legal: impl Fn(usize) -> bool,
) -> Result<Box<[PolicyEntry]>, String> {
    let wrong = |(action, probability): (usize, f32)| {
        !is_probability(probability) || (probability > 0.0 && !is_legal(action))
    };
    if let Some((action, found)) = row.iter().copied().enumerate().find(|&entry| wrong(entry)) {
        let expected =
            if is_legal(action) { "from 0 to 1" } else { "0, as the action is not legal" };
        return Err(format!(
            "policy: action {action}: expected a probability {expected}, got {found}"
        ));
    }
    if let Some(sum) = wrong_sum(row.iter().copied()) {
        return Err(format!("policy: expected probabilities that add up to 1, got a sum of {sum}"));
    }
    let entries = row.iter().zip(0..).filter(|(probability, _)| **probability > 0.0);
    Ok(entries.map(|(&probability, action)| PolicyEntry { action, probability }).collect())
}

/// The fault of a decision as a log has it: the part, the value expected and the value found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecisionFault {
    /// `value` or `policy`.
    pub part: &'static str,
    /// The value expected.
    pub expected: String,
    /// The value found.
    pub found: String,
}

/// Whether a logged decision can be one: a value from -1 to 1 for each seat, and probabilities of legal
/// actions, ascending by action, that add up to 1.
///
/// # Errors
/// If not, the first fault.
pub fn check_decision(
    value: Option<&[f32]>,
    policy: Option<&[PolicyEntry]>,
    seats: usize,
    is_legal: impl Fn(u16) -> bool,
) -> Result<(), DecisionFault> {
    if let Some(found) =
        value.filter(|value| value.len() != seats || value.iter().any(|&number| !is_result(number)))
    {
        let expected = format!("a number from -1 to 1 for each of {seats} seats");
        return Err(DecisionFault { part: "value", expected, found: format!("{found:?}") });
    }
    let Some(policy) = policy else { return Ok(()) };
    let fault = |expected: &str, found: String| {
        Err(DecisionFault { part: "policy", expected: expected.to_owned(), found })
    };
    if let Some(entry) = policy.iter().find(|entry| !is_legal(entry.action)) {
        return fault("legal actions", format!("action {}", entry.action));
    }
    if let Some(pair) = policy.windows(2).find(|pair| pair[0].action >= pair[1].action) {
        let found = format!("{} before {}", pair[0].action, pair[1].action);
        return fault("ascending actions", found);
    }
    if let Some(entry) = policy.iter().find(|entry| !is_probability(entry.probability)) {
        let found = format!("{} for action {}", entry.probability, entry.action);
        return fault("probabilities from 0 to 1", found);
    }
    if let Some(sum) = wrong_sum(policy.iter().map(|entry| entry.probability)) {
        return fault("probabilities that add up to 1", format!("a sum of {sum}"));
    }
    Ok(())
}

/// The expected result of each seat.
///
/// # Errors
/// If one is no finite number from -1 to 1.
pub fn seat_values(row: &[f32]) -> Result<Box<[f32]>, String> {
    match row.iter().find(|&&value| !is_result(value)) {
        Some(found) => Err(format!("value: expected finite numbers from -1 to 1, got {found}")),
        None => Ok(row.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::{PolicyEntry, check_decision};

    #[test]
    fn faults_of_logged_decisions_are_told() {
        let fault = |value: Option<&[f32]>, policy: Option<&[(u16, f32)]>| {
            let entry = |&(action, probability): &(u16, f32)| PolicyEntry { action, probability };
            let policy: Option<Vec<_>> = policy.map(|entries| entries.iter().map(entry).collect());
            check_decision(value, policy.as_deref(), 2, |action| action < 5)
                .map_err(|fault| format!("{}: {}, {}", fault.part, fault.expected, fault.found))
        };
        assert_eq!(fault(None, None), Ok(()));
        assert_eq!(fault(Some(&[-1.0, 1.0]), Some(&[(1, 0.25), (4, 0.75)])), Ok(()));
        let numbers = "value: a number from -1 to 1 for each of 2 seats";
        for value in [&[0.5][..], &[], &[f32::NAN, 0.0], &[f32::INFINITY, 0.0], &[0.0, 7.0]] {
            assert_eq!(fault(Some(value), None), Err(format!("{numbers}, {value:?}")));
        }
        for (policy, expected) in [
            (&[(5, 1.0)][..], "legal actions, action 5"),
            (&[(2, 0.5), (2, 0.5)], "ascending actions, 2 before 2"),
            (&[(2, 0.5), (1, 0.5)], "ascending actions, 2 before 1"),
            (&[(2, f32::NAN)], "probabilities from 0 to 1, NaN for action 2"),
            (&[(1, -0.5), (2, 1.5)], "probabilities from 0 to 1, -0.5 for action 1"),
            (&[(1, 0.5)], "probabilities that add up to 1, a sum of 0.5"),
            (&[], "probabilities that add up to 1, a sum of 0"),
        ] {
            assert_eq!(fault(None, Some(policy)), Err(format!("policy: {expected}")));
        }
    }
}
