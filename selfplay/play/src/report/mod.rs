//! Datasets as one page of HTML.
//!
//! - `page`: measures the datasets, and writes the page;
//! - `rules`: the beginning of the page about a sweep.

mod page;
mod rules;

pub use page::{Page, page, page_of_study, write};
pub use rules::{SET_COLUMNS, SKILL_COLUMNS, lead_of_sweep, set_row, skill_row};

pub(crate) use page::values_of;

pub use darkqi_report::quoted;
