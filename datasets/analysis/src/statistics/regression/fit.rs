//! The result of a regression.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::fieller::fieller;
use super::model::sigmoid;
use crate::statistics::matrix::{Matrix, dot};
use crate::statistics::{DroppedColumn, Estimate, Measurement};

/// The result of a regression, with the cluster-robust (sandwich) covariance of the estimates.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Fit {
    pub(super) width: usize,
    /// The identified columns, ascending. The parameters are their coefficients, followed by the
    /// cut points.
    pub(super) columns: Vec<usize>,
    pub(super) dropped: Vec<DroppedColumn>,
    pub(super) parameters: Vec<f64>,
    pub(super) covariance: Matrix,
    pub(super) log_likelihood: f64,
    pub(super) iterations: u32,
    pub(super) rows: u64,
    pub(super) clusters: u64,
    /// The weights of losses, draws, wins and other outcomes.
    pub(super) outcomes: [f64; 4],
    pub(super) mean_outcome: f64,
}

impl Fit {
    /// The coefficients of all columns; None for those that are not identified.
    pub fn coefficients(&self) -> Vec<Option<Measurement>> {
        (0..self.width).map(|column| self.contrast(&[(column, 1.0)])).collect()
    }

    /// The columns that are not identified, and why. The other coefficients are those of a
    /// regression without them.
    pub fn dropped(&self) -> &[DroppedColumn] {
        &self.dropped
    }

    /// The cut points between loss and draw and between draw and win; None for a logit.
    pub fn cuts(&self) -> Option<[Measurement; 2]> {
        let first = self.columns.len();
        let cut = |place: usize| Measurement {
            value: self.parameters[place],
            error: self.covariance[(place, place)].sqrt(),
        };
        (self.parameters.len() > first).then(|| [cut(first), cut(first + 1)])
    }

    /// The covariance of two coefficients; None if one is not identified.
    pub fn covariance(&self, one: usize, other: usize) -> Option<f64> {
        Some(self.covariance[(self.place(one)?, self.place(other)?)])
    }

    /// A linear combination of coefficients, given by columns and factors; None if one is not
    /// identified.
    pub fn contrast(&self, factors: &[(usize, f64)]) -> Option<Measurement> {
        let combination = self.combination(factors)?;
        let variance = self.covariance.form(&combination, &combination);
        let value = dot(&self.parameters, &combination);
        Some(Measurement { value, error: variance.max(0.0).sqrt() })
    }

    /// The p-value of the null hypothesis that all of these linear combinations are 0 (Wald's test,
    /// with one degree of freedom for each); None if a column is not identified, or the
    /// combinations depend on one another.
    pub fn joint_p_value(&self, combinations: &[Vec<(usize, f64)>]) -> Option<f64> {
        let all = combinations.iter().map(|factors| self.combination(factors));
        let all = all.collect::<Option<Vec<_>>>()?;
        let found: Vec<f64> = all.iter().map(|one| dot(&self.parameters, one)).collect();
        let covariance =
            Matrix::from_fn(all.len(), |row, column| self.covariance.form(&all[row], &all[column]));
        let statistic = dot(&covariance.cholesky()?.solve(&found), &found);
        let freedom = combinations.len() as f64;
        Some(ChiSquared::new(freedom).ok()?.sf(statistic))
    }

    /// The ratio of two linear combinations of coefficients, such as a piece's value in soldiers,
    /// each given by columns and factors; None if a column is not identified.
    ///
    /// The interval is Fieller's ("Some problems in interval estimation", 1954): the ratios that a
    /// test at 5 % does not reject. Unlike the delta method's it is valid if the unit is not much
    /// larger than its error. If the unit's own 95 % interval is not above 0, the set of these
    /// ratios is unbounded or has the wrong sign; then the interval is from minus infinity to
    /// infinity. A multiple of the unit has no uncertainty.
    pub fn ratio(&self, top: &[(usize, f64)], unit: &[(usize, f64)]) -> Option<Estimate> {
        let mut covariance = 0.0;
        for &(one, factor) in top {
            for &(other, share) in unit {
                covariance += factor * share * self.covariance(one, other)?;
            }
        }
        let (own, whole) = (self.contrast(top)?, self.contrast(unit)?);
        Some(match multiple(top, unit) {
            // A multiple of the unit: nothing is uncertain.
            Some(value) => Estimate { value, low: value, high: value },
            None => fieller(own, whole, covariance),
        })
    }

