//! Endgames of banqi, solved by retrograde analysis: up to four pieces, all revealed, every other
//! piece captured. Movement is implemented again from the text of RULES.md section 2 and shares no
//! code with the engine.
//!
//! A position is its pieces, their squares and the mover. Its value is the result under best play,
//! with the number of plies to the end: the winner takes the shortest way, the loser the longest.
//! The value ignores repetition and the quiet limit. Repetition cannot change a win, because every
//! ply of the winner brings the end nearer, so no position occurs twice. The quiet limit cannot
//! change a win that is no longer than the limit: if both fall on the same ply, the win comes
//! first.

mod book;
mod moves;
mod pieces;
mod table;

pub use book::Book;
pub use moves::{Move, Movement};
pub use pieces::{Material, Position, Rules, SQUARES};
pub use table::{Census, Table, Value};
