//! Logistic regression of outcomes between 0 and 1.

use super::derivatives::Derivatives;
use super::logistic::{ln_sigmoid, sigmoid};

/// The log-probability of an outcome at `eta`.
pub(super) fn derivatives(eta: f64, y: f64) -> Derivatives {
    let p = sigmoid(eta);
    let mut second = [[0.0; 3]; 3];
    second[0][0] = -p * sigmoid(-eta);
    let value = y * ln_sigmoid(eta) + (1.0 - y) * ln_sigmoid(-eta);
    Derivatives { value, first: [y - p, 0.0, 0.0], second }
}
