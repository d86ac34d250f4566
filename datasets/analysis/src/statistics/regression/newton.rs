//! Maximum likelihood by Newton's method with step halving over streamed rows, with cluster-robust
//! (sandwich) covariance.

use super::clusters::Clusters;
use super::fit::Fit;
use super::likelihood::LikelihoodSums;
use super::model::Model;
use super::passes::{Blocks, OwnBlocks, RowSource, likelihood, moments};
use crate::error::{Error, Result};
use crate::statistics::matrix::{Matrix, dot};

/// Convergence: the last Newton step, in standard errors, is shorter than the square root of this.
/// Newton's method converges quadratically, so the remaining error is about its square.
const CONVERGED: f64 = 1e-10;

/// The maximum number of iterations. Separation makes coefficients grow by about 1 per step, so it
/// is detected before.
const MAX_ITERATIONS: u32 = 100;

/// Separation: the information in some direction has fallen below this fraction of its initial
/// value.
const SEPARATED: f64 = 1e-7;

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
    logit_of(&OwnBlocks(rows), Clusters::All)
}

/// Fits proportional odds, `P(y <= j) = 1 / (1 + exp(eta - cut_j))` for a loss and for a loss or
/// draw (McCullagh, "Regression models for ordinal data", 1980). The cut points are the model's
/// constants, so a constant column is not identified. The log-likelihood is concave (Pratt,
/// "Concavity of the log likelihood", 1981).
///
/// Coefficients and log-likelihood are those of statsmodels' `OrderedModel(distr="logit")`. The
/// covariance is the clustered sandwich with the factor of [`logit`], where `k`
/// includes the cut points.
///
/// # Errors
/// As [`logit`], and if an outcome is not 0, 1/2 or 1, or one of them
/// never occurs.
pub fn ordered_logit(rows: &dyn RowSource) -> Result<Fit> {
    ordered_logit_of(&OwnBlocks(rows), Clusters::All)
}

/// [`logit`] of some clusters of blocks.
pub(crate) fn logit_of(blocks: &dyn Blocks, clusters: Clusters) -> Result<Fit> {
    maximise(blocks, clusters, Model::Logit)
}

/// [`ordered_logit`] of some clusters of blocks.
pub(crate) fn ordered_logit_of(blocks: &dyn Blocks, clusters: Clusters) -> Result<Fit> {
    maximise(blocks, clusters, Model::OrderedLogit)
}

/// Maximises the likelihood.
///
/// # Errors
/// If the rows cannot be read or used, identify no coefficient, or have no finite maximum.
fn maximise(blocks: &dyn Blocks, which: Clusters, model: Model) -> Result<Fit> {
    let moments = moments(blocks, which, model)?;
    if moments.clusters < 2 {
        return Err(Error::Clusters { found: moments.clusters });
    }
    let (columns, dropped) = moments.identified(model.cuts() > 0)?;
    let parameters = columns.len() + model.cuts();
    if moments.rows <= parameters as u64 {
        return Err(Error::FewRows { parameters, found: moments.rows });
    }
    let mut at = vec![0.0; columns.len()];
    at.extend(model.start(moments.outcomes)?);

    let sums = |at: &[f64], robust| likelihood(blocks, which, model, &columns, at, robust);
    let mut here = sums(&at, false)?;
    let start = here.information.clone();
    // With separated rows, steps remain long along the separating columns and are 0 along the
    // others.
    let separated = |here: &LikelihoodSums, step: &[f64]| {
        let part = |place: &usize| step[*place].abs() * start[(*place, *place)].sqrt();
        let strongest = (0..columns.len()).max_by(|one, other| part(one).total_cmp(&part(other)));
        let column = columns[strongest.expect("there are columns")];
        is_lost(&start, &here.information).then_some(Error::Separated { column })
    };
    let stuck = |here: &LikelihoodSums, step: &[f64], iterations| {
        separated(here, step).unwrap_or(Error::NotConverged { iterations })
    };
    let mut iterations = 0;
    let mut step = vec![0.0; parameters];
    loop {
        step = match here.information.cholesky() {
            Some(decomposed) if iterations < MAX_ITERATIONS => decomposed.solve(&here.gradient),
            _ => return Err(stuck(&here, &step, iterations)),
        };
        iterations += 1;
        let rise = dot(&step, &here.gradient) * moments.rows as f64 / moments.weight;
        if rise < CONVERGED {
            at = moved(&at, &step, 1.0);
            break;
        }
        // Step halving: a concave function rises along a step that is short enough. The tolerance
        // keeps rounding alone from shortening it.
        let tolerated = here.value - 1e-13 * here.value.abs();
        let mut length = 1.0;
        here = loop {
            let there = moved(&at, &step, length);
            let next = sums(&there, false)?;
            if next.value >= tolerated {
                at = there;
                break next;
            }
            length /= 2.0;
            if length < 1e-6 {
                return Err(stuck(&here, &step, iterations));
            }
        };
    }
    let here = sums(&at, true)?;
    if let Some(fault) = separated(&here, &step) {
        return Err(fault);
    }
    let inverse = here.information.cholesky().ok_or(Error::NotConverged { iterations })?.inverse();
    let sandwich = inverse.times(&here.meat).times(&inverse);
    let [n, clusters] = [moments.rows, moments.clusters].map(|count| count as f64);
    // The finite-sample factor of statsmodels (`use_correction=True`) and Stata.
    let factor = clusters / (clusters - 1.0) * (n - 1.0) / (n - parameters as f64);
    Ok(Fit {
        width: blocks.width(),
        columns,
        dropped,
        parameters: at,
        covariance: Matrix::from_fn(parameters, |row, column| factor * sandwich[(row, column)]),
        log_likelihood: here.value,
        iterations,
        rows: moments.rows,
        clusters: moments.clusters,
        outcomes: moments.all_outcomes(),
        mean_outcome: moments.score / moments.weight,
    })
}

/// The parameters, moved by a part of a step.
fn moved(at: &[f64], step: &[f64], length: f64) -> Vec<f64> {
    at.iter().zip(step).map(|(at, step)| at + step * length).collect()
}

/// Whether in some direction less than `SEPARATED` of the initial information is left: what remains beyond
/// that is not positive definite then.
fn is_lost(start: &Matrix, now: &Matrix) -> bool {
    let beyond = |row, column| now[(row, column)] - SEPARATED * start[(row, column)];
    Matrix::from_fn(start.size(), beyond).cholesky().is_none()
}
