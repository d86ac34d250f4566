//! banqi on boards so small that it can be solved: exact values by expectation over flips.
//!
//! - `board`: squares and neighbours; `position`: a position as text;
//! - `phase`: positions between which only quiet plies lead, with their index;
//! - `solve`: the values of all positions of a phase; `solver`: phase after phase;
//! - `solution`: the value of a position and of each of its actions; `error`: what may go wrong.
//!
//! Movement, captures and ends are those of RULES.md section 2 on a board of another size and with
//! smaller armies. Quiet plies count and the quiet limit draws; repetitions do not, since a value
//! would then depend on the way to a position.

mod board;
mod error;
mod phase;
mod position;
mod solution;
mod solve;
mod solver;

pub use error::SmallBoardError;
pub use solution::{SmallBoard, Solution, SolvedAction, SolvedReveal};
