//! banqi's last fights solved by retrograde analysis: up to four pieces, all revealed, every other
//! piece captured. RULES.md section 2, from whose text movement is written down once more here,
//! sharing no code with the engine.
//!
//! A position is its pieces, their squares and the mover. Its value is the result under best play,
//! with the number of plies to the end: the winner takes the shortest way, the loser the longest.
//! Repetition and the quiet limit are no part of it. Repetition cannot change a win, for the winner's
//! plies bring the end nearer and so never come back. The quiet limit cannot as long as the win is no
//! longer than the limit, as the last ply of a win comes before the limit that falls on it.

mod book;
mod moves;
mod pieces;
mod table;

pub use book::Book;
pub use moves::{Move, Movement};
pub use pieces::{Material, Position, Rules, SQUARES};
pub use table::{Census, Table, Value};
