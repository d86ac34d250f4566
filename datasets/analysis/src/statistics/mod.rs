//! Estimators that know no games and no files.

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
pub use estimate::{Estimate, Measurement, Z, careful_variance, elo_of_score, score_of_elo};
pub use independent_columns::DroppedColumn;
pub(crate) use matrix::dot;
pub use matrix::{Cholesky, Matrix};
pub use multiple_testing::holm;
pub use past_coefficients::PastCoefficients;
pub use shrinkage::{Shrinkage, shrink};
pub use trend::Trend;
