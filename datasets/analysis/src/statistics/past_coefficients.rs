//! Coefficients of control variates that use the past only.

use super::clustered_means::WeightedSum;
use super::control_variates::Fold;
use crate::error::{Error, Result};

/// By which factor the clusters must grow before coefficients are fitted again.
const GROWTH: f64 = 1.1;

/// The coefficients of covariates with expectation 0, fitted to the clusters added so far as
/// [`ControlVariates`](super::ControlVariates) fits them to four folds.
///
/// They are known before the next cluster, so that the next adjusted value `y - b' z` has the
/// expectation of `y` given all clusters before it. That is what a confidence sequence needs.
#[derive(Clone, Debug)]
pub struct PastCoefficients {
    centre: f64,
    least: u64,
    sums: Fold,
    coefficients: Vec<f64>,
    /// The number of clusters at which they are fitted next.
    next: u64,
}

impl PastCoefficients {
    /// For this number of covariates, with values near `centre`. They are 0 below `least` clusters for
    /// each covariate that varies.
    pub fn new(covariates: usize, centre: f64, least: u64) -> Self {
        Self {
            centre,
            least,
            sums: Fold::new(covariates),
            coefficients: vec![0.0; covariates],
            next: least,
        }
    }

    /// One per covariate.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// Adds a cluster as [`ControlVariates::add`](super::ControlVariates::add) does.
    ///
    /// # Errors
    /// As there. Nothing is added then.
    pub fn add(&mut self, values: WeightedSum, covariates: &[f64]) -> Result<()> {
        Error::check_equal("covariates", self.coefficients.len(), covariates.len())?;
        values.check()?;
        covariates.iter().try_for_each(|&sum| Error::check_finite("a covariate", sum))?;
        if values.weight > 0.0 {
            self.sums.add(self.centre, values, covariates);
        }
        if self.sums.clusters() >= self.next {
            self.fit();
        }
        Ok(())
    }

    fn fit(&mut self) {
        let clusters = self.sums.clusters();
        let needed = self.least * self.sums.kept().len() as u64;
        if clusters >= needed
            && let Some(fitted) = self.sums.fit(0)
        {
            self.coefficients = fitted;
        }
        self.next = needed.max((clusters as f64 * GROWTH).ceil() as u64).max(clusters + 1);
    }
}
