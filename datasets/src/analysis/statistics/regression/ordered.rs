//! Ordered logistic regression of losses, draws and wins.

use super::fit::Fit;
use super::logistic::{ln_sigmoid, sigmoid};
use super::newton::{Derivatives, Model, maximise};
use super::rows::RowSource;
use crate::analysis::error::{Error, Result};

/// Fits proportional odds, `P(y <= j) = 1 / (1 + exp(eta - cut_j))` for a loss and for a loss or
/// draw (McCullagh, "Regression models for ordinal data", 1980). The cut points are the model's
/// constants, so a constant column is not identified. The log-likelihood is concave (Pratt,
/// "Concavity of the log likelihood", 1981).
///
/// Coefficients and log-likelihood are those of statsmodels' `OrderedModel(distr="logit")`. The
/// covariance is the clustered sandwich with the factor of [`logit`](super::logit()), where `k`
/// includes the cut points.
///
/// # Errors
/// As [`logit`](super::logit()), and if an outcome is not 0, 1/2 or 1, or one of them
/// never occurs.
pub fn ordered_logit(rows: &dyn RowSource) -> Result<Fit> {
    maximise::<Ordered>(rows)
}

struct Ordered;

impl Model for Ordered {
    const CUTS: usize = 2;

    fn accepts(y: f64) -> bool {
        [0.0, 0.5, 1.0].contains(&y)
    }

    fn start(outcomes: [f64; 3]) -> Result<Vec<f64>> {
        for (weight, outcome) in outcomes.into_iter().zip(["loss", "draw", "win"]) {
            if weight == 0.0 {
                return Err(Error::Outcome { outcome });
            }
        }
        let [loss, draw, win] = outcomes;
        Ok(vec![(loss / (draw + win)).ln(), ((loss + draw) / win).ln()])
    }

    fn derivatives(eta: f64, cuts: &[f64], y: f64) -> Derivatives {
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
            second: [
                [ll + 2.0 * lh + hh, -ll - lh, -lh - hh],
                [-ll - lh, ll, lh],
                [-lh - hh, lh, hh],
            ],
        }
    }
}
