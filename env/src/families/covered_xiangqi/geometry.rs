//! The size of the xiangqi board, its movement tables and its actions.

use std::sync::LazyLock;

use crate::board::{ActionTable, BoardSize};
use crate::movement::{Between, MoveTables};

/// The board: 9 files, 10 ranks.
pub(super) const SIZE: BoardSize = BoardSize { files: 9, ranks: 10 };

pub(super) static MOVES: LazyLock<MoveTables<u128>> = LazyLock::new(|| MoveTables::new(SIZE));
pub(super) static BETWEEN: LazyLock<Between<u128>> = LazyLock::new(|| Between::new(&MOVES));
pub(super) static TABLE: LazyLock<ActionTable> =
    LazyLock::new(|| ActionTable::new(SIZE, false, |from| MOVES.any_shape(from)));
