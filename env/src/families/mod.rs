//! Rule sets that several games are variants of.

pub mod covered_xiangqi;
pub mod half_board;
