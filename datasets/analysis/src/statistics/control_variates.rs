//! Means adjusted by covariates whose expectation is known to be 0.

use serde::{Deserialize, Serialize};

use super::clustered_means::WeightedSum;
use super::estimate::{Estimate, MeanScore, Measurement};
use super::independent_columns::independent;
use super::matrix::{Matrix, dot};
use crate::error::{Error, Result};

/// Squares below this fraction of those that they are the rest of are rounding errors.
const ROUNDING: f64 = 1e-13;

/// The number of folds; the coefficients for one fold are fitted on the others.
const FOLDS: usize = 5;

/// Accumulates clusters of observations with covariates whose expectation is known to be 0, such as
/// the luck of a deal.
///
/// The adjusted values are `a_i = y_i - b' z_i`. Their mean estimates the same quantity as that of
/// `y` for any `b` that does not depend on the observation (control variates: Owen, "Monte Carlo
/// theory, methods and examples", section 8.9). Clusters are assigned to 5 folds by a hash of their
/// number, and `b` for one fold is fitted on the others (cross-fitting: Chernozhukov et al.,
/// "Double/debiased machine learning", 2018). With clusters of equal size the estimate is therefore
/// unbiased; with different sizes it has the small bias of any ratio estimate.
///
/// The coefficients are shrunk together (James and Stein, "Estimation with quadratic loss", 1961), so
/// that many covariates that explain nothing cost next to nothing. The last ones may be *strong*: these
/// are expected to explain much, and are fitted as if they were alone before the others are added.
///
/// Memory grows with the square of the number of covariates only, and one pass is enough, because
/// every sum needed is over products of two of a cluster's totals.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ControlVariates {
    centre: f64,
    /// The number of strong covariates, the last ones.
    strong: usize,
    folds: [Fold; FOLDS],
}

/// The sums over the clusters of a fold.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Fold {
    clusters: u64,
    /// The number of clusters that are not level.
    uneven: u64,
    /// The sum over clusters of each total: weight, centred sum of the values, sum of each
    /// covariate.
    totals: Vec<f64>,
    /// The sum over clusters of the products of two totals.
    products: Matrix,
}

/// A mean without and with adjustment by covariates.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Adjusted {
    /// The unadjusted mean.
    pub raw: Measurement,
    /// The adjusted mean.
    pub adjusted: Measurement,
    /// The adjusted mean as one of values between 0 and 1, with Wilson's interval.
    pub score: Estimate,
    /// The relative reduction of the variance, `1 - var_adjusted / var_raw`; 0 if the unadjusted
    /// mean has no variance. It is negative if fitting the coefficients costs more than the
    /// covariates explain.
    pub reduction: f64,
    /// The number of clusters.
    pub clusters: u64,
    /// The number of covariates that vary and are no linear combination of others.
    pub covariates: usize,
    /// The coefficients of the covariates, averaged over folds; 0 for all others.
    pub coefficients: Vec<f64>,
}

impl ControlVariates {
    /// Sums for this number of covariates, with values near `centre`: of scores the even one, as in
    /// [`ClusteredSums`](super::ClusteredSums).
    pub fn new(covariates: usize, centre: f64) -> Self {
        Self::with_strong(covariates, 0, centre)
    }

    /// As [`ControlVariates::new`], for some covariates and after them some strong ones.
    pub fn with_strong(covariates: usize, strong: usize, centre: f64) -> Self {
        let fold = Fold::new(covariates + strong);
        Self { centre, strong, folds: std::array::from_fn(|_| fold.clone()) }
    }

    /// Adds one cluster: its number, from which its fold follows, its values, and the sum of each
    /// covariate over its observations. A cluster without weight is ignored.
    ///
    /// # Errors
    /// If the number of covariates is wrong, a number is not finite, or the weight is
    /// negative. Nothing is added then.
    pub fn add(&mut self, cluster: u64, values: WeightedSum, covariates: &[f64]) -> Result<()> {
        let size = self.folds[0].totals.len();
        Error::check_equal("covariates", size - 2, covariates.len())?;
        values.check()?;
        covariates.iter().try_for_each(|&sum| Error::check_finite("a covariate", sum))?;
        if values.weight == 0.0 {
            return Ok(());
        }
        self.folds[fold_of(cluster)].add(self.centre, values, covariates);
        Ok(())
    }

