//! Means of groups of clustered observations, such as games that share a deal.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};
use statrs::distribution::{Discrete, Hypergeometric};

use super::estimate::{Estimate, MeanScore, Measurement, added};
use super::matrix::Matrix;
use crate::error::{Error, Result};

/// Cross products below this fraction of the terms that cancel in them are rounding errors.
const ROUNDING: f64 = 1e-13;

/// A weighted sum of observations, for example those of one group in one cluster.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct WeightedSum {
    /// The sum of weight times value.
    pub sum: f64,
    /// The sum of the weights: the number of observations if each has weight 1.
    pub weight: f64,
}

impl AddAssign for WeightedSum {
    fn add_assign(&mut self, more: Self) {
        self.sum += more.sum;
        self.weight += more.weight;
    }
}

impl WeightedSum {
    /// Adds one observation.
    pub fn add(&mut self, value: f64, weight: f64) {
        self.sum += value * weight;
        self.weight += weight;
    }

    /// Whether the mean is below the even value, and whether it is above, by more than rounding.
    pub(super) fn sides(self, even: f64) -> [bool; 2] {
        let (above, rounding) = (self.sum - even * self.weight, 1e-9 * self.weight);
        [above < -rounding, above > rounding]
    }

    /// Whether the mean is another than the even value.
    pub(super) fn is_uneven(self, even: f64) -> bool {
        self.sides(even).contains(&true)
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

/// Accumulates clusters of observations of several groups. Memory grows with the square of the
/// number of groups only.
///
/// Sums are kept relative to a centre, which avoids cancellation if it is near the values. Of scores it is
/// the even one, 1/2 for two seats: a cluster with that mean is level.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ClusteredSums {
    centre: f64,
    clusters: u64,
    /// The number of clusters with observations of each group.
    occurrences: Vec<u64>,
    /// The number of those below and above the centre, of each group and of all groups together.
    sides: Vec<[u64; 2]>,
    totals: Vec<WeightedSum>,
    /// Over clusters: centred sum of the row's group times that of the column's. Only the upper
    /// triangle.
    sums: Matrix,
    /// Centred sum of the row's group times weight of the column's.
    mixed: Matrix,
    /// Weight times weight. Only the upper triangle.
    weights: Matrix,
    /// The sum over clusters of each group's cubed weight, and of that of all groups together.
    cubes: Vec<f64>,
    /// The groups in the current cluster; kept to avoid an allocation.
    #[serde(skip)]
    present: Vec<usize>,
}

impl ClusteredSums {
    /// Sums for `groups` groups with values near `centre`.
    pub fn new(groups: usize, centre: f64) -> Self {
        let square = || Matrix::zeros(groups);
        Self {
            centre,
            clusters: 0,
            occurrences: vec![0; groups],
            sides: vec![[0; 2]; groups + 1],
            totals: vec![WeightedSum::default(); groups],
            sums: square(),
            mixed: square(),
            weights: square(),
            cubes: vec![0.0; groups + 1],
            present: Vec::with_capacity(groups),
        }
    }

