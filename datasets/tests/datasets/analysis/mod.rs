//! The estimators: against statsmodels, against planted truth, and where they have nothing to say.

mod coverage;
mod degenerate;
mod in_memory_rows;
mod invariance;
mod simulated;
mod statsmodels;
