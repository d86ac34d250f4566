//! Datasets as one page of HTML.
//!
//! - `page`: measures the datasets, and writes the page;
//! - `error`: what can go wrong.

mod error;
mod page;

pub use error::Error;
pub use page::{Page, page, page_of_study, write};

pub use darkqi_report::quoted;
