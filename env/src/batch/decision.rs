//! What a player may say of a decision: a policy and values.

use serde::{Deserialize, Serialize};

/// The probability of one action in a policy.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PolicyEntry {
    /// The action index, from the mover's perspective.
    pub action: u16,
    /// Its probability.
    pub probability: f32,
}

/// Probabilities may add up to 1 with this error.
const ROUNDING: f32 = 1e-3;

/// The entries of a row of probabilities of all actions, those above 0.
///
/// # Errors
/// If they are no probabilities of legal actions.
pub fn policy_entries(
    row: &[f32],
    is_legal: impl Fn(usize) -> bool,
) -> Result<Box<[PolicyEntry]>, String> {
    let wrong = |(action, probability): (usize, f32)| {
        !(0.0..=1.0 + ROUNDING).contains(&probability) || (probability > 0.0 && !is_legal(action))
    };
    if let Some((action, found)) = row.iter().copied().enumerate().find(|&entry| wrong(entry)) {
        let expected =
            if is_legal(action) { "from 0 to 1" } else { "0, as the action is not legal" };
        return Err(format!(
            "policy: action {action}: expected a probability {expected}, got {found}"
        ));
    }
    let sum: f32 = row.iter().sum();
    if (sum - 1.0).abs() > ROUNDING {
        return Err(format!("policy: expected probabilities that add up to 1, got a sum of {sum}"));
    }
    let entries = row.iter().zip(0..).filter(|(probability, _)| **probability > 0.0);
    Ok(entries.map(|(&probability, action)| PolicyEntry { action, probability }).collect())
}

/// The expected result of each seat.
///
/// # Errors
/// If one is no finite number.
pub fn seat_values(row: &[f32]) -> Result<Box<[f32]>, String> {
    match row.iter().find(|value| !value.is_finite()) {
        Some(found) => Err(format!("value: expected finite numbers, got {found}")),
        None => Ok(row.into()),
    }
}