    /// Adds one cluster: a sum per group. A cluster without observations is ignored.
    ///
    /// # Errors
    /// If the number of sums is not that of the groups, or a number is not finite, or a
    /// weight is negative. Nothing is added then.
    pub fn add(&mut self, cluster: &[WeightedSum]) -> Result<()> {
        Error::check_equal("groups of a cluster", self.totals.len(), cluster.len())?;
        cluster.iter().try_for_each(|cell| cell.check())?;
        let Self { present, sides, sums, mixed, weights, cubes, .. } = self;
        present.clear();
        present.extend((0..cluster.len()).filter(|&group| cluster[group].weight > 0.0));
        self.clusters += u64::from(!present.is_empty());
        let centred = |group: usize| cluster[group].sum - self.centre * cluster[group].weight;
        let mut whole = WeightedSum::default();
        cluster.iter().for_each(|&cell| whole += cell);
        cubes[cluster.len()] += whole.weight.powi(3);
        let mut count = |group: usize, cell: WeightedSum| {
            let [below, above] = cell.sides(self.centre).map(u64::from);
            sides[group][0] += below;
            sides[group][1] += above;
        };
        count(cluster.len(), whole);
        for (position, &row) in present.iter().enumerate() {
            cubes[row] += cluster[row].weight.powi(3);
            self.occurrences[row] += 1;
            count(row, cluster[row]);
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

    /// Adds other clusters of the same groups about the same centre. Merging in a fixed order gives
    /// the same figures for any number of threads.
    ///
    /// # Panics
    /// If the groups or the centres differ.
    pub fn merge(&mut self, other: &Self) {
        assert_eq!(self.centre, other.centre, "sums about different centres cannot be merged");
        assert_eq!(self.totals.len(), other.totals.len(), "different groups cannot be merged");
        self.clusters += other.clusters;
        let sides = self.sides.iter_mut().flatten().zip(other.sides.iter().flatten());
        let counts = self.occurrences.iter_mut().zip(&other.occurrences).chain(sides);
        counts.for_each(|(own, more)| *own += more);
        for (own, more) in self.totals.iter_mut().zip(&other.totals) {
            *own += *more;
        }
        self.sums += &other.sums;
        self.mixed += &other.mixed;
        self.weights += &other.weights;
        self.cubes.iter_mut().zip(&other.cubes).for_each(|(own, more)| *own += more);
    }

    /// The means so far.
    pub fn finish(&self) -> ClusteredMeans {
        let groups = self.totals.len();
        // The overall mean is an additional group to which every observation belongs.
        let size = groups + 1;
        let members = |group: usize| if group < groups { group..group + 1 } else { 0..groups };
        let spread = |at: &dyn Fn(usize, usize) -> f64| {
            let over_members = |row, column| {
                members(row).flat_map(|one| members(column).map(move |other| at(one, other))).sum()
            };
            Matrix::from_fn(size, over_members)
        };
        let sums = spread(&|row, column| self.sums[(row.min(column), row.max(column))]);
        let mixed = spread(&|row, column| self.mixed[(row, column)]);
        let weights = spread(&|row, column| self.weights[(row.min(column), row.max(column))]);
        let over_groups = |value: &dyn Fn(&WeightedSum) -> f64| -> Vec<f64> {
            (0..size).map(|group| self.totals[members(group)].iter().map(value).sum()).collect()
        };
        let (total, weight) = (over_groups(&|cell| cell.sum), over_groups(&|cell| cell.weight));
        let offsets: Vec<f64> =
            total.iter().zip(&weight).map(|(sum, weight)| sum / weight).collect();

        let correction = self.clusters as f64 / (self.clusters as f64 - 1.0);
        let about = |offsets: &[f64], row, column| {
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
        let covariance = Matrix::from_fn(size, |row, column| about(&offsets, row, column));
        let one_for_all = vec![offsets[groups]; size];
        let null_covariance = Matrix::from_fn(size, |row, column| about(&one_for_all, row, column));
        let mut occurrences = self.occurrences.clone();
        occurrences.push(self.clusters);
        let means = offsets.iter().map(|offset| offset + self.centre).collect();
        let squares = (0..size).map(|group| weights[(group, group)]).collect();
        let (cubes, sides) = (self.cubes.clone(), self.sides.clone());
        ClusteredMeans {
            centre: self.centre,
            means,
            weights: weight,
            squares,
            cubes,
            occurrences,
            sides,
            covariance,
            null_covariance,
        }
    }
}

/// Means of groups with the covariance of their errors.
///
/// The mean of group k is the ratio `S_k / N_k` of the sums of values and of weights over G
/// clusters. By linearisation, its error is the sum of the residuals `r_gk = s_gk - mean_k n_gk`
/// over `N_k`, and the covariance is `G / (G - 1) * sum_g r_gj r_gk / (N_j N_k)`: Cochran,
/// "Sampling Techniques" (1977), section 6.3. It equals the cluster-robust (sandwich) covariance of
/// a regression on indicators of the groups, except for the finite-sample factor. It is valid for
/// any dependence within a cluster. The mean of all observations follows after the groups, see
/// [`ClusteredMeans::overall`]. Intervals use normal approximations and are rough below about
/// thirty clusters in a group.
#[derive(Clone, Debug)]
pub struct ClusteredMeans {
    centre: f64,
    means: Vec<f64>,
    weights: Vec<f64>,
    /// The sums over clusters of squared and of cubed weights.
    squares: Vec<f64>,
    cubes: Vec<f64>,
    occurrences: Vec<u64>,
    sides: Vec<[u64; 2]>,
    covariance: Matrix,
    /// The covariance under the null hypothesis that all groups have the overall mean.
    null_covariance: Matrix,
}

impl ClusteredMeans {
    /// The index of the overall mean.
    pub fn overall(&self) -> usize {
        self.means.len() - 1
    }

    /// The number of clusters with observations of the group.
    pub fn clusters(&self, group: usize) -> u64 {
        self.occurrences[group]
    }

    /// The total weight of the group's observations: their number if each has weight 1.
    pub fn weight(&self, group: usize) -> f64 {
        self.weights[group]
    }

    /// The mean of a group; None without observations. Its error is infinite if only one cluster
    /// has observations of the group, or its observations do not vary: they do not determine it then.
    pub fn mean(&self, group: usize) -> Option<Measurement> {
        let Measurement { value, error } = self.contrast(&[(group, 1.0)])?;
        let error = if error > 0.0 { error } else { f64::INFINITY };
        Some(Measurement { value, error })
    }

    /// The mean of a group of values between 0 and 1 with [Wilson's interval](MeanScore::estimate).
    /// None without observations. The centre must be above 0 and below 1.
    pub fn score(&self, group: usize) -> Option<Estimate> {
        // Rounding must not move the mean out of its range.
        let mean = self.mean(group)?.value.clamp(0.0, 1.0);
        let (variance, clusters) = (self.own_variance(group), self.effective(group));
        let observations = self.weights[group].max(clusters);
        let (uneven, even) = (self.sides[group].iter().sum::<u64>() as f64, self.centre);
        Some(MeanScore { mean, variance, clusters, uneven, observations, even }.estimate())
    }

    /// The effective number of clusters with observations of the group: of equal ones, their number (Kish,
    /// "Survey Sampling", 1965; Carter, Schnepel and Steigerwald, "Asymptotic behavior of a t-test robust to
    /// cluster heterogeneity", 2017).
    pub(crate) fn effective(&self, group: usize) -> f64 {
        self.weights[group] * self.weights[group] / self.squares[group]
    }

    /// The variance of a group's mean from its own clusters.
    ///
    /// The residual of a large cluster is small, because the cluster makes the mean. The factor in place of
    /// `G / (G - 1)` is the greater of the two without bias for independent observations and for clusters
    /// that are all alike. Equal clusters have `G / (G - 1)` in both cases.
    pub(crate) fn own_variance(&self, group: usize) -> f64 {
        let clusters = self.occurrences[self.overall()] as f64;
        let weight = self.weights[group];
        let [squares, cubes] =
            [self.squares[group] / weight.powi(2), self.cubes[group] / weight.powi(3)];
        let alike = 1.0 - 2.0 * cubes / squares + squares;
        let factor = f64::max(1.0 / (1.0 - squares), 1.0 / alike.max(f64::MIN_POSITIVE));
        self.covariance[(group, group)] * (clusters - 1.0) / clusters * factor
    }

    /// The mean of a group of values from 0 up, with Student's interval by the number of its clusters. None
    /// without observations.
    pub fn amount(&self, group: usize) -> Option<Estimate> {
        let mean = self.mean(group)?;
        if mean.error.is_infinite() {
            return Some(mean.estimate());
        }
        let error = self.own_variance(group).sqrt();
        let degrees = (self.effective(group) - 1.0).max(1.0);
        let (found, _) = Measurement { error, ..mean }.student(degrees);
        Some(Estimate { low: found.low.max(0.0), ..found })
    }

    /// The covariance of the errors of two means; NaN if one has no observations or there is only
    /// one cluster.
    pub fn covariance(&self, one: usize, other: usize) -> f64 {
        self.covariance[(one, other)]
    }

    /// The difference of a group from the overall mean, with its standard error under the null
    /// hypothesis that the group has the overall mean (a score test: residuals are taken from the
    /// overall mean); None without observations.
    ///
    /// Groups are tested with this and not with [`ClusteredMeans::contrast`]: a few observations
    /// that agree by chance have no variance of their own. The variance of an observation is that of
    /// all groups together.
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
        let pooled = self.pooled_null_variance(group);
        // What the overall mean has in common with the group: the group itself, and what other groups
        // share with it in the same clusters.
        let share = self.weights[group] / self.weights[all];
        let common = at(group, all) - share * at(group, group) + share * pooled;
        let variance = (pooled - 2.0 * common + at(all, all)) * self.caution();
        Some(Measurement { value, error: variance.max(0.0).sqrt() })
    }

    /// The p-value of the hypothesis that a group has the overall mean; None without observations.
    ///
    /// It is that of the [score test](ClusteredMeans::score_test). Where a group has few clusters that are
    /// not level, its mean is far from normal, and the greater one counts of it and the exact test.
    pub fn p_value(&self, group: usize) -> Option<f64> {
        Some(self.score_test(group)?.p_value().max(self.permutation_test(group)))
    }

    /// The p-value of the permutation test of the number of a group's clusters above the centre less that
    /// of those below: the clusters of all groups are dealt to the groups at random. 0 where many are not
    /// level.
    fn permutation_test(&self, group: usize) -> f64 {
        /// With more clusters that are not level, expected in the group, the score test is exact enough.
        const MANY: f64 = 50.0;
        /// Less likely numbers do not count.
        const UNLIKELY: f64 = 1e-12;
        let (all, [below, above]) = self.cells();
        let own = self.occurrences[group];
        let share = own as f64 / all as f64;
        if (below + above) as f64 * share > MANY {
            return 0.0;
        }
        let mean = (above as f64 - below as f64) * share;
        let distance = |above: u64, below: u64| (above as f64 - below as f64 - mean).abs();
        let found = distance(self.sides[group][1], self.sides[group][0]) * (1.0 - 1e-9);
        // The numbers, ascending and with their odds, of marked clusters among some that are drawn.
        let drawn = |all: u64, marked: u64, draws: u64| {
            let law = Hypergeometric::new(all, marked, draws).expect("parts of a whole");
            let expected = draws as f64 * marked as f64 / all.max(1) as f64;
            let numbers = (draws + marked).saturating_sub(all)..=marked.min(draws);
            let odds = numbers.map(move |number| (number, law.pmf(number)));
            odds.take_while(move |&(number, odds)| (number as f64) < expected || odds > UNLIKELY)
        };
        let mut p_value = 0.0;
        for (high, odds) in drawn(all, above, own) {
            let low = drawn(all - above, below, own - high);
            let low = low.filter(|&(low, _)| distance(high, low) >= found);
            p_value += odds * low.map(|(_, odds)| odds).sum::<f64>();
        }
        p_value.min(1.0)
    }

    /// The number of clusters of all groups, and of those below and above the centre. A cluster counts for
    /// each of its groups.
    fn cells(&self) -> (u64, [u64; 2]) {
        let groups = || 0..self.overall();
        let sides = [0, 1].map(|side| groups().map(|group| self.sides[group][side]).sum());
        (groups().map(|group| self.occurrences[group]).sum(), sides)
    }

    /// What variances under the null hypothesis are multiplied by where few clusters are not level: as in
    /// [`MeanScore`], some are added.
    fn caution(&self) -> f64 {
        let (cells, [below, above]) = self.cells();
        let (cells, uneven) = (cells as f64, (below + above) as f64);
        let added = added(uneven);
        if uneven == 0.0 { 1.0 } else { (1.0 + added / uneven) / (1.0 + added / cells) }
    }

    /// The variance of a group's mean under the null hypothesis, with the variance of an observation of all
    /// groups together.
    fn pooled_null_variance(&self, group: usize) -> f64 {
        let sum = |group: usize| self.null_covariance[(group, group)] * self.weights[group].powi(2);
        let groups = (0..self.overall()).filter(|&group| self.occurrences[group] > 0);
        let (squares, of_weights) = groups.fold((0.0, 0.0), |(squares, of_weights), group| {
            (squares + sum(group), of_weights + self.squares[group])
        });
        squares / of_weights * self.squares[group] / self.weights[group].powi(2)
    }

    /// The mean of a group with its standard error under the null hypothesis of
    /// [`ClusteredMeans::score_test`]; None without observations.
    pub fn mean_under_null(&self, group: usize) -> Option<Measurement> {
        if self.occurrences[group] == 0 {
            return None;
        }
        let error = match self.occurrences[self.overall()] {
            ..2 => f64::INFINITY,
            _ => (self.pooled_null_variance(group) * self.caution()).max(0.0).sqrt(),
        };
        Some(Measurement { value: self.means[group], error })
    }

    /// The difference of a group's mean from the overall mean, for values between 0 and 1. The
    /// interval combines Wilson's intervals of the two and their correlation (MOVER: Newcombe,
    /// "Interval estimation for the difference between independent proportions", 1998, method 10;
    /// Zou and Donner, "Construction of confidence limits about effect measures", 2008). None
    /// without observations.
    ///
    /// Unlike the normal interval of [`ClusteredMeans::contrast`] it is not empty where a group's
    /// observations agree.
    pub fn effect(&self, group: usize) -> Option<Estimate> {
        let all = self.overall();
        let (own, whole) = (self.score(group)?, self.score(all)?);
        let covariance = self.covariance[(group, all)];
        let errors = (self.covariance[(group, group)] * self.covariance[(all, all)]).sqrt();
        // If the group has nearly all that varies, it is estimated near 1, and the interval would be empty.
        // With equal variances it is at most the root of the group's share.
        let most = (self.weights[group] / self.weights[all]).sqrt();
        let correlation = if errors > 0.0 { (covariance / errors).clamp(-1.0, most) } else { 0.0 };
        let reach = |own: f64, whole: f64| {
            (own * own + whole * whole - 2.0 * correlation * own * whole).max(0.0).sqrt()
        };
        let value = own.value - whole.value;
        let low = value - reach(own.value - own.low, whole.high - whole.value);
        let high = value + reach(own.high - own.value, whole.value - whole.low);
        Some(Estimate { value, low, high })
    }

    /// A linear combination of means, given by indices and factors; None if a group has no
    /// observations.
    ///
    /// `[(k, 1.0), (means.overall(), -1.0)]` is the difference of group k from the overall mean.
    /// Its error accounts for the group being part of the overall mean, and for its share being
    /// estimated.
    pub fn contrast(&self, factors: &[(usize, f64)]) -> Option<Measurement> {
        if factors.iter().any(|&(group, _)| self.occurrences[group] == 0) {
            return None;
        }
        let value = factors.iter().map(|&(group, factor)| factor * self.means[group]).sum();
        // The residual of a single cluster is 0, which says nothing about the error.
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
