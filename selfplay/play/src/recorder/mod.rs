//! Logs the games of batches as a dataset, whatever chooses the actions.
//!
//! The batch hands over the trajectories of games that end. One thread writes them to parts as they are, and
//! another makes records of those of a whole shard and writes it: it runs when nothing else needs
//! the processor, so that logging costs little while games are stepped. Who closes the log does what is
//! left by then. What cannot be written waits, and whoever steps is told before the next step: each call
//! tries again. Games that are left unfinished are not logged, nor are those that end with an illegal
//! action: their actions cannot be played again.
//!
//! - `recording`: what is logged, and where; games that were played apart from a batch, added one by one;
//! - `sink`: what the batch calls;
//! - `parts`: the thread that writes parts;
//! - `shards`: the thread that writes shards;
//! - `dataset`: the dataset that it writes.

mod dataset;
mod parts;
mod recording;
mod shards;
mod sink;

pub use recording::{Recording, add, prepare};
pub use sink::Recorder;
