//! Logistic regression of outcomes between 0 and 1.

use super::fit::Fit;
use super::logistic::{ln_sigmoid, sigmoid};
use super::newton::{Derivatives, Model, maximise};
use super::rows::RowSource;
use crate::analysis::error::Result;

/// Fits `E(y) = 1 / (1 + exp(-eta))`, where `eta` is the sum of the columns times their
/// coefficients. There is no constant; a column of ones makes one.
///
/// Outcomes are numbers from 0 to 1: a draw is half a win. The fit maximises the Bernoulli
/// quasi-likelihood `sum w (y ln p + (1 - y) ln(1 - p))`, which is consistent for any distribution
/// of `y` with the right mean (Papke and Wooldridge, "Econometric methods for fractional response
/// variables", 1996). The covariance is therefore the clustered sandwich (Liang and Zeger,
/// "Longitudinal data analysis using generalized linear models", 1986). It has the factor `G / (G -
/// 1) * (n - 1) / (n - k)` for `n` rows of `G` clusters and `k` coefficients, as statsmodels'
/// `GLM(y, x, family=Binomial()).fit(cov_type="cluster")` with its default `use_correction=True`.
/// Weights correspond to its `freq_weights` or `var_weights`, which are equivalent here.
///
/// # Errors
/// If the rows cannot be read or used, have fewer than two clusters, identify no
/// coefficient, or are separated, so that the likelihood has no finite maximum.
pub fn logit(rows: &dyn RowSource) -> Result<Fit> {
    maximise::<Logit>(rows)
}

struct Logit;

impl Model for Logit {
    const CUTS: usize = 0;

    fn accepts(y: f64) -> bool {
        (0.0..=1.0).contains(&y)
    }

    fn start(_: [f64; 3]) -> Result<Vec<f64>> {
        Ok(Vec::new())
    }

    fn derivatives(eta: f64, _: &[f64], y: f64) -> Derivatives {
        let p = sigmoid(eta);
        let mut second = [[0.0; 3]; 3];
        second[0][0] = -p * sigmoid(-eta);
        let value = y * ln_sigmoid(eta) + (1.0 - y) * ln_sigmoid(-eta);
        Derivatives { value, first: [y - p, 0.0, 0.0], second }
    }
}
