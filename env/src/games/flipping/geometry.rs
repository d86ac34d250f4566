//! The board of 7 x 7 squares, its tables, and the two forms of a piece.

use std::sync::LazyLock;

use crate::board::{ActionTable, BoardSize, Kind};
use crate::movement::{Between, MoveTables};

/// The board: 7 files, 7 ranks.
pub(super) const SIZE: BoardSize = BoardSize { files: 7, ranks: 7 };

pub(super) static MOVES: LazyLock<MoveTables<u64>> = LazyLock::new(|| MoveTables::new(SIZE));
pub(super) static BETWEEN: LazyLock<Between<u64>> = LazyLock::new(|| Between::new(&MOVES));
pub(super) static TABLE: LazyLock<ActionTable> =
    LazyLock::new(|| ActionTable::new(SIZE, false, |from| MOVES.any_shape(from)));

/// The letters of the kinds: S soldier and F advisor form in place of xiangqi's P and A.
pub(super) const LETTERS: [char; 7] = ['K', 'F', 'E', 'H', 'R', 'C', 'S'];

/// The form that a piece turns into as it moves.
pub(super) const fn flipped(kind: Kind) -> Kind {
    match kind {
        Kind::General => Kind::General,
        Kind::Soldier => Kind::Horse,
        Kind::Horse => Kind::Soldier,
        Kind::Advisor => Kind::Cannon,
        Kind::Cannon => Kind::Advisor,
        Kind::Elephant => Kind::Chariot,
        Kind::Chariot => Kind::Elephant,
    }
}
