//! Maximum likelihood by Newton's method with step halving over streamed rows, with cluster-robust
//! (sandwich) covariance.

use nalgebra::{DMatrix, DVector};

use super::fit::Fit;
use super::moments::Moments;
use super::rows::{BLOCKS_AT_ONCE, Row, RowSource};
use crate::analysis::error::{Error, Result};
use crate::analysis::in_order::in_order;

/// Convergence: the last Newton step, in standard errors, is shorter than the square root of this.
/// Newton's method converges quadratically, so the remaining error is about its square.
const CONVERGED: f64 = 1e-10;

/// The maximum number of iterations. Separation makes coefficients grow by about 1 per step, so it
/// is detected before.
const MAX_ITERATIONS: u32 = 100;

/// Separation: the information in some direction has fallen below this fraction of its initial
/// value.
const SEPARATED: f64 = 1e-7;

/// How the probability of an outcome depends on `eta`, the sum of the columns times their
/// coefficients, and on cut points.
pub(super) trait Model {
    /// The number of cut points: 0 or 2. Cut points take the place of a constant.
    const CUTS: usize;

    /// Whether the model accepts this outcome.
    fn accepts(y: f64) -> bool;

    /// The initial cut points, where all coefficients are 0.
    ///
    /// # Errors
    /// If the outcomes do not determine them.
    fn start(outcomes: [f64; 3]) -> Result<Vec<f64>>;

    /// The logarithm of an outcome's probability, which must be concave in all arguments.
    fn derivatives(eta: f64, cuts: &[f64], y: f64) -> Derivatives;
}

/// A log-probability and its derivatives by `eta` and the cut points. It is minus infinity where
/// the cut points do not ascend.
pub(super) struct Derivatives {
    pub(super) value: f64,
    pub(super) first: [f64; 3],
    pub(super) second: [[f64; 3]; 3],
}

