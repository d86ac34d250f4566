//! Estimators that know no games and no files.
//!
//! - [`Estimate`], [`Measurement`]: a figure with its 95 % interval, or with its standard error;
//!   Elo.
//! - [`ClusteredSums`]: means of groups of clustered observations, and contrasts between them.
//! - [`ControlVariates`]: a mean adjusted by covariates whose expectation is known;
//!   [`PastCoefficients`]: their coefficients, before the next observation.
//! - [`ConfidenceSequence`]: a mean with an interval that is valid at any stopping time.
//! - [`holm`], [`shrink`]: multiple tests, and shrinkage of many estimates.
//! - [`Trend`]: a line through measurements.
//! - [`regression`]: logistic and ordered logistic regression with cluster-robust errors.
//! - [`Calibration`]: proper scores and calibration of predictions.

mod calibration;
mod clustered_means;
mod confidence_sequence;
mod control_variates;
mod estimate;
mod independent_columns;
mod matrix;
mod multiple_testing;
mod past_coefficients;
pub mod regression;
mod shrinkage;
mod trend;

pub use calibration::{Bin, Calibration, Quality};
pub use clustered_means::{ClusteredMeans, ClusteredSums, WeightedSum};
pub use confidence_sequence::ConfidenceSequence;
pub use control_variates::{Adjusted, ControlVariates};
pub use estimate::{Estimate, MeanScore, Measurement, Z, score_of_elo, students_tail};
pub use independent_columns::DroppedColumn;
pub(crate) use matrix::dot;
pub use matrix::{Cholesky, Matrix};
pub(crate) use multiple_testing::holm_known;
pub use multiple_testing::{SIGNIFICANT, holm};
pub use past_coefficients::PastCoefficients;
pub use shrinkage::{Shrinkage, shrink};
pub use trend::Trend;
