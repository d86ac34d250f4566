//! The logistic function.

/// `1 / (1 + exp(-eta))`.
pub(super) fn sigmoid(eta: f64) -> f64 {
    1.0 / (1.0 + (-eta).exp())
}

/// The logarithm of [`sigmoid`], accurate near 0 and 1.
pub(super) fn ln_sigmoid(eta: f64) -> f64 {
    eta.min(0.0) - (-eta.abs()).exp().ln_1p()
}
