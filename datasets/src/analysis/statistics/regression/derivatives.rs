//! Derivatives of log-probabilities.

/// A log-probability and its derivatives by `eta` and the cut points. It is minus infinity where
/// the cut points do not ascend.
pub(super) struct Derivatives {
    pub(super) value: f64,
    pub(super) first: [f64; 3],
    pub(super) second: [[f64; 3]; 3],
}
