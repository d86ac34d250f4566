//! How good predictions are on games that they were not fitted to.

use serde::Serialize;

use super::clustered_means::{ClusteredSums, WeightedSum};
use super::estimate::Measurement;
use crate::analysis::error::{Error, Result};

/// The number of bins of predicted scores, each as wide as the others.
const BINS: usize = 10;

/// Clusters of a bin from which on its spread tells an error.
const MIN_CLUSTERS: u64 = 10;

/// Where the groups of the sums begin.
const LOG_LOSS: usize = 2 * BINS;
const BRIER: usize = LOG_LOSS + 1;
const GROUPS: usize = BRIER + 1;

/// Predictions so near 0 or 1 count as this near: one that was certain and wrong would cost infinitely much.
const CLIP: f64 = 1e-15;

/// Adds up predicted scores and what came of them.
#[derive(Clone, Debug)]
pub struct Calibration {
    /// The bins' predicted scores, their outcomes, the log-loss and Brier's score.
    sums: ClusteredSums,
    cluster: Option<u64>,
    /// The cluster so far.
    cells: [WeightedSum; GROUPS],
}

/// How good predictions were. Errors are cluster-robust, as in [`ClusteredMeans`](super::ClusteredMeans).
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Quality {
    /// The mean of `-y ln p - (1 - y) ln(1 - p)`, in nats. Draws, as halves, keep it from 0.
    pub log_loss: Measurement,
    /// The mean of `(y - p)^2`: Brier, "Verification of forecasts expressed in terms of probability" (1950).
    pub brier: Measurement,
    /// By predicted score, for bins that have any.
    pub bins: Vec<Bin>,
}

/// Predictions between two scores.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Bin {
    /// The least score predicted there.
    pub from: f64,
    /// Where the next bin begins; the last one includes 1.
    pub to: f64,
    /// The weight of its observations.
    pub weight: f64,
    /// The mean predicted score.
    pub predicted: f64,
    /// The mean score.
    pub observed: Measurement,
    /// How much more was observed than predicted; without error below 10 clusters, which may agree by chance. Its error is not that of `observed`, since predictions vary within
    /// the bin along with what comes of them.
    pub excess: Measurement,
}

impl Default for Calibration {
    fn default() -> Self {
        let sums = ClusteredSums::new(GROUPS, 0.5);
        Self { sums, cluster: None, cells: [WeightedSum::default(); GROUPS] }
    }
}

impl Calibration {
    /// Adds a prediction from 0 to 1, what came of it, likewise, and its weight. Those of a cluster are adjacent.
    ///
    /// # Errors
    /// If a number is out of its range; then nothing was added.
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

    /// Adds others, of other clusters. Figures that are to be the same for any number of threads are merged in a fixed
    /// order.
    pub fn merge(&mut self, mut other: Self) {
        self.finish_cluster();
        other.finish_cluster();
        self.sums.merge(&other.sums);
    }

    /// What was added so far; None if nothing was.
    pub fn finish(mut self) -> Option<Quality> {
        self.finish_cluster();
        let means = self.sums.finish();
        let bin = |bin: usize| {
            Some(Bin {
                from: bin as f64 / BINS as f64,
                to: (bin + 1) as f64 / BINS as f64,
                weight: means.weight(bin),
                predicted: means.mean(bin)?.value,
                observed: means.mean(BINS + bin)?,
                excess: match means.contrast(&[(BINS + bin, 1.0), (bin, -1.0)])? {
                    excess if means.clusters(bin) >= MIN_CLUSTERS => excess,
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
