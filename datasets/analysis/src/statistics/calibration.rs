//! Proper scores and calibration of predictions on games that they were not fitted to.

use serde::{Deserialize, Serialize};

use super::clustered_means::{ClusteredSums, WeightedSum};
use super::estimate::{Estimate, Measurement};
use crate::error::{Error, Result};

/// The number of bins of predicted scores, of equal width.
const BINS: usize = 10;

/// The number of clusters in a bin from which its standard error is reported.
const MIN_CLUSTERS: u64 = 10;

/// The first index of each kind of group in the sums.
const LOG_LOSS: usize = 2 * BINS;
const BRIER: usize = LOG_LOSS + 1;
const GROUPS: usize = BRIER + 1;

/// Predictions are clipped this far from 0 and 1, because a wrong prediction of certainty would
/// have an infinite log-loss.
const CLIP: f64 = 1e-15;

/// Accumulates predicted scores and observed scores.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Calibration {
    /// Groups: predicted scores by bin, observed scores by bin, log-loss, Brier score.
    sums: ClusteredSums,
    cluster: Option<u64>,
    /// The sums of the current cluster.
    cells: [WeightedSum; GROUPS],
}

/// The quality of predictions. Errors are cluster-robust, as in
/// [`ClusteredMeans`](super::ClusteredMeans).
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Quality {
    /// The mean of `-y ln p - (1 - y) ln(1 - p)`, in nats. Draws count as 1/2, so its minimum is
    /// above 0.
    pub log_loss: Measurement,
    /// The mean of `(y - p)^2`: Brier, "Verification of forecasts expressed in terms of
    /// probability" (1950).
    pub brier: Measurement,
    /// The non-empty bins of predicted scores.
    pub bins: Vec<Bin>,
}

/// A bin of predicted scores.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Bin {
    /// The lower bound of predicted scores.
    pub low: f64,
    /// The upper bound, exclusive except in the last bin.
    pub high: f64,
    /// The total weight of the observations.
    pub weight: f64,
    /// The mean predicted score.
    pub predicted: f64,
    /// The mean score.
    pub observed: Estimate,
    /// The observed minus the predicted score. Its error differs from that of `observed`, because
    /// predictions vary within the bin together with outcomes. It is infinite below 10 clusters,
    /// which may agree by chance, and where all agree.
    pub excess: Measurement,
}

impl Default for Calibration {
    fn default() -> Self {
        let sums = ClusteredSums::new(GROUPS, 0.5);
        Self { sums, cluster: None, cells: [WeightedSum::default(); GROUPS] }
    }
}

impl Calibration {
    /// Adds a prediction and an outcome, both from 0 to 1, with a weight. Those of a cluster are
    /// adjacent.
    ///
    /// # Errors
    /// If a number is out of range. Nothing is added then.
    pub fn add(&mut self, cluster: u64, predicted: f64, observed: f64, weight: f64) -> Result<()> {
        for (what, found) in [("prediction", predicted), ("outcome", observed)] {
            if !(0.0..=1.0).contains(&found) {
                return Err(Error::Value { what, expected: "a number from 0 to 1", found });
            }
        }
        if !(weight > 0.0 && weight.is_finite()) {
            let expected = "a finite number above 0";
            return Err(Error::Value { what: "weight", expected, found: weight });
        }
        if self.cluster != Some(cluster) {
            self.finish_cluster();
            self.cluster = Some(cluster);
        }
        let bin = ((predicted * BINS as f64) as usize).min(BINS - 1);
        let p = predicted.clamp(CLIP, 1.0 - CLIP);
        let loss = -observed * p.ln() - (1.0 - observed) * (-p).ln_1p();
        self.cells[bin].add(predicted, weight);
        self.cells[BINS + bin].add(observed, weight);
        self.cells[LOG_LOSS].add(loss, weight);
        self.cells[BRIER].add((observed - predicted).powi(2), weight);
        Ok(())
    }

    /// Adds the sums of other clusters. Merging in a fixed order gives the same figures for any
    /// number of threads.
    pub fn merge(&mut self, mut other: Self) {
        self.finish_cluster();
        other.finish_cluster();
        self.sums.merge(&other.sums);
    }

    /// The scores so far; None without predictions.
    pub fn finish(mut self) -> Option<Quality> {
        self.finish_cluster();
        let means = self.sums.finish();
        let bin = |bin: usize| {
            Some(Bin {
                low: bin as f64 / BINS as f64,
                high: (bin + 1) as f64 / BINS as f64,
                weight: means.weight(bin),
                predicted: means.mean(bin)?.value,
                observed: means.score(BINS + bin)?,
                excess: match means.contrast(&[(BINS + bin, 1.0), (bin, -1.0)])? {
                    excess if means.clusters(bin) >= MIN_CLUSTERS && excess.error > 0.0 => excess,
                    excess => Measurement { error: f64::INFINITY, ..excess },
                },
            })
        };
        Some(Quality {
            log_loss: means.mean(LOG_LOSS)?,
            brier: means.mean(BRIER)?,
            bins: (0..BINS).filter_map(bin).collect(),
        })
    }

    fn finish_cluster(&mut self) {
        if self.cluster.take().is_some() {
            self.sums.add(&self.cells).expect("predictions were checked as they came");
            self.cells = [WeightedSum::default(); GROUPS];
        }
    }
}
