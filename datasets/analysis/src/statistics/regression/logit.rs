//! Logistic regression of outcomes between 0 and 1.

/// A log-probability and its derivatives by `eta` and the cut points. It is minus infinity where
/// the cut points do not ascend.
pub(super) struct Derivatives {
    pub(super) value: f64,
    pub(super) first: [f64; 3],
    pub(super) second: [[f64; 3]; 3],
}

/// `1 / (1 + exp(-eta))`.
pub(super) fn sigmoid(eta: f64) -> f64 {
    1.0 / (1.0 + (-eta).exp())
}

/// The logarithm of [`sigmoid`], accurate near 0 and 1.
pub(super) fn ln_sigmoid(eta: f64) -> f64 {
    eta.min(0.0) - (-eta.abs()).exp().ln_1p()
}

/// The log-probability of an outcome at `eta`.
pub(super) fn derivatives(eta: f64, y: f64) -> Derivatives {
    let p = sigmoid(eta);
    let mut second = [[0.0; 3]; 3];
    second[0][0] = -p * sigmoid(-eta);
    let value = y * ln_sigmoid(eta) + (1.0 - y) * ln_sigmoid(-eta);
    Derivatives { value, first: [y - p, 0.0, 0.0], second }
}
