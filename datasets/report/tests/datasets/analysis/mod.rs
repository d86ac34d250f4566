//! The estimators: compared with statsmodels, on simulated data, and on degenerate data.

mod coverage;
mod degenerate;
mod effects;
mod invariance;
mod simulated;
mod statsmodels;
