//! How games begin: the deal or a position given, pieces taken off, random plies.
//!
//! An opening is a function of the settings and of a game's seed. Games on one deal share it.

mod error;
mod file;
mod removal;
mod starts;

pub use error::OpeningError;
pub use file::{check_openings, read_openings};
pub(crate) use starts::{Starts, default_plies};
