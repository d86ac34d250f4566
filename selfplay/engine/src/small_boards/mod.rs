//! banqi and gaiqi on boards so small that they can be solved: exact values by expectation over flips.
//!
//! - `board`: squares; `rules`: what pieces do on them; `position`: a position as text;
//! - `chase`: the state of the three-check rule;
//! - `phase`: positions between which only quiet plies lead, with their index;
//! - `solve`: the values of all positions of a phase; `solver`: phase after phase;
//! - `solution`: the value of a position and of each of its actions; `losses`: what agents lose
//!   against perfect play; `error`: what may go wrong.
//!
//! Movement, captures and ends are those of RULES.md sections 1 and 2 on a board of another size and
//! with smaller armies. Quiet plies count and the quiet limit draws; repetitions do not, since a value
//! would then depend on the way to a position.

mod board;
mod chase;
mod error;
mod losses;
mod phase;
mod position;
mod rules;
mod solution;
mod solve;
mod solver;

pub use error::SmallBoardError;
pub use losses::{Blunder, Losses};
pub use solution::{ActionKind, SmallBoard, Solution, SolvedAction, SolvedReveal};
