//! What a regression found.

use nalgebra::{DMatrix, DVector};

use super::fieller::fieller;
use super::logistic::sigmoid;
use crate::analysis::statistics::{DroppedColumn, Estimate, Measurement};

/// What a regression found, with the cluster-robust covariance of its errors.
#[derive(Clone, Debug)]
pub struct Fit {
    pub(super) width: usize,
    /// The columns with coefficients, ascending; the parameters are theirs and then the cut points.
    pub(super) columns: Vec<usize>,
    pub(super) dropped: Vec<DroppedColumn>,
    pub(super) parameters: DVector<f64>,
    pub(super) covariance: DMatrix<f64>,
    pub(super) log_likelihood: f64,
    pub(super) iterations: u32,
    pub(super) rows: u64,
    pub(super) clusters: u64,
}

impl Fit {
    /// The coefficients of all columns, None where the rows do not tell it.
    pub fn coefficients(&self) -> Vec<Option<Measurement>> {
        (0..self.width).map(|column| self.contrast(&[(column, 1.0)])).collect()
    }

    /// The columns without a coefficient and why they have none. They were left out: the other coefficients are those
    /// of a regression without them.
    pub fn dropped(&self) -> &[DroppedColumn] {
        &self.dropped
    }

    /// The cut points between a loss and a draw and between a draw and a win; None from a logit.
    pub fn cuts(&self) -> Option<[Measurement; 2]> {
        let first = self.columns.len();
        let cut = |place: usize| Measurement {
            value: self.parameters[place],
            error: self.covariance[(place, place)].sqrt(),
        };
        (self.parameters.len() > first).then(|| [cut(first), cut(first + 1)])
    }

    /// The covariance of the errors of two columns' coefficients; None where one has none.
    pub fn covariance(&self, one: usize, other: usize) -> Option<f64> {
        Some(self.covariance[(self.place(one)?, self.place(other)?)])
    }

    /// A linear combination of coefficients, from the columns and their factors; None where one is not told.
    pub fn contrast(&self, factors: &[(usize, f64)]) -> Option<Measurement> {
        let mut combination = DVector::zeros(self.parameters.len());
        for &(column, factor) in factors {
            combination[self.place(column)?] += factor;
        }
        let variance = (&self.covariance * &combination).dot(&combination);
        let value = self.parameters.dot(&combination);
        Some(Measurement { value, error: variance.max(0.0).sqrt() })
    }

    /// The ratio of two linear combinations of coefficients, such as a piece's value in soldiers, each from the columns
    /// and their factors; None where one of the columns is not told.
    ///
    /// The interval is Fieller's ("Some problems in interval estimation", 1954), the ratios that a test at 5 % does not
    /// reject; unlike the delta method's it stays right where the unit is little more certain than its error. Where the
    /// unit's own 95 % interval is not above 0, those ratios are all numbers, or all but some in the middle, or have the
    /// wrong sign: then the interval is from minus infinity to infinity. A multiple of the unit is that for certain.
    pub fn ratio(&self, top: &[(usize, f64)], unit: &[(usize, f64)]) -> Option<Estimate> {
        let mut covariance = 0.0;
        for &(one, factor) in top {
            for &(other, share) in unit {
                covariance += factor * share * self.covariance(one, other)?;
            }
        }
        let (own, whole) = (self.contrast(top)?, self.contrast(unit)?);
        Some(match multiple(top, unit) {
            // The unit in its own terms: nothing that could be uncertain.
            Some(value) => Estimate { value, low: value, high: value },
            None => fieller(own, whole, covariance),
        })
    }

    /// Why a column has no coefficient, with the names of the columns; None where it has one.
    pub fn why_dropped(&self, column: usize, name: &dyn Fn(usize) -> String) -> Option<String> {
        let dropped = self.dropped.iter().find(|dropped| dropped.column == column)?;
        Some(match dropped.with.as_slice() {
            [] => "it never differs".to_owned(),
            with => {
                let names: Vec<_> = with.iter().map(|&other| name(other)).collect();
                format!("it goes with {}", names.join(", "))
            }
        })
    }

    /// The score expected of a row: the probability of a win and half that of a draw.
    ///
    /// # Panics
    /// If it has fewer columns than the rows that were fitted.
    pub fn expected_score(&self, x: &[f64]) -> f64 {
        let (coefficients, cuts) = self.parameters.as_slice().split_at(self.columns.len());
        let eta: f64 =
            self.columns.iter().zip(coefficients).map(|(&column, value)| x[column] * value).sum();
        match cuts {
            [low, high] => f64::midpoint(sigmoid(eta - low), sigmoid(eta - high)),
            _ => sigmoid(eta),
        }
    }

    /// The log-likelihood, of a logit the quasi-likelihood, at the coefficients.
    pub fn log_likelihood(&self) -> f64 {
        self.log_likelihood
    }

    /// How many steps led there.
    pub fn iterations(&self) -> u32 {
        self.iterations
    }

    /// The number of rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The number of clusters.
    pub fn clusters(&self) -> u64 {
        self.clusters
    }

    fn place(&self, column: usize) -> Option<usize> {
        self.columns.binary_search(&column).ok()
    }
}

/// By what the factors of one combination are those of another times; None if by nothing.
fn multiple(top: &[(usize, f64)], unit: &[(usize, f64)]) -> Option<f64> {
    let factor = |of: &[(usize, f64)], column: usize| -> f64 {
        of.iter().filter(|part| part.0 == column).map(|part| part.1).sum()
    };
    let &(first, _) = unit.iter().find(|part| factor(unit, part.0) != 0.0)?;
    let times = factor(top, first) / factor(unit, first);
    let mut columns = top.iter().chain(unit).map(|part| part.0);
    let is_so = |column| {
        let (found, expected) = (factor(top, column), times * factor(unit, column));
        (found - expected).abs() <= 1e-12 * expected.abs()
    };
    (times != 0.0 && columns.all(is_so)).then_some(times)
}
