//! One test program for the whole crate: linking Arrow several times takes longer than all tests.

mod analysis;
mod errors;
mod lost_folder;
mod output;
mod parts;
mod refusals;
mod report;
mod resume;
mod round_trip;
mod samples;
#[cfg(feature = "object-store")]
mod storage;
mod training;
