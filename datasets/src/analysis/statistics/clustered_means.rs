//! ClusteredMeans of groups whose observations come in clusters, such as games that share a deal.

use nalgebra::{DMatrix, DVector};

use super::estimate::{Estimate, Measurement};
use crate::analysis::error::{Error, Result};

/// Cross products below this share of the terms that they are the difference of are rounding.
const ROUNDING: f64 = 1e-13;

/// The observations that one cluster has of one group.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct WeightedSum {
    /// The sum of the values, each times its weight.
    pub sum: f64,
    /// The sum of the weights: the number of observations where each weighs 1.
    pub weight: f64,
}

impl WeightedSum {
    /// Adds one observation.
    pub fn add(&mut self, value: f64, weight: f64) {
        self.sum += value * weight;
        self.weight += weight;
    }

    pub(super) fn check(self) -> Result<()> {
        Error::check_finite("a cluster's sum", self.sum)?;
        let usable = self.weight.is_finite() && self.weight >= 0.0;
        let fault = || Error::Value {
            what: "a cluster's weight",
            expected: "a finite number from 0 up",
            found: self.weight,
        };
        usable.then_some(()).ok_or_else(fault)
    }
}

/// Adds up clusters of observations of several groups, in memory that grows with the square of the number of groups
/// only.
///
/// The sums are kept about a provisional centre, and only for the groups that a cluster has observations of. Results
/// do not depend on the centre but for rounding, which is negligible where the centre is near the values: 1/2 for
/// scores.
#[derive(Clone, Debug)]
pub struct ClusteredSums {
    centre: f64,
    clusters: u64,
    /// For each group, the clusters that have observations of it.
    occurrences: Vec<u64>,
    totals: Vec<WeightedSum>,
    /// Over clusters: centred sum of the row's group by centred sum of the column's. Only the upper triangle.
    sums: DMatrix<f64>,
    /// Centred sum of the row's group by weight of the column's.
    mixed: DMatrix<f64>,
    /// Weight by weight. Only the upper triangle.
    weights: DMatrix<f64>,
    /// The groups in the cluster that is being added, kept to spare an allocation.
    present: Vec<usize>,
}

impl ClusteredSums {
    /// For so many groups with values near `centre`.
    pub fn new(groups: usize, centre: f64) -> Self {
        let square = || DMatrix::zeros(groups, groups);
        Self {
            centre,
            clusters: 0,
            occurrences: vec![0; groups],
            totals: vec![WeightedSum::default(); groups],
            sums: square(),
            mixed: square(),
            weights: square(),
            present: Vec::with_capacity(groups),
        }
    }

    /// Adds one cluster: for each group, what it observed of it. A cluster without any observation counts for nothing.
    ///
    /// # Errors
    /// If the cells are not as many as the groups, or a number is not finite or a weight negative; then nothing was
    /// added.
    pub fn add(&mut self, cluster: &[WeightedSum]) -> Result<()> {
        Error::check_equal("groups of a cluster", self.totals.len(), cluster.len())?;
        cluster.iter().try_for_each(|cell| cell.check())?;
        let Self { present, sums, mixed, weights, .. } = self;
        present.clear();
        present.extend((0..cluster.len()).filter(|&group| cluster[group].weight > 0.0));
        self.clusters += u64::from(!present.is_empty());
        let centred = |group: usize| cluster[group].sum - self.centre * cluster[group].weight;
        for (position, &row) in present.iter().enumerate() {
            self.occurrences[row] += 1;
            self.totals[row].sum += centred(row);
            self.totals[row].weight += cluster[row].weight;
            for &column in &present[position..] {
                sums[(row, column)] += centred(row) * centred(column);
                weights[(row, column)] += cluster[row].weight * cluster[column].weight;
            }
            for &column in &*present {
                mixed[(row, column)] += centred(row) * cluster[column].weight;
            }
        }
        Ok(())
    }

    /// Adds other clusters of the same groups about the same centre. Figures that are to be the same for any number of
    /// threads are merged in a fixed order.
    ///
    /// # Panics
    /// If the groups or the centres differ.
    pub fn merge(&mut self, other: &Self) {
        assert_eq!(self.centre, other.centre, "sums about different centres cannot be merged");
        assert_eq!(self.totals.len(), other.totals.len(), "different groups cannot be merged");
        self.clusters += other.clusters;
        self.occurrences.iter_mut().zip(&other.occurrences).for_each(|(own, more)| *own += more);
        for (own, more) in self.totals.iter_mut().zip(&other.totals) {
            own.sum += more.sum;
            own.weight += more.weight;
        }
        self.sums += &other.sums;
        self.mixed += &other.mixed;
        self.weights += &other.weights;
    }

