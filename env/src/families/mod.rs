//! Families: rule sets that several games are variants of.
//!
//! A family implements all traits of `game` once; a game gives its differences as a `Variant`. This
//! room uses `board`, `movement` and `game`.

mod betza;
pub mod covered_xiangqi;
mod designs;
pub mod half_board;
