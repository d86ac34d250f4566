//! Thousands of games stepped in one call. This module knows no rule of any game.
//!
//! A batch has lanes, and each lane plays one game after another: game `k` of lane `i` is game
//! `k * 2^32 + i` of the batch's seed, for any number of lanes and threads. A batch may hold only a
//! range of the lanes, so that several batches share them.

mod any_batch;
mod buffers;
mod config;
mod decision;
mod lane;
mod legal_actions;
mod log;
mod mask;
mod memory;
mod opponents;
mod round;
mod row_writer;
mod rows;
mod step;
mod thread_pool;
mod typed_batch;
mod workers;

pub use any_batch::{AnyBatch, Decisions};
pub use buffers::Buffers;
pub use config::{Autoreset, BatchConfig, Illegal, MAX_THREADS, Reset};
pub use decision::{
    DecisionFault, check_decision, is_probability, is_result, policy_entries, seat_values,
};
pub use log::GameSink;
pub use mask::{Mask, MaskFormat};
pub use memory::zeroed;
pub use opponents::{OpponentFailure, OpponentTurn, Opponents};
pub use rows::{RowLengths, Rows};
pub use typed_batch::make;
