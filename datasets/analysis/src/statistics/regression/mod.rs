//! Regressions of outcomes on columns, over streamed rows.
//!
//! - [`RowSource`]: gives the rows, in blocks;
//! - [`logit()`], [`ordered_logit`]: the models;
//! - [`Fit`]: coefficients, their ratios, and errors.
//!
//! Memory does not grow with the number of rows, and results do not depend on the number of
//! threads.

mod clusters;
mod fieller;
mod fit;
mod likelihood;
mod model;
mod moments;
mod newton;
mod passes;

pub(crate) use clusters::Clusters;
pub use fit::Fit;
pub use newton::{logit, ordered_logit};
pub(crate) use newton::{logit_of, ordered_logit_of};
pub(crate) use passes::{Blocks, OwnBlocks, Pass, Sums, predictions};
pub use passes::{Row, RowSource};
