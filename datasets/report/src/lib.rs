//! A report on datasets as one self-contained page of HTML.
//!
//! A [`Report`] is made from results, not from datasets: those of
//! [`first_reveal`](darkqi_analysis::first_reveal()) and
//! [`piece_values`](darkqi_analysis::piece_values()) for each agent playing itself, from the
//! weakest to the strongest. What a study of several datasets found may come first ([`Lead`]).
//! Equal results give equal bytes.

mod bar_charts;
mod calibration_plot;
mod contents;
mod dot_plot;
mod drawing;
mod figures;
mod heat_map;
mod page;
mod provenance;
mod strength_plot;
mod text;

pub use contents::{Entry, Error, Ladder, Lead, Reference, Report, Rung, Table, one_game};
pub use provenance::quoted;
pub use text::NONE;
