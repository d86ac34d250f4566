//! The board of 19 x 19 points.

use crate::board::{BoardSize, Square, WideBitboard};

/// The board: 19 by 19 points, as in go.
pub(super) const SIZE: BoardSize = BoardSize { files: 19, ranks: 19 };

/// The point of the emperor.
pub(super) const CENTRE: Square = SIZE.at(9, 9);

/// A set of points.
pub(super) type Points = WideBitboard<{ SIZE.squares().div_ceil(64) }>;