    /// The means of what was added so far.
    pub fn finish(&self) -> ClusteredMeans {
        let groups = self.totals.len();
        // The overall mean is one more group, to which every observation belongs.
        let member = DMatrix::from_fn(groups, groups + 1, |row, column| {
            f64::from(u8::from(row == column || column == groups))
        });
        let spread = |matrix: &DMatrix<f64>| member.transpose() * matrix * &member;
        let sums = spread(&symmetric(&self.sums));
        let mixed = spread(&self.mixed);
        let weights = spread(&symmetric(&self.weights));
        let over_groups = |value: &dyn Fn(&WeightedSum) -> f64| {
            let values = DVector::from_iterator(groups, self.totals.iter().map(value));
            member.tr_mul(&values)
        };
        let (total, weight) = (over_groups(&|cell| cell.sum), over_groups(&|cell| cell.weight));
        let offsets = total.component_div(&weight);

        let correction = self.clusters as f64 / (self.clusters as f64 - 1.0);
        let about = |offsets: &DVector<f64>, row, column| {
            let (one, other) = (offsets[row], offsets[column]);
            let terms = [
                sums[(row, column)],
                -one * mixed[(column, row)],
                -other * mixed[(row, column)],
                one * other * weights[(row, column)],
            ];
            let product: f64 = terms.iter().sum();
            let size: f64 = terms.iter().map(|term| term.abs()).sum();
            let product = if product.abs() < ROUNDING * size { 0.0 } else { product };
            correction * product / (weight[row] * weight[column])
        };
        let size = groups + 1;
        let covariance = DMatrix::from_fn(size, size, |row, column| about(&offsets, row, column));
        let one_for_all = DVector::repeat(size, offsets[groups]);
        let null_covariance =
            DMatrix::from_fn(size, size, |row, column| about(&one_for_all, row, column));
        let mut occurrences = self.occurrences.clone();
        occurrences.push(self.clusters);
        let means = offsets.add_scalar(self.centre);
        ClusteredMeans { means, weights: weight, occurrences, covariance, null_covariance }
    }
}

fn symmetric(upper: &DMatrix<f64>) -> DMatrix<f64> {
    let mut full = upper.clone();
    full.fill_lower_triangle_with_upper_triangle();
    full
}

/// ClusteredMeans of groups with the covariance of their errors.
///
/// The mean of group k is the ratio `S_k / N_k` of the sums of values and of weights over G clusters. Linearised, its
/// error is the sum of the residuals `r_gk = s_gk - mean_k n_gk` over `N_k`, whence the covariance
/// `G / (G - 1) * sum_g r_gj r_gk / (N_j N_k)`: Cochran, "Sampling Techniques" (1977), section 6.3; the same as the
/// cluster-robust covariance of a regression on indicators of the groups, up to its finite-sample factor. It holds
/// whatever the dependence within a cluster. The mean of all observations stands after the groups, see
/// [`ClusteredMeans::overall`]. Intervals rest on normal approximations and are rough below some thirty clusters of a group.
#[derive(Clone, Debug)]
pub struct ClusteredMeans {
    means: DVector<f64>,
    weights: DVector<f64>,
    occurrences: Vec<u64>,
    covariance: DMatrix<f64>,
    /// The covariance if all groups had the mean of all observations.
    null_covariance: DMatrix<f64>,
}

impl ClusteredMeans {
    /// The number by which the mean of all observations goes among the groups.
    pub fn overall(&self) -> usize {
        self.means.len() - 1
    }

    /// The number of clusters that have observations of the group.
    pub fn clusters(&self, group: usize) -> u64 {
        self.occurrences[group]
    }

    /// The weight of the group's observations: their number where each weighs 1.
    pub fn weight(&self, group: usize) -> f64 {
        self.weights[group]
    }

    /// The mean of a group; None without observations.
    ///
    /// Its error is infinite where a single cluster has observations of the group.
    pub fn mean(&self, group: usize) -> Option<Measurement> {
        self.contrast(&[(group, 1.0)])
    }

