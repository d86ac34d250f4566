//! Ordered logistic regression of losses, draws and wins.

use super::logit::{Derivatives, ln_sigmoid, sigmoid};
use crate::error::{Error, Result};

/// The initial cut points.
///
/// # Errors
/// If one of the outcomes never occurs.
pub(super) fn start(outcomes: [f64; 3]) -> Result<Vec<f64>> {
    for (weight, outcome) in outcomes.into_iter().zip(["loss", "draw", "win"]) {
        if weight == 0.0 {
            return Err(Error::Outcome { outcome });
        }
    }
    let [loss, draw, win] = outcomes;
    Ok(vec![(loss / (draw + win)).ln(), ((loss + draw) / win).ln()])
}

/// The log-probability of an outcome at `eta`.
pub(super) fn derivatives(eta: f64, cuts: &[f64], y: f64) -> Derivatives {
    let (low, high) = (cuts[0] - eta, cuts[1] - eta);
    let gap = high - low;
    if gap <= 0.0 {
        let (first, second) = ([0.0; 3], [[0.0; 3]; 3]);
        return Derivatives { value: f64::NEG_INFINITY, first, second };
    }
    let curvature = |at: f64| sigmoid(at) * sigmoid(-at);
    // Derivatives by `low` and `high`: first, then second (both along one, mixed, along the
    // other).
    let (value, slopes, [ll, lh, hh]) = if y == 0.0 {
        (ln_sigmoid(low), [sigmoid(-low), 0.0], [-curvature(low), 0.0, 0.0])
    } else if y == 1.0 {
        (ln_sigmoid(-high), [0.0, -sigmoid(high)], [0.0, 0.0, -curvature(high)])
    } else {
        // F(high) - F(low) = F(high) F(-low) (1 - exp(low - high)), without cancellation.
        let value = ln_sigmoid(high) + ln_sigmoid(-low) + (-(-gap).exp_m1()).ln();
        let near = gap.exp_m1().recip();
        let both = near * (1.0 + near);
        let slopes = [-near - sigmoid(low), near + sigmoid(-high)];
        (value, slopes, [-both - curvature(low), both, -both - curvature(high)])
    };
    // `low` and `high` both decrease with `eta`.
    Derivatives {
        value,
        first: [-slopes[0] - slopes[1], slopes[0], slopes[1]],
        second: [[ll + 2.0 * lh + hh, -ll - lh, -lh - hh], [-ll - lh, ll, lh], [-lh - hh, lh, hh]],
    }
}
