//! Squares, sets of squares, pieces and actions: what every board game here is made of.

mod action;
mod bitboard;
mod piece;
mod pool;
mod square;

pub use action::{Action, ActionBits, ActionTable, Flow, Move};
pub use bitboard::{Ascending, Bitboard, Wide};
pub use piece::{AnyPiece, Colour, Kind, Piece, Supply};
pub use pool::{UnseenPieces, WithoutReplacement};
pub use square::{BoardSize, Perspective, Square};
