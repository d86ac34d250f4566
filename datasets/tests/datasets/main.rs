//! One test program for the whole crate: linking Arrow several times takes longer than all tests.

mod analysis;
mod errors;
mod interrupted;
mod journal;
mod lost_folder;
mod migrate;
mod output;
mod refusals;
mod report;
mod resume;
mod round_trip;
mod samples;
#[cfg(feature = "object-store")]
mod storage;
mod training;
