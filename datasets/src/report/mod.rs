//! What datasets tell as one page of HTML that stands by itself.
//!
//! A [`Report`] is made of what was measured, not of datasets: [`first_reveal`](crate::analysis::first_reveal()) and
//! [`piece_values`](crate::analysis::piece_values()) of each agent against itself, from the weakest to the strongest.
//! The same figures give the same bytes.

mod bar_charts;
mod calibration_plot;
mod contents;
mod dot_plot;
mod drawing;
mod figures;
mod heat_map;
mod page;
mod provenance;
mod text;

pub use contents::{Entry, Error, Reference, Report, one_game};
