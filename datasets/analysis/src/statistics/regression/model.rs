//! How the probability of an outcome depends on `eta`, the sum of the columns times their coefficients,
//! and on cut points.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// A model of outcomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Model {
    Logit,
    OrderedLogit,
}

impl Model {
    /// The number of cut points: 0 or 2. Cut points take the place of a constant.
    pub(super) fn cuts(self) -> usize {
        match self {
            Self::Logit => 0,
            Self::OrderedLogit => 2,
        }
    }

    /// Whether the model accepts this outcome.
    pub(super) fn accepts(self, y: f64) -> bool {
        match self {
            Self::Logit => (0.0..=1.0).contains(&y),
            Self::OrderedLogit => [0.0, 0.5, 1.0].contains(&y),
        }
    }

    /// The initial cut points, where all coefficients are 0. `outcomes`: the weights of losses, draws
    /// and wins.
    ///
    /// # Errors
    /// If the outcomes do not determine them.
    pub(super) fn start(self, outcomes: [f64; 3]) -> Result<Vec<f64>> {
        match self {
            Self::Logit => Ok(Vec::new()),
            Self::OrderedLogit => start(outcomes),
        }
    }

    /// The logarithm of an outcome's probability, which is concave in all arguments.
    pub(super) fn derivatives(self, eta: f64, cuts: &[f64], y: f64) -> Derivatives {
        match self {
            Self::Logit => of_logit(eta, y),
            Self::OrderedLogit => of_ordered_logit(eta, cuts, y),
        }
    }
}

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
fn ln_sigmoid(eta: f64) -> f64 {
    eta.min(0.0) - (-eta.abs()).exp().ln_1p()
}

/// Of an outcome between 0 and 1 at `eta`.
fn of_logit(eta: f64, y: f64) -> Derivatives {
    let p = sigmoid(eta);
    let mut second = [[0.0; 3]; 3];
    second[0][0] = -p * sigmoid(-eta);
    let value = y * ln_sigmoid(eta) + (1.0 - y) * ln_sigmoid(-eta);
    Derivatives { value, first: [y - p, 0.0, 0.0], second }
}

/// The initial cut points of an ordered logit.
///
/// # Errors
/// If one of the outcomes never occurs.
fn start(outcomes: [f64; 3]) -> Result<Vec<f64>> {
    for (weight, outcome) in outcomes.into_iter().zip(["loss", "draw", "win"]) {
        if weight == 0.0 {
            return Err(Error::Outcome { outcome });
        }
    }
    let [loss, draw, win] = outcomes;
    Ok(vec![(loss / (draw + win)).ln(), ((loss + draw) / win).ln()])
}

/// Of a loss, a draw or a win at `eta`.
fn of_ordered_logit(eta: f64, cuts: &[f64], y: f64) -> Derivatives {
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
