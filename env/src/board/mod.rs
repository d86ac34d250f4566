//! Squares, bitboards, pieces and actions: the parts of every board game here.
//!
//! This room knows no rules. It uses nothing of the crate but `rng` and `simd`.

mod action;
mod bitboard;
mod piece;
mod piece_board;
mod regions;
mod square;
mod unseen_pieces;

pub use action::{Action, ActionBits, ActionTable, Flow, Move};
pub use bitboard::{Ascending, Bitboard, WideBitboard};
pub use piece::{AnyPiece, Colour, Kind, Piece, UnplacedPieces};
pub use piece_board::{PieceBoard, SquareEncoding};
pub use regions::Regions;
pub use square::{BoardSize, Perspective, Reflection, Square};
pub use unseen_pieces::{UnseenPieces, WithoutReplacement};
