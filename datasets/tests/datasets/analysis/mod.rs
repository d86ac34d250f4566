//! The estimators: against statsmodels, against planted truth, and where they have nothing to say.

mod coverage;
mod invariance;
mod nothing;
mod planted;
mod statsmodels;
mod table;