    /// The mean of a group of values between 0 and 1 with [Wilson's interval](Estimate::of_mean), for which clusters
    /// without spread are so many trials; None without observations.
    pub fn score(&self, group: usize) -> Option<Estimate> {
        let Measurement { value, error } = self.mean(group)?;
        // Rounding must not carry the mean out of the range of its values.
        let value = value.clamp(0.0, 1.0);
        Some(Estimate::of_mean(value, error * error, self.occurrences[group] as f64))
    }

    /// The covariance of the errors of two means; NaN where one has no observations or there is one cluster.
    pub fn covariance(&self, one: usize, other: usize) -> f64 {
        self.covariance[(one, other)]
    }

    /// How far a group lies above the mean of all, with the error of this if the group is like all others (a score
    /// test's: residuals are taken from the mean of all observations); None without observations.
    ///
    /// This, and not [`ClusteredMeans::contrast`], is what a group is tested with: a few observations that happen to agree show
    /// no spread of their own, and their contrast an error next to nothing. No group lies further off than the square
    /// root of its clusters, in errors, give or take that of the mean of all.
    pub fn score_test(&self, group: usize) -> Option<Measurement> {
        let all = self.overall();
        if self.occurrences[group] == 0 {
            return None;
        }
        let value = self.means[group] - self.means[all];
        if self.occurrences[all] < 2 {
            return Some(Measurement { value, error: f64::INFINITY });
        }
        let at = |row, column| self.null_covariance[(row, column)];
        let variance = at(group, group) - 2.0 * at(group, all) + at(all, all);
        Some(Measurement { value, error: variance.max(0.0).sqrt() })
    }

    /// The mean of a group with the error that it has if the group is like all others, as in [`ClusteredMeans::score_test`]; None
    /// without observations.
    pub fn mean_under_null(&self, group: usize) -> Option<Measurement> {
        if self.occurrences[group] == 0 {
            return None;
        }
        let error = match self.occurrences[self.overall()] {
            ..2 => f64::INFINITY,
            _ => self.null_covariance[(group, group)].max(0.0).sqrt(),
        };
        Some(Measurement { value: self.means[group], error })
    }

    /// How far the mean of a group of values between 0 and 1 lies above that of all, with an interval made of Wilson's
    /// for the two and of their correlation (MOVER: Newcombe, "Interval estimation for the difference between
    /// independent proportions", 1998, method 10; Zou and Donner, "Construction of confidence limits about effect
    /// measures", 2008); None without observations.
    ///
    /// Unlike the normal interval of [`ClusteredMeans::contrast`] it is not empty where a group's observations agree.
    pub fn effect(&self, group: usize) -> Option<Estimate> {
        let all = self.overall();
        let (own, whole) = (self.score(group)?, self.score(all)?);
        let covariance = self.covariance[(group, all)];
        let errors = (self.covariance[(group, group)] * self.covariance[(all, all)]).sqrt();
        let correlation = if errors > 0.0 { (covariance / errors).clamp(-1.0, 1.0) } else { 0.0 };
        let reach = |own: f64, whole: f64| {
            (own * own + whole * whole - 2.0 * correlation * own * whole).max(0.0).sqrt()
        };
        let value = own.value - whole.value;
        let low = value - reach(own.value - own.low, whole.high - whole.value);
        let high = value + reach(own.high - own.value, whole.value - whole.low);
        Some(Estimate { value, low, high })
    }

    /// A linear combination of means, from the groups' numbers and factors; None where a group has no observations.
    ///
    /// `[(k, 1.0), (means.overall(), -1.0)]` is how far group k lies above the mean of all; its error allows for the
    /// group's part in that mean and for the group's share being an estimate as well.
    pub fn contrast(&self, factors: &[(usize, f64)]) -> Option<Measurement> {
        if factors.iter().any(|&(group, _)| self.occurrences[group] == 0) {
            return None;
        }
        let value = factors.iter().map(|&(group, factor)| factor * self.means[group]).sum();
        // One cluster's residual is 0 and tells nothing of its error.
        if factors.iter().any(|&(group, _)| self.occurrences[group] < 2) {
            return Some(Measurement { value, error: f64::INFINITY });
        }
        let variance: f64 = factors
            .iter()
            .flat_map(|&(row, one)| {
                factors
                    .iter()
                    .map(move |&(column, other)| one * other * self.covariance[(row, column)])
            })
            .sum();
        Some(Measurement { value, error: variance.max(0.0).sqrt() })
    }
}