    /// Why a column is not identified, in words, with the names of the columns; None if it is.
    pub fn why_dropped(&self, column: usize, name: &dyn Fn(usize) -> String) -> Option<String> {
        let dropped = self.dropped.iter().find(|dropped| dropped.column == column)?;
        Some(match dropped.with.as_slice() {
            [] => "it does not vary".to_owned(),
            with => {
                let names: Vec<_> = with.iter().map(|&other| name(other)).collect();
                format!("it is a linear combination of {}", names.join(", "))
            }
        })
    }

    /// The expected score of a row: the probability of a win plus half that of a draw.
    ///
    /// # Panics
    /// If it has fewer columns than the rows of the fit.
    pub fn expected_score(&self, x: &[f64]) -> f64 {
        let (coefficients, cuts) = self.parameters.split_at(self.columns.len());
        let eta: f64 =
            self.columns.iter().zip(coefficients).map(|(&column, value)| x[column] * value).sum();
        match cuts {
            [low, high] => f64::midpoint(sigmoid(eta - low), sigmoid(eta - high)),
            _ => sigmoid(eta),
        }
    }

    /// The log-likelihood at the estimates; for a logit the quasi-likelihood.
    pub fn log_likelihood(&self) -> f64 {
        self.log_likelihood
    }

    /// The number of Newton steps.
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

    /// The weight of all rows, and that of those without the most frequent outcome.
    pub fn weights(&self) -> [f64; 2] {
        let all: f64 = self.outcomes.iter().sum();
        [all, all - self.outcomes.into_iter().fold(0.0, f64::max)]
    }

    /// The factor of each parameter; None if a column is not identified.
    fn combination(&self, factors: &[(usize, f64)]) -> Option<Vec<f64>> {
        let mut combination = vec![0.0; self.parameters.len()];
        for &(column, factor) in factors {
            combination[self.place(column)?] += factor;
        }
        Some(combination)
    }

    fn place(&self, column: usize) -> Option<usize> {
        self.columns.binary_search(&column).ok()
    }
}

/// The factor by which one combination is a multiple of the other; None if it is not.
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

#[cfg(test)]
mod tests {
    use super::{Fit, Matrix};

    #[test]
    fn a_joint_test_is_that_of_the_whole_vector() {
        // Three coefficients, of columns 0, 2 and 3, of which the first two are correlated.
        let covariance = [[4.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 0.25]];
        let fit = Fit {
            width: 4,
            columns: vec![0, 2, 3],
            dropped: Vec::new(),
            parameters: vec![2.0, -1.0, 0.5],
            covariance: Matrix::from_fn(3, |row, column| covariance[row][column]),
            log_likelihood: 0.0,
            iterations: 1,
            rows: 100,
            clusters: 100,
            outcomes: [40.0, 10.0, 50.0, 0.0],
            mean_outcome: 0.5,
        };
        assert_eq!(fit.weights(), [100.0, 50.0]);
        let one = |column| vec![(column, 1.0)];
        // With two degrees of freedom the p-value is exp(-statistic / 2). The inverse of the covariance
        // of the first two is [2, -1; -1, 4] / 7, so the statistic is (8 + 4 + 4) / 7.
        let found = fit.joint_p_value(&[one(0), one(2)]).expect("both are identified");
        assert!((found - (-8.0_f64 / 7.0).exp()).abs() < 1e-12, "{found}");
        // Independent ones add up: 4 / 4 + 0.25 / 0.25, and a scaled combination is the same
        // hypothesis.
        let found = fit.joint_p_value(&[one(0), vec![(3, -2.0)]]).expect("both are identified");
        assert!((found - (-1.0_f64).exp()).abs() < 1e-12, "{found}");
        // A single combination has Wald's test.
        let factors = vec![(0, 1.0), (2, -1.0)];
        let wald = fit.contrast(&factors).expect("both are identified").p_value();
        let found = fit.joint_p_value(&[factors]).expect("both are identified");
        assert!((found - wald).abs() < 1e-9, "{found} {wald}");
        assert_eq!(fit.joint_p_value(&[one(0), one(1)]), None);
        assert_eq!(fit.joint_p_value(&[one(0), vec![(0, 2.0)]]), None);
    }
}
