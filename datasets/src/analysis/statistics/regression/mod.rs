//! Regressions of outcomes on columns, over streamed rows.
//!
//! - [`RowSource`]: gives the rows, in blocks;
//! - [`logit()`], [`ordered_logit`]: the models;
//! - [`Fit`]: coefficients, their ratios, and errors.
//!
//! Memory does not grow with the number of rows, and results do not depend on the number of
//! threads.

mod fieller;
mod fit;
mod logistic;
mod logit;
mod moments;
mod newton;
mod ordered;
mod rows;

pub use fit::Fit;
pub use logit::logit;
pub use ordered::ordered_logit;
pub use rows::{Row, RowSource};