    /// Adds other clusters with the same covariates about the same centre.
    ///
    /// # Panics
    /// If the covariates or the centres differ.
    pub fn merge(&mut self, other: &Self) {
        assert_eq!(self.strong, other.strong, "sums of other covariates cannot be merged");
        assert_eq!(self.centre, other.centre, "sums about different centres cannot be merged");
        self.folds.iter_mut().zip(&other.folds).for_each(|(own, more)| own.merge(more));
    }

    /// The means so far; None without observations. Errors are infinite below two clusters, and where
    /// nothing varies.
    pub fn finish(&self) -> Option<Adjusted> {
        let all = Fold::sum(self.folds.iter())?;
        let [raw, adjusted] = [false, true].map(|adjust| {
            let coefficients: Vec<Vec<f64>> = (0..FOLDS)
                .map(|fold| {
                    let others = (0..FOLDS).filter(|&other| other != fold);
                    Fold::sum(others.map(|other| &self.folds[other]))
                        .filter(|_| adjust)
                        .and_then(|others| others.fit(self.strong))
                        .unwrap_or_else(|| vec![0.0; all.totals.len() - 2])
                })
                .collect();
            (self.mean(&all, &coefficients), coefficients)
        });
        let (raw, (adjusted, coefficients)) = (raw.0, adjusted);
        let reduction = 1.0 - (adjusted.error / raw.error).powi(2);
        let coefficient =
            |at: usize| coefficients.iter().map(|of_fold| of_fold[at]).sum::<f64>() / FOLDS as f64;
        let clusters = all.effective();
        let mean = MeanScore {
            mean: adjusted.value.clamp(0.0, 1.0),
            variance: adjusted.error * adjusted.error,
            clusters,
            uneven: all.uneven as f64,
            observations: all.totals[0].max(clusters),
            even: self.centre,
        };
        Some(Adjusted {
            raw,
            adjusted,
            score: mean.estimate(),
            reduction: if reduction.is_finite() { reduction } else { 0.0 },
            clusters: all.clusters,
            covariates: all.kept().len(),
            coefficients: (0..coefficients[0].len()).map(coefficient).collect(),
        })
    }

    /// The mean adjusted with these coefficients per fold, with its cluster-robust error as in
    /// [`ClusteredMeans`](super::ClusteredMeans).
    fn mean(&self, all: &Fold, coefficients: &[Vec<f64>]) -> Measurement {
        let weight = all.totals[0];
        // The factors that turn a cluster's totals into its adjusted and centred sum.
        let factors = |fold: usize, offset: f64| -> Vec<f64> {
            let subtracted = coefficients[fold].iter().map(|coefficient| -coefficient);
            [-offset, 1.0].into_iter().chain(subtracted).collect()
        };
        let over_folds = |value: &dyn Fn(usize, &Fold) -> f64| -> f64 {
            self.folds.iter().enumerate().map(|(number, fold)| value(number, fold)).sum()
        };
        let offset = over_folds(&|number, fold| dot(&fold.totals, &factors(number, 0.0))) / weight;
        let squares = over_folds(&|number, fold| {
            let factors = factors(number, offset);
            fold.products.form(&factors, &factors)
        });
        let clusters = all.effective();
        let variance = clusters / (clusters - 1.0) * squares.max(0.0) / (weight * weight);
        // Squares about the centre, of which the others are what is left.
        let size = all.products[(1, 1)] + offset * offset * all.products[(0, 0)];
        let is_known = all.clusters >= 2 && squares > ROUNDING * size;
        let error = if is_known { variance.sqrt() } else { f64::INFINITY };
        Measurement { value: self.centre + offset, error }
    }
}

impl Fold {
    pub(super) fn new(covariates: usize) -> Self {
        let size = covariates + 2;
        Self { clusters: 0, uneven: 0, totals: vec![0.0; size], products: Matrix::zeros(size) }
    }

    /// The effective number of clusters, as in [`ClusteredMeans`](super::ClusteredMeans).
    fn effective(&self) -> f64 {
        self.totals[0] * self.totals[0] / self.products[(0, 0)]
    }

    pub(super) const fn clusters(&self) -> u64 {
        self.clusters
    }

    /// Adds a cluster, with its values about `centre`.
    pub(super) fn add(&mut self, centre: f64, values: WeightedSum, covariates: &[f64]) {
        let value = values.sum - centre * values.weight;
        let totals: Vec<f64> = [values.weight, value].iter().chain(covariates).copied().collect();
        self.clusters += 1;
        self.uneven += u64::from(values.is_uneven(centre));
        self.totals.iter_mut().zip(&totals).for_each(|(own, more)| *own += more);
        self.products.add_outer(&totals);
    }