/// Maximises the likelihood.
///
/// # Errors
/// If the rows cannot be read or used, identify no coefficient, or have no finite maximum.
pub(super) fn maximise<M: Model>(rows: &dyn RowSource) -> Result<Fit> {
    let moments = Moments::of(rows, M::accepts)?;
    let (columns, dropped) = moments.identified(M::CUTS > 0)?;
    let parameters = columns.len() + M::CUTS;
    if moments.rows <= parameters as u64 {
        let (what, expected) = ("rows", "more than coefficients and cut points");
        return Err(Error::Value { what, expected, found: moments.rows as f64 });
    }
    let mut at = DVector::zeros(parameters);
    at.rows_mut(columns.len(), M::CUTS).copy_from_slice(&M::start(moments.outcomes)?);

    let sums = |at: &DVector<f64>, robust| LikelihoodSums::of::<M>(rows, &columns, at, robust);
    let mut here = sums(&at, false)?;
    let start = here.information.clone();
    // With separated rows, steps remain long along the separating columns and are 0 along the
    // others.
    let separated = |here: &LikelihoodSums, step: &DVector<f64>| {
        let part = |place: &usize| step[*place].abs() * start[(*place, *place)].sqrt();
        let strongest = (0..columns.len()).max_by(|one, other| part(one).total_cmp(&part(other)));
        let column = columns[strongest.expect("there are columns")];
        (information_left(&start, &here.information) < SEPARATED)
            .then_some(Error::Separated { column })
    };
    let stuck = |here: &LikelihoodSums, step: &DVector<f64>, iterations| {
        separated(here, step).unwrap_or(Error::NotConverged { iterations })
    };
    let mut iterations = 0;
    let mut step = DVector::zeros(parameters);
    loop {
        step = match here.information.clone().cholesky() {
            Some(decomposed) if iterations < MAX_ITERATIONS => decomposed.solve(&here.gradient),
            _ => return Err(stuck(&here, &step, iterations)),
        };
        iterations += 1;
        let rise = step.dot(&here.gradient) * moments.rows as f64 / moments.weight;
        if rise < CONVERGED {
            at += &step;
            break;
        }
        // Step halving: a concave function rises along a step that is short enough. The tolerance
        // keeps rounding alone from shortening it.
        let tolerated = here.value - 1e-13 * here.value.abs();
        let mut length = 1.0;
        here = loop {
            let there = &at + &step * length;
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
    let [n, clusters] = [moments.rows, moments.clusters].map(|count| count as f64);
    // The finite-sample factor of statsmodels (`use_correction=True`) and Stata.
    let factor = clusters / (clusters - 1.0) * (n - 1.0) / (n - parameters as f64);
    Ok(Fit {
        width: rows.width(),
        columns,
        dropped,
        parameters: at,
        covariance: &inverse * here.meat * &inverse * factor,
        log_likelihood: here.value,
        iterations,
        rows: moments.rows,
        clusters: moments.clusters,
    })
}

/// The smallest ratio, over all directions, of the current information to the initial one: the
/// smallest generalised eigenvalue.
fn information_left(start: &DMatrix<f64>, now: &DMatrix<f64>) -> f64 {
    let lower = start.clone().cholesky().expect("the columns are independent").unpack();
    let solve = |matrix: &DMatrix<f64>| {
        lower.solve_lower_triangular(matrix).expect("no diagonal element is 0")
    };
    solve(&solve(now).transpose()).symmetric_eigenvalues().min()
}

/// The log-likelihood at some parameters, with the sums for its maximum and covariance. Parameters
/// are the coefficients of the identified columns, followed by the cut points.
struct LikelihoodSums {
    value: f64,
    gradient: DVector<f64>,
    /// Minus the Hessian: the observed information, the bread of the sandwich.
    information: DMatrix<f64>,
    /// The sum over clusters of the outer products of their gradients: the meat of the sandwich.
    meat: DMatrix<f64>,
}

impl LikelihoodSums {
    fn new(parameters: usize) -> Self {
        let square = DMatrix::zeros(parameters, parameters);
        let gradient = DVector::zeros(parameters);
        Self { value: 0.0, gradient, information: square.clone(), meat: square }
    }

    /// `robust`: computes the meat.
    fn of<M: Model>(
        rows: &dyn RowSource,
        columns: &[usize],
        at: &DVector<f64>,
        robust: bool,
    ) -> Result<Self> {
        let block = |block| {
            let mut pass = BlockPass::new(columns, at, robust);
            rows.visit(block, &mut |row| pass.add::<M>(row))?;
            pass.finish_cluster();
            Ok(pass.sums)
        };
        let mut all = Self::new(at.len());
        in_order(0..rows.blocks(), BLOCKS_AT_ONCE, block, |more| {
            all.merge(&more);
            Ok(())
        })?;
        all.information.fill_upper_triangle_with_lower_triangle();
        all.meat.fill_upper_triangle_with_lower_triangle();
        Ok(all)
    }

    fn merge(&mut self, other: &Self) {
        self.value += other.value;
        self.gradient += &other.gradient;
        self.information += &other.information;
        self.meat += &other.meat;
    }
}

/// A pass over one block of rows.
struct BlockPass<'a> {
    columns: &'a [usize],
    at: &'a DVector<f64>,
    robust: bool,
    sums: LikelihoodSums,
    /// The identified columns of a row.
    x: Vec<f64>,
    cluster: Option<u64>,
    /// The gradient of the current cluster.
    gradient: DVector<f64>,
}

impl<'a> BlockPass<'a> {
    fn new(columns: &'a [usize], at: &'a DVector<f64>, robust: bool) -> Self {
        Self {
            columns,
            at,
            robust,
            sums: LikelihoodSums::new(at.len()),
            x: Vec::with_capacity(columns.len()),
            cluster: None,
            gradient: DVector::zeros(at.len()),
        }
    }

    fn add<M: Model>(&mut self, row: Row<'_>) {
        if self.robust && self.cluster != Some(row.cluster) {
            self.finish_cluster();
            self.cluster = Some(row.cluster);
        }
        self.x.clear();
        self.x.extend(self.columns.iter().map(|&column| row.x[column]));
        let (coefficients, cuts) = self.at.as_slice().split_at(self.x.len());
        let eta = self.x.iter().zip(coefficients).map(|(x, coefficient)| x * coefficient).sum();
        let Derivatives { value, first, second } = M::derivatives(eta, cuts, row.y);

        // Chain rule: the derivative by a parameter is that by its argument times its factor there.
        let columns = self.x.len();
        let argument = |parameter: usize| parameter.saturating_sub(columns - 1);
        let factor = |parameter: usize| self.x.get(parameter).copied().unwrap_or(1.0);
        self.sums.value += row.weight * value;
        for one in 0..self.at.len() {
            let weight = row.weight * factor(one);
            let slope = weight * first[argument(one)];
            self.sums.gradient[one] += slope;
            self.gradient[one] += slope;
            let curvature = second[argument(one)];
            // Down the columns of the lower triangle, the order in memory.
            for other in one..self.at.len() {
                self.sums.information[(other, one)] -=
                    weight * factor(other) * curvature[argument(other)];
            }
        }
    }

    /// Adds the outer product of the gradient of the cluster that ends here.
    fn finish_cluster(&mut self) {
        if self.robust {
            self.sums.meat.syger(1.0, &self.gradient, &self.gradient, 1.0);
        }
        self.gradient.fill(0.0);
    }
}