    fn merge(&mut self, other: &Self) {
        self.clusters += other.clusters;
        self.uneven += other.uneven;
        self.totals.iter_mut().zip(&other.totals).for_each(|(own, more)| *own += more);
        self.products += &other.products;
    }

    /// None without clusters.
    fn sum<'a>(mut folds: impl Iterator<Item = &'a Self>) -> Option<Self> {
        let mut sum = folds.next()?.clone();
        folds.for_each(|fold| sum.merge(fold));
        (sum.clusters > 0).then_some(sum)
    }

    /// The products of some covariates.
    fn squares(&self, of: impl Iterator<Item = usize>) -> Matrix {
        self.products.part(&Vec::from_iter(of.map(|covariate| covariate + 2)))
    }

    /// The covariates that vary and are no linear combination of others.
    pub(super) fn kept(&self) -> Vec<usize> {
        independent(&self.squares(0..self.totals.len() - 2)).kept
    }

    /// The coefficients that minimise the variance of the mean: the least-squares regression, over
    /// clusters, of the mean's residual on the sums of the covariates. It needs no constant because
    /// both have mean 0.
    ///
    /// They are shrunk towards those of the strong covariates alone: what the `p` others change, if
    /// they are more than 2, is multiplied by the positive part of `1 - (p - 2) / (n - p + 2) *
    /// unexplained / explained`, for `n` clusters and the sums of squares that all covariates leave
    /// unexplained and that the others explain beyond the strong ones.
    pub(super) fn fit(&self, strong: usize) -> Option<Vec<f64>> {
        let (covariates, kept) = (self.totals.len() - 2, self.kept());
        let first_strong = covariates - strong;
        let (others, strong): (Vec<usize>, Vec<usize>) =
            kept.iter().partition(|&&at| at < first_strong);
        let all = self.regression(&kept)?;
        let alone = self.regression(&strong)?;
        let offset = self.totals[1] / self.totals[0];
        let at = |row, column| self.products[(row, column)];
        let whole = at(1, 1) - 2.0 * offset * at(0, 1) + offset * offset * at(0, 0);
        let gained = all.explained - alone.explained;
        let share = self.kept_share(others.len(), gained, whole - all.explained);
        let both = alone.coefficients.iter().zip(&all.coefficients);
        Some(both.map(|(alone, all)| alone + share * (all - alone)).collect())
    }

    /// The regression on some covariates, which are linearly independent.
    fn regression(&self, kept: &[usize]) -> Option<Regression> {
        let offset = self.totals[1] / self.totals[0];
        let residual =
            |at: &usize| self.products[(at + 2, 1)] - offset * self.products[(at + 2, 0)];
        let residuals: Vec<f64> = kept.iter().map(residual).collect();
        let solved = self.squares(kept.iter().copied()).cholesky()?.solve(&residuals);
        let mut coefficients = vec![0.0; self.totals.len() - 2];
        kept.iter().zip(&solved).for_each(|(&at, &value)| coefficients[at] = value);
        Some(Regression { coefficients, explained: dot(&solved, &residuals) })
    }

    /// The factor by which coefficients are shrunk.
    fn kept_share(&self, covariates: usize, explained: f64, unexplained: f64) -> f64 {
        if covariates < 3 {
            return 1.0;
        }
        let (clusters, covariates) = (self.clusters as f64, covariates as f64);
        let free = clusters - covariates + 2.0;
        // Rounding may leave less than nothing unexplained.
        let noise = (covariates - 2.0) / free * unexplained.max(0.0) / explained;
        if free > 0.0 && noise.is_finite() { (1.0 - noise).clamp(0.0, 1.0) } else { 0.0 }
    }
}

/// A least-squares regression without a constant.
struct Regression {
    /// One per covariate; 0 for those that were left out.
    coefficients: Vec<f64>,
    /// The sum of squares that they explain.
    explained: f64,
}

/// Fibonacci hashing (Knuth, "The Art of Computer Programming", volume 3, section 6.4):
/// multiplication by the golden ratio in 64 bits distributes numbers with any regular gap evenly
/// over the folds.
fn fold_of(cluster: u64) -> usize {
    let hash = cluster.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((u128::from(hash) * FOLDS as u128) >> 64) as usize
}
